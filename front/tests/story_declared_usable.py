"""What strangers stumbled over on screens that are made from a declaration."""
import re

from harness import expect, new_word, story
from story_declared import SERVED, begin, heading, new_author, new_book, rows
from story_declared_shapes import coordinator, new_plot
from story_odd import fits

BOTH = ["phone", "desktop"]
# A small phone, and a desktop whose window is enlarged to 200 %.
SHORT = ((320, 568), (640, 360))


@story("declared usable", "in a short window the buttons of forms and dialogs cover nothing, and stand at the end", devices=["phone"], account=None)
def short(app):
    page = begin(app)
    for width, height in SHORT:
        page.set_viewport_size({"width": width, "height": height})
        app.move("/bookshop/books/nouveau")
        heading(app, "Nouveau livre")
        save = page.get_by_role("main").get_by_role("button", name="Enregistrer")
        expect(save).not_to_be_in_viewport()
        page.get_by_label("Date de parution").focus()
        expect(save).not_to_be_in_viewport()
        save.scroll_into_view_if_needed()
        assert save.bounding_box()["height"] >= 44
        app.axe()
        app.move("/bookshop/books")
        page.get_by_role("button", name=re.compile("^Filtres…")).click()
        dialog = page.get_by_role("dialog", name="Filtres")
        shown = dialog.get_by_role("button", name=re.compile("^Voir"))
        # It opens at its beginning.
        expect(dialog.get_by_role("heading", name="Filtres")).to_be_in_viewport()
        expect(shown).not_to_be_in_viewport()
        app.axe()
        shown.scroll_into_view_if_needed()
        assert shown.bounding_box()["height"] >= 44
        shown.click()
    # Where there is room they stay in sight.
    page.set_viewport_size({"width": 390, "height": 844})
    app.move("/bookshop/books/nouveau")
    page.set_viewport_size({"width": 390, "height": 600})
    expect(page.get_by_role("main").get_by_role("button", name="Enregistrer")).to_be_in_viewport()


@story("declared usable", "what refers to a record that cannot be deleted is said, and leads to the list of it", devices=BOTH, account=None)
def referenced(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    for _ in range(2):
        new_book(app, author)
    page = app.sign_in(path=f"/bookshop/authors/{author['id']}")
    app.allow_console("409")
    heading(app, author["name"])
    page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
    dialog = page.get_by_role("alertdialog", name="Supprimer cet auteur\u202f?")
    dialog.get_by_role("button", name="Supprimer", exact=True).click()
    alert = dialog.get_by_role("alert")
    expect(alert).to_have_text("Suppression impossible\u202f: 2 livres y font référence.", timeout=20_000)
    expect(alert.get_by_role("link", name="2 livres")).to_be_focused()
    expect(dialog.get_by_role("button", name="Supprimer", exact=True)).to_have_count(0)
    app.axe()
    alert.get_by_role("link", name="2 livres").click()
    heading(app, "Livres")
    expect(page.get_by_role("main").get_by_role("status", name="Résultats")).to_have_text("2 livres")
    expect(page.get_by_role("list", name="Filtres choisis")).to_contain_text(author["name"])


@story("declared usable", "the filters of a list come back by the navigation, and by the way up from a record that was changed", devices=BOTH, account=None)
def filters_kept(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    book = new_book(app, author)
    page = app.sign_in(path=f"/bookshop/books?author_id={author['id']}")
    navigation = page.get_by_role("navigation", name="Navigation principale")
    narrowed = re.compile(f"/bookshop/books\\?author_id={author['id']}$")
    expect(rows(app, "Livres")).to_have_count(1)
    navigation.get_by_role("link", name="Auteurs").click()
    heading(app, "Auteurs")
    navigation.get_by_role("link", name="Livres").click()
    heading(app, "Livres")
    expect(page).to_have_url(narrowed)
    expect(rows(app, "Livres")).to_have_count(1)
    # Who is there already and presses it has the whole list.
    navigation.get_by_role("link", name="Livres").click()
    expect(page).to_have_url(re.compile("/bookshop/books$"))
    page.go_back()
    expect(page).to_have_url(narrowed)
    rows(app, "Livres").get_by_role("link").first.click()
    heading(app, book["title"])
    page.get_by_role("main").get_by_role("link", name="Modifier").click()
    heading(app, "Modifier le livre")
    title = new_word().capitalize()
    page.get_by_label("Titre").fill(title)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    if app.is_phone:
        page.get_by_role("main").get_by_role("link", name="Livres", exact=True).first.click()
    else:
        navigation.get_by_role("link", name="Livres").click()
    heading(app, "Livres")
    expect(page).to_have_url(narrowed)


@story("declared usable", "the domains are one press away, also on a phone, soon after the first sign-in", devices=BOTH, account=None)
def domains(app):
    app.serve(*SERVED, program="probe-server")
    app.go("/")
    page = app.page
    page.get_by_label("Adresse e-mail").fill("admin@demo.learntrack.fr")
    page.get_by_label("Mot de passe", exact=True).fill("demo-learntrack")
    page.get_by_role("button", name="Se connecter").click()
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    navigation = page.get_by_role("navigation", name="Navigation principale")
    switch = navigation.get_by_role("button", name=re.compile("^Domaine"))
    expect(switch).to_be_visible(timeout=1_500)
    box = switch.bounding_box()
    assert min(box["width"], box["height"]) >= 44, box
    app.axe()
    app.move("/profil")
    switch.click()
    page.get_by_role("dialog", name="Domaines").get_by_role("link", name="Librairie").click()
    heading(app, "Librairie")
    expect(switch).to_have_attribute("aria-label", "Domaine\u202f: Librairie")
    fits(app)


@story("declared usable", "who takes a role sees the domain that it opens at once", devices=["desktop"], account=None)
def role_opens(app):
    app.serve(*[part.replace("bookshop", "bookshop,odd,probe") for part in SERVED], program="probe-server")
    email = f"{new_word()}@demo.learntrack.fr"
    app.rpc("users.create", {"values": {"email": email, "role": "admin", "password": "demo-learntrack"}})
    page = app.sign_in(email, path="/profil")
    app.allow_console("401")
    switch = page.get_by_role("button", name=re.compile("^Domaine"))
    domain = page.get_by_role("dialog", name="Domaines").get_by_role("link", name="Jardin")
    switch.click()
    expect(page.get_by_role("dialog", name="Domaines").get_by_role("link", name="Librairie")).to_be_visible()
    expect(domain).to_have_count(0)
    page.keyboard.press("Escape")
    me = app.rpc("auth.me", account=email)
    app.move(f"/utilisateurs/{me['id']}")
    page.get_by_role("button", name="Donner un rôle…").click()
    dialog = page.get_by_role("dialog", name="Donner un rôle")
    dialog.get_by_role("combobox", name="Rôle").select_option(label="Coordinateur")
    dialog.get_by_role("button", name="Donner ce rôle").click()
    expect(page.get_by_role("list", name="Rôles")).to_contain_text("Coordinateur")
    switch.click()
    expect(domain).to_be_visible()


@story("declared usable", "a command says beforehand what it would answer", account=None)
def preview(app):
    email = coordinator(app)
    plot = new_plot(app, email)
    crop = app.rpc("crops.create", {"values": {"code": new_word(), "name": "Chou"}, "select": "{ id code }"}, email)
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}")
    page.get_by_role("button", name="Semer").click()
    dialog = page.get_by_role("dialog", name="Semer")
    dialog.get_by_role("button", name="Ajouter").click()
    dialog.get_by_label("Culture").fill(crop["code"])
    dialog.get_by_role("button", name="Voir d’abord ce que cela change").click()
    said = dialog.get_by_role("status", name="Aperçu")
    expect(said).to_contain_text("Rien ne s’y oppose. Le résultat serait\u202f:")
    expect(said.get_by_role("listitem").first).to_have_text("1 plantation")
    expect(said.get_by_role("listitem").last).to_contain_text(f"{plot['name']}, {crop['code']}")
    app.axe()
    assert app.rpc("plantings.list", {"where": {"plot_id": plot["id"]}}, email)["items"] == []
    page.keyboard.press("Escape")
    page.get_by_role("alertdialog").get_by_role("button", name="Abandonner").click()
    # A value is said by the labels of its members.
    page.get_by_role("button", name="Préparer l’inspection").click()
    dialog = page.get_by_role("dialog", name="Préparer l’inspection")
    dialog.get_by_role("button", name="Voir d’abord ce que cela change").click()
    expect(dialog.get_by_role("status", name="Aperçu").get_by_role("listitem").last).to_have_text("État\u202f: En friche")


@story("declared usable", "an element that was taken out of a list is put back, also in a dialog", devices=BOTH, account=None)
def put_back(app):
    email = coordinator(app)
    plot = new_plot(app, email, soil={"texture": "loam", "amendments": [{"what": "Compost", "doses": 5}, {"what": "Chaux", "doses": 2}]})
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}/modifier")
    heading(app, "Modifier la parcelle")
    treated = page.get_by_role("group", name="Amendements", exact=True)
    first = treated.get_by_role("group", name="Amendements 1", exact=True)
    first.get_by_label("Produit").fill("Fumier")
    first.get_by_role("button", name="Retirer").click()
    expect(treated.get_by_role("button", name="Ajouter")).to_be_focused()
    expect(first.get_by_label("Produit")).to_have_value("Chaux")
    expect(treated.get_by_role("status")).to_have_text("Amendements 1\u202f: retiré.")
    app.axe()
    fits(app)
    app.shot("put-back")
    treated.get_by_role("button", name="Annuler").click()
    # It is where it was, with what was typed.
    expect(first.get_by_label("Produit")).to_have_value("Fumier")
    expect(first.get_by_label("Produit")).to_be_focused()
    expect(treated.get_by_role("button", name="Annuler")).to_have_count(0)
    page.get_by_role("main").get_by_role("button", name="Enregistrer").click()
    heading(app, plot["name"])
    stored = app.rpc("plots.get", {"id": plot["id"], "select": "{ soil }"}, email)["soil"]["amendments"]
    assert stored == [{"what": "Fumier", "doses": 5}, {"what": "Chaux", "doses": 2}], stored
    # The way back ends by itself.
    page.get_by_role("button", name="Semer").click()
    lines = page.get_by_role("dialog", name="Semer").get_by_role("group", name="Semis", exact=True)
    lines.get_by_role("button", name="Ajouter").click()
    lines.get_by_role("button", name="Retirer").click()
    expect(lines.get_by_role("button", name="Annuler")).to_be_visible()
    expect(lines.get_by_role("button", name="Annuler")).to_have_count(0, timeout=15_000)


@story("declared usable", "a range that ends before it begins is said at its field", account=None)
def backwards(app):
    page = begin(app)
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    dialog = page.get_by_role("dialog", name="Filtres")
    most = dialog.get_by_label("Prix hors taxes, à")
    dialog.get_by_label("Prix hors taxes, de").fill("9,5")
    most.fill("5")
    most.press("Tab")
    expect(most).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("group", name="Prix hors taxes", exact=True)).to_contain_text("Donnez au moins 9,50.")
    last = dialog.get_by_label("Date de parution, au")
    dialog.get_by_label("Date de parution, du").fill("2020-01-02")
    last.fill("2019-01-02")
    last.press("Tab")
    expect(last).to_have_attribute("aria-invalid", "true")
    expect(dialog).to_contain_text("Donnez un dernier jour qui ne précède pas le premier.")
    app.axe()
    last.fill("2020-01-02")
    last.press("Tab")
    expect(last).not_to_have_attribute("aria-invalid", "true")
    most.fill("9,5")
    most.press("Tab")
    expect(most).not_to_have_attribute("aria-invalid", "true")


@story("declared usable", "a view of many columns is cards on a phone, and a table whose first column stays on a desktop", devices=BOTH, account=None)
def many_columns(app):
    page = begin(app, path="/crm/indicateurs")
    heading(app, "Indicateurs")
    if not app.is_phone:
        table = page.get_by_role("table", name="Indicateurs")
        first = table.get_by_role("rowheader")
        before = first.bounding_box()["x"]
        page.get_by_role("region", name="Indicateurs").evaluate("frame => { frame.scrollLeft = 400; }")
        assert abs(first.bounding_box()["x"] - before) < 2, "the first column has gone"
        app.assert_no_sideways_scrolling()
        app.axe()
        # The same page in a window that has become narrow.
        page.set_viewport_size({"width": 390, "height": 844})
    card = page.get_by_role("list", name="Indicateurs").get_by_role("listitem")
    expect(card).to_have_count(1)
    expect(page.get_by_role("table")).to_have_count(0)
    for label in ("Sessions", "Heures de formation", "Marge"):
        expect(card.get_by_text(label, exact=True)).to_be_visible()
    expect(card.get_by_text("Taux de marge", exact=True)).not_to_be_visible()
    app.axe()
    card.get_by_text("Plus", exact=True).click()
    expect(card.get_by_text("Taux de marge", exact=True)).to_be_visible()
    fits(app)
    app.axe()
    app.shot("row-cards")
