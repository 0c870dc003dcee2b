"""Screens that are made from what a domain declares: the tutorial's bookshop and the tables of the counters have no line of their own."""
import re
import time

from harness import ROOT, expect, new_word, press_choice, story
from story_offline import Network

SERVED = ["--domains", "crm,counting,bookshop", "--migrations", str(ROOT / "Tests/ProbeDomain/migrations")]


def begin(app, account="admin", path="/bookshop/books"):
    """A page of an account on an installation with the bookshop."""
    app.serve(*SERVED, program="probe-server")
    return app.sign_in(account, path=path)


def heading(app, name):
    expect(app.page.get_by_role("heading", level=1)).to_have_text(name)


def rows(app, name):
    return app.page.get_by_role("list", name=name, exact=True).get_by_role("listitem")


def new_author(app):
    name = new_word().capitalize()
    return app.rpc("authors.create", {"values": {"name": name}, "select": "{ id name version }"})


def new_book(app, author, **values):
    return app.rpc("books.create", {
        "values": {"title": new_word().capitalize(), "author_id": author["id"], **values}, "select": "{ id title version }"})


def choose(app, label, text):
    """Chooses a record in a field by what is typed."""
    field = app.page.get_by_role("combobox", name=label)
    field.fill(text)
    # The answer to what was typed makes the list anew, and would take the option away from under the press.
    app.settle()
    app.page.get_by_role("option", name=text).first.click()


@story("declared", "one goes from domain to domain, and each has its navigation and a page of its lists", account=None)
def home(app):
    app.serve(*SERVED, program="probe-server")
    page = app.sign_in(path="/profil" if app.is_phone else "/sessions")
    navigation = page.get_by_role("navigation", name="Navigation principale")
    kernel = ["Profil"] if app.is_phone else ["Utilisateurs", "Journal", "Profil"]
    if app.is_phone:
        page.get_by_role("main").get_by_role("link", name="Librairie").click()
    else:
        expect(navigation.get_by_role("link").first).to_have_text("Sessions")
        navigation.get_by_role("button", name=re.compile("^Domaine")).click()
        app.axe()
        page.get_by_role("dialog", name="Domaines").get_by_role("link", name="Librairie").click()
    heading(app, "Librairie")
    app.axe()
    expect(navigation.get_by_role("link")).to_have_text(
        ["Auteurs", "Livres", "Publications", "Lecteurs", *([] if app.is_phone else ["Souhaits", "Boutique"]), *kernel])
    # The kernel's pages leave the domain, also after a reload.
    navigation.get_by_role("link", name="Profil").click()
    expect(navigation.get_by_role("link").first).to_have_text("Auteurs")
    page.reload()
    expect(navigation.get_by_role("link").first).to_have_text("Auteurs")
    app.move("/sessions")
    expect(navigation.get_by_role("link").first).to_have_text("Sessions")
    app.move("/bookshop")
    lists = app.page.get_by_role("region", name="Listes")
    expect(lists.get_by_role("link")).to_have_text(["Auteurs", "Livres", "Lecteurs", "Souhaits"])
    lists.get_by_role("link", name="Livres").click()
    heading(app, "Livres")
    expect(app.page).to_have_url(re.compile("/bookshop/books$"))


@story("declared", "a record is made with one that it refers to, changed, and removed", account=None)
def record(app):
    page = begin(app)
    title, author = new_word().capitalize(), new_word().capitalize()
    isbn = f"978{time.time_ns() % 10**10:010}"
    page.get_by_role("main").get_by_role("link", name="Nouveau livre").first.click()
    heading(app, "Nouveau livre")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("2 champs à corriger")
    page.get_by_label("Titre").fill(title)
    page.get_by_label("Prix hors taxes", exact=True).fill("8,50")
    # What is pasted with dashes is not cut.
    page.get_by_label("ISBN").fill("978-2-07-041139-3")
    # The author is made from the field.
    page.get_by_role("combobox", name="Auteur").fill(author)
    page.get_by_role("option", name=re.compile("^Créer")).click()
    dialog = page.get_by_role("dialog", name="Nouvel auteur")
    expect(dialog.get_by_label("Nom")).to_have_value(author)
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Enregistrer").click()
    # What the service refuses stands at its field.
    expect(page.get_by_label("ISBN")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("ISBN")).to_have_value("978-2-07-041139-3")
    expect(page.get_by_role("main")).to_contain_text("13 caractères")
    page.get_by_label("ISBN").fill(isbn)
    app.axe()
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    expect(page.get_by_role("status", name="Message")).to_have_text("Livre enregistré")
    facts = page.get_by_role("region", name="Fiche")
    expect(facts).to_contain_text("8,50")
    expect(facts.get_by_role("link", name=author)).to_be_visible()
    app.axe()
    page.get_by_role("link", name="Modifier").click()
    heading(app, "Modifier le livre")
    page.get_by_label("Prix hors taxes", exact=True).fill("9")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    expect(facts).to_contain_text("9,00")
    expect(page.get_by_role("region", name="Historique")).to_contain_text("Prix hors taxes")
    page.get_by_role("button", name="Supprimer").click()
    page.get_by_role("alertdialog", name=re.compile("^Supprimer ce livre")).get_by_role("button", name="Supprimer").click()
    heading(app, "Livres")
    expect(page.get_by_role("status", name="Message")).to_have_text("Livre supprimé")
    app.wait_until_gone("books", {"title": title})


@story("declared", "a list is searched without accents, narrowed, ordered, and counted by groups", account=None)
def listing(app):
    app.serve(*SERVED, program="probe-server")
    author, other, word = new_author(app), new_author(app), new_word()
    for number, (by, title) in enumerate([(author, f"Été {word}"), (author, f"Zoé {word}"), (other, f"Abri {word}")]):
        new_book(app, by, title=title, price=10 + number, published=f"20{10 + number}-05-01")
    page = app.sign_in(path="/bookshop/books")
    page.get_by_role("searchbox", name="Rechercher un livre").fill(f"ete {word}")
    expect(rows(app, "Livres")).to_have_count(1)
    page.get_by_role("searchbox", name="Rechercher un livre").fill(word)
    expect(page.get_by_role("status", name="Résultats")).to_have_text("3 livres")
    expect(rows(app, "Livres").first).to_contain_text("Abri")
    expect(rows(app, "Livres").first.get_by_role("link")).to_have_attribute("aria-label", re.compile(f"^Abri {word}, "))
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    dialog = page.get_by_role("dialog", name="Filtres")
    app.axe()
    dialog.get_by_label("Ordre").select_option(label="Prix hors taxes, décroissant")
    dialog.get_by_role("combobox", name="Auteur").fill(author["name"])
    page.get_by_role("option", name=author["name"]).click()
    dialog.get_by_role("button", name="Voir 2 livres").click()
    expect(rows(app, "Livres")).to_have_count(2)
    expect(rows(app, "Livres").first).to_contain_text("Zoé")
    # A reload shows the same, and what is opened by its address has its list and its navigation.
    page.reload()
    expect(rows(app, "Livres").first).to_contain_text("Zoé")
    expect(page.get_by_role("status", name="Résultats")).to_have_text("2 livres")
    page.get_by_role("button", name="Totaux").click()
    totals = page.get_by_role("dialog", name="Totaux")
    totals.get_by_label("Par").select_option(label="Auteur")
    expect(totals.get_by_role("table", name="Totaux")).to_contain_text(author["name"])
    expect(totals.get_by_role("table", name="Totaux")).to_contain_text("21,00")
    app.axe()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Effacer les filtres").click()
    expect(page).to_have_url(re.compile("/bookshop/books(\\?ordre=.*)?$"))


@story("declared", "a list is narrowed by a range of prices and by what is set, and says by what", account=None)
def ranges(app):
    app.serve(*SERVED, program="probe-server")
    author, word = new_author(app), new_word()
    for name, price, reader in (("Un", 4, None), ("Deux", 5.5, "Marie"), ("Trois", 9, None), ("Quatre", 1200, "Paul")):
        book = new_book(app, author, title=f"{name} {word}", price=price)
        if reader is not None:
            app.rpc("books.lend", {"id": book["id"], "reader": reader})
    page = app.sign_in(path=f"/bookshop/books?q={word}")
    expect(rows(app, "Livres")).to_have_count(4)
    chosen = page.get_by_role("list", name="Filtres choisis")
    expect(chosen).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    dialog = page.get_by_role("dialog", name="Filtres")
    prices = dialog.get_by_role("group", name="Prix hors taxes", exact=True)
    least, most = prices.get_by_label("Prix hors taxes, de"), prices.get_by_label("Prix hors taxes, à")
    least.fill("cinq")
    least.press("Tab")
    expect(least).to_have_attribute("aria-invalid", "true")
    expect(prices).to_contain_text("Donnez un nombre.")
    app.axe()
    least.fill("5,5")
    most.fill("1 200,00")
    most.press("Tab")
    expect(least).not_to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("button", name="Voir 3 livres")).to_be_visible()
    # More than any price can be.
    most.fill("99 999 999")
    most.press("Tab")
    expect(dialog.get_by_role("button", name="Voir 3 livres")).to_be_visible()
    most.fill("1 200,00")
    most.press("Tab")
    lent = dialog.get_by_role("radiogroup", name="Prêté à")
    lent.get_by_role("radio", name="Renseigné").check()
    app.axe()
    dialog.get_by_role("button", name="Voir 2 livres").click()
    expect(rows(app, "Livres")).to_have_count(2)
    said = ["Prix hors taxes de 5,50 à 1\u202f200", "Prêté à\u202f: renseigné"]
    expect(chosen.get_by_role("listitem")).to_have_text(said)
    page.reload()
    expect(chosen.get_by_role("listitem")).to_have_text(said)
    expect(rows(app, "Livres")).to_have_count(2)
    app.axe()
    chosen.get_by_role("button", name="Retirer le filtre Prix hors taxes").click()
    expect(chosen.get_by_role("listitem")).to_have_text(said[1:])
    expect(page).not_to_have_url(re.compile("price"))
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    lent.get_by_role("radio", name="Vide").check()
    # What is computed has a range, too.
    dialog.get_by_label("Prix avec taxes, de").fill("5")
    dialog.get_by_label("Prix avec taxes, de").press("Tab")
    dialog.get_by_role("combobox", name="Auteur").fill(author["name"])
    page.get_by_role("option", name=author["name"]).click()
    dialog.get_by_role("button", name="Voir 1 livre").click()
    expect(rows(app, "Livres")).to_contain_text(["Trois"])
    expect(chosen.get_by_role("listitem").first).to_have_text(f"Auteur\u202f: {author['name']}")
    page.get_by_role("button", name="Effacer les filtres").click()
    expect(chosen).to_have_count(0)


@story("declared", "a record that is opened by its address has its list beside it, and the navigation of its domain", devices=["desktop"], account=None)
def opened(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app))
    page = app.sign_in(path=f"/bookshop/books/{book['id']}")
    beside = page.get_by_role("complementary", name="Liste")
    expect(beside.get_by_role("link", name=re.compile(f"^{book['title']}"))).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("navigation", name="Navigation principale").get_by_role("link").first).to_have_text("Auteurs")
    # The list beside it asks for the domains before it is known who is signed in.
    for _ in range(6):
        app.go("/bookshop/books/nouveau")
        heading(app, "Nouveau livre")
        expect(beside.get_by_role("link", name=re.compile(f"^{book['title']}"))).to_be_visible()


@story("declared", "a command is tried first, then done, and its refusal stands in its dialog", account=None)
def command(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app))
    page = app.sign_in(path=f"/bookshop/books/{book['id']}")
    page.get_by_role("button", name="Prêter").click()
    dialog = page.get_by_role("dialog", name="Prêter")
    app.axe()
    preview = dialog.get_by_role("button", name="Voir d’abord ce que cela change")
    preview.click()
    expect(dialog.get_by_label("Lecteur")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Lecteur").fill("Marie")
    preview.click()
    expect(dialog.get_by_role("status", name="Aperçu")).to_contain_text("Prêté à\u202f: vide → Marie")
    # What is typed since was not tried.
    dialog.get_by_label("Lecteur").fill("Jeanne")
    expect(dialog.get_by_role("status", name="Aperçu")).to_have_count(0)
    assert app.rpc("books.get", {"id": book["id"], "select": "{ reader }"})["reader"] is None
    dialog.get_by_role("button", name="Prêter").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("region", name="Fiche")).to_contain_text("Jeanne")
    page.get_by_role("button", name="Prêter").click()
    dialog.get_by_label("Lecteur").fill("Paul")
    dialog.get_by_role("button", name="Prêter").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Ce livre est déjà prêté.")


@story("declared", "two people change a record: what differs is chosen, what does not is merged", account=None)
def conflict(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app), price=5)
    page = app.sign_in(path=f"/bookshop/books/{book['id']}/modifier")
    expect(page.get_by_label("Prix hors taxes", exact=True)).to_have_value("5")
    app.rpc("books.update", {"id": book["id"], "values": {"price": 7, "reprinted": "2021-03-04"}})
    page.get_by_label("Prix hors taxes", exact=True).fill("6")
    page.get_by_label("Date de parution").fill("2020-01-02")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps")
    expect(dialog).to_contain_text("Prix hors taxes")
    app.axe()
    press_choice(dialog.get_by_role("radio", name="Ma version"))
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    heading(app, book["title"])
    stored = app.rpc("books.get", {"id": book["id"], "select": "{ price reprinted published }"})
    assert stored == {"price": 6, "reprinted": "2021-03-04", "published": "2020-01-02"}, stored


@story("declared", "without a network lists stay, and what is saved waits, is seen, and is sent", account=None)
def offline(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    book = new_book(app, author)
    page = app.sign_in(path="/bookshop/books")
    page.get_by_role("searchbox", name="Rechercher un livre").fill(book["title"])
    expect(rows(app, "Livres")).to_have_count(1)
    app.wait_for_copy()
    app.settle()
    app.offline()
    app.move(f"/bookshop/books/{book['id']}/modifier")
    heading(app, "Modifier le livre")
    title = new_word().capitalize()
    page.get_by_label("Titre").fill(title)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    expect(page.get_by_role("main")).to_contain_text("En attente d’envoi")
    app.move("/attente")
    expect(page.get_by_role("list", name="Modifications en attente")).to_contain_text(f"Modification du livre «\u00a0{title}\u00a0»")
    app.offline(False)
    expect(page.get_by_role("main")).to_contain_text("Tout ce que vous avez saisi est enregistré.", timeout=30_000)
    assert app.rpc("books.get", {"id": book["id"], "select": "{ title }"})["title"] == title


@story("declared", "who may not write is offered nothing to write, and sees no list that is not theirs", account=None)
def rights(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app))
    page = app.sign_in("user", path="/bookshop")
    expect(page.get_by_role("region", name="Listes").get_by_role("link")).to_have_text(["Auteurs", "Livres"])
    app.move("/bookshop/books")
    expect(rows(app, "Livres").first).to_be_visible()
    expect(page.get_by_role("link", name="Nouveau livre")).to_have_count(0)
    app.move(f"/bookshop/books/{book['id']}")
    heading(app, book["title"])
    expect(page.get_by_role("link", name="Modifier")).to_have_count(0)
    expect(page.get_by_role("button", name="Supprimer")).to_have_count(0)
    expect(page.get_by_role("button", name="Prêter")).to_be_visible()
    app.move("/bookshop/readers")
    heading(app, "Page introuvable")
    # A list with screens of its own has them at its own address.
    client = app.rpc("clients.list", {"first": 1, "select": "{ id raison_sociale }"})["items"][0]
    app.move(f"/crm/clients/{client['id']}")
    heading(app, client["raison_sociale"])
    expect(page).to_have_url(re.compile(f"/clients/{client['id']}$"))
    app.move("/bookshop/nothing")
    heading(app, "Page introuvable")


@story("declared", "a view asks for its parameters and shows its rows; without rows it says so", account=None)
def view(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    new_book(app, author, published="1887-03-02")
    page = app.sign_in(path="/bookshop/publications?since=1887-01-01&until=1887-12-31")
    heading(app, "Publications")
    table = page.get_by_role("table", name="Publications")
    expect(table.get_by_role("columnheader")).to_have_text(["Auteur", "Livres parus", "Première parution"])
    expect(table).to_contain_text(author["name"])
    expect(table).to_contain_text("mercredi 2 mars 1887")
    app.axe()
    page.get_by_label("Premier jour").fill("1787-01-01")
    page.get_by_label("Dernier jour").fill("1787-12-31")
    page.get_by_label("Dernier jour").blur()
    expect(page.get_by_role("main")).to_contain_text("Aucune publication pour ce choix.")
    # What the service does not take it says at its field.
    last = page.get_by_label("Dernier jour")
    last.fill("1786-12-31")
    last.blur()
    expect(last).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("group", name="Choix")).to_contain_text("Donnez un dernier jour qui ne précède pas le premier.")
    expect(page.get_by_role("button", name="Réessayer")).to_have_count(0)
    app.axe()
    last.fill("1787-12-31")
    last.blur()
    expect(page.get_by_role("main")).to_contain_text("Aucune publication pour ce choix.")
    expect(last).not_to_have_attribute("aria-invalid", "true")


@story("declared", "counters have their lists without screens of their own: places, devices, entries, a curve", account=None)
def counting(app):
    app.serve(*SERVED, program="probe-server")
    name = new_word().capitalize()
    page = app.sign_in(path="/counting")
    heading(app, "Comptage")
    page.get_by_role("region", name="Listes").get_by_role("link", name="Lieux").click()
    page.get_by_role("main").get_by_role("link", name="Nouveau lieu").first.click()
    page.get_by_role("textbox", name="Nom").fill(name)
    page.get_by_role("textbox", name="Capacité").fill("70")
    page.get_by_role("textbox", name="Fuseau horaire").fill("Europe/Paris")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, name)
    app.axe()
    # A view over moments takes them as the field has them.
    app.move("/counting/counter_charts")
    heading(app, "Points de courbe")
    choices = page.get_by_role("group", name="Choix")
    choices.get_by_role("combobox", name="Lieu").fill(name)
    page.get_by_role("option", name=name).first.click()
    start, end = (choices.get_by_label(label, exact=True) for label in ("Début", "Fin"))
    start.fill("2026-11-20T10:00")
    end.fill("2026-11-21T10:00")
    end.blur()
    # The rows of so many columns are cards on a phone.
    expect(page.get_by_role("list" if app.is_phone else "table", name="Points de courbe")).to_be_visible()
    expect(start).to_have_value("2026-11-20T10:00")


@story("declared", "a reader, who stands for one record, wishes for a book", account=None)
def wish(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app))
    reader = app.rpc("readers.create", {"values": {"name": new_word().capitalize()}, "select": "{ id name }"})
    email = f"{new_word()}@demo.learntrack.fr"
    account = app.rpc("users.create", {"values": {"email": email, "role": "user", "password": "demo-learntrack"}, "select": "{ id }"})
    app.rpc("account_roles.create", {"values": {"account_id": account["id"], "role": "bookshop_reader", "subject": reader["id"]}})
    page = app.sign_in(email, path="/bookshop/wishes/nouveau")
    heading(app, "Nouveau souhait")
    expect(page.get_by_role("main").get_by_role("combobox", name="Lecteur")).to_have_count(0)
    choose(app, "Livre", book["title"])
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, f"{reader['name']}, {book['title']}")


@story("declared", "narrow windows and large text need no sideways scrolling, in light and dark", devices=["phone"], account=None)
def narrow(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    book = new_book(app, author, title="Un titre " + "démesurément long " * 8, price=12.5)
    app.sign_in(path="/bookshop")
    paths = ["/bookshop", "/bookshop/books", f"/bookshop/books/{book['id']}", f"/bookshop/books/{book['id']}/modifier",
             "/bookshop/authors/nouveau", f"/bookshop/authors/{author['id']}", "/bookshop/publications?since=1800-01-01"]
    for width, size in ((320, None), (390, "200%")):
        app.page.set_viewport_size({"width": width, "height": 700})
        app.page.evaluate("size => document.documentElement.style.fontSize = size", size or "")
        for path in paths:
            app.move(path)
            app.settle()
            wide = app.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{path} at {width} px, text {size}: {wide} px too wide"
    for theme in ("light", "dark"):
        app.page.emulate_media(color_scheme=theme)
        for path in paths:
            app.move(path)
            app.settle()
            app.axe()
