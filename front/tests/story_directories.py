"""Trainers, clients and schools: their lists, records and forms, what administrators may do, and merging duplicates."""
import re
import uuid

from harness import RPCError, expect, new_word, present_day, press_choice, story

THIN = "\u202f"
NEW = {"formateurs": "Nouveau formateur", "clients": "Nouveau client", "ecoles": "Nouvelle école"}
HEADINGS = {"formateurs": "Formateurs", "clients": "Clients", "ecoles": "Écoles"}


def made(app, entity, select="{ id }", **values):
    return app.rpc(f"{entity}.create", {"values": values, "select": select})


def trainer(app, **values):
    return made(app, "formateurs", "{ id nom_complet version }", **{"prenom": "Zélie", "nom": new_word().capitalize(), **values})


def heading(app, text):
    expect(app.page.get_by_role("heading", name=text, level=1, exact=True)).to_be_visible()


def region(app, name):
    return app.page.get_by_role("main").get_by_role("region", name=name, exact=True)


@story("FORM-01", "the list of trainers is searched without accents, filtered by type and kept in the address", account="user")
def trainers(app):
    one = trainer(app, specialite="Vannerie", exterieur=1, societe="Les Écorces")
    page = app.page
    app.move("/formateurs")
    rows = page.get_by_role("list", name="Formateurs").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    expect(page.get_by_role("status", name="Résultats")).to_have_text(re.compile(r"^\d+ formateurs$"))
    app.axe()
    app.assert_no_sideways_scrolling()
    search = page.get_by_role("searchbox", name="Rechercher un formateur")
    search.fill(f"zelie {one['nom_complet'].split()[1].upper()}")
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("link")).to_have_accessible_name(f"{one['nom_complet']}, Vannerie, Externe")
    expect(page.get_by_role("status", name="Résultats")).to_have_text("1 formateur")
    page.get_by_role("radio", name="Internes").check()
    expect(page.get_by_text(re.compile("^Aucun formateur"))).to_be_visible()
    page.get_by_role("radio", name="Externes").check()
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("q=.*type="))
    rows.get_by_role("link").click()
    heading(app, one["nom_complet"])
    page.go_back()
    expect(rows).to_have_count(1)
    expect(search).to_have_value(re.compile("^zelie"))
    expect(page.get_by_role("link", name="Nouveau formateur")).to_have_count(0)


@story("FORM-01", "the letters of the index lead to names")
def index(app):
    for nom in ("Abadie", "Mabille", "Zola"):
        trainer(app, nom=f"{nom}{new_word()}")
    page = app.page
    app.move("/formateurs")
    letters = page.get_by_role("navigation", name="Index alphabétique").get_by_role("button")
    last = letters.filter(has_text="Z")
    # The list first has what the device knows.
    expect(last).to_be_visible()
    names = letters.all_text_contents()
    assert names == sorted(names) and {"A", "M", "Z"} <= set(names), names
    last.click()
    expect(page.get_by_role("list", name="Formateurs").get_by_role("link", name=re.compile(r" Zola")).first).to_be_in_viewport()


@story("FORM-01", "on a phone all letters are in sight and under the finger, and names are whole", devices=["phone"])
def index_on_phone(app):
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        trainer(app, prenom="Maximilienne", nom=f"{letter}abille-{new_word()}", exterieur=1)
    page = app.page
    # A phone whose browser shows its bars.
    page.set_viewport_size({"width": 390, "height": 664})
    app.move("/formateurs")
    letters = page.get_by_role("navigation", name="Index alphabétique").get_by_role("button")
    expect(letters).to_have_count(26)
    # What the status says meanwhile takes some of the room.
    expect(page.get_by_role("status", name="Synchronisation")).to_have_text("À jour")
    hit = """letters => letters.filter(letter => {
        const { left, top, width, height } = letter.getBoundingClientRect();
        return width < 24 || height < 24 || document.elementFromPoint(left + width / 2, top + height - 1) !== letter;
    }).map(letter => letter.textContent)"""
    assert letters.evaluate_all(hit) == []
    letters.filter(has_text="Z").click()
    expect(page.get_by_role("list", name="Formateurs").get_by_role("link", name="Maximilienne Zabille").first).to_be_in_viewport()
    assert letters.evaluate_all(hit) == []
    cut = "names => names.filter(name => name.checkVisibility() && name.scrollWidth > name.clientWidth).map(name => name.textContent)"
    assert page.locator(".row-title").evaluate_all(cut) == []


@story("US-20", "a user looks at the details of a trainer", account="user")
def record(app):
    one = trainer(
        app, specialite="Vannerie", exterieur=1, societe="Les Écorces", taux_horaire=62.5, nda="11755555555", email="zelie@exemple.fr",
        telephone="06 12 34 56 78", rue="3 rue des Osiers", code_postal="37000", ville="Tours")
    app.move(f"/formateurs/{one['id']}")
    heading(app, one["nom_complet"])
    expect(region(app, "Coordonnées")).to_contain_text("06 12 34 56 78")
    expect(region(app, "Informations professionnelles")).to_contain_text(re.compile(r"62,50.€"))
    expect(region(app, "Informations professionnelles")).to_contain_text("11755555555")
    expect(region(app, "Société")).to_contain_text("Les Écorces")
    expect(region(app, "Adresse")).to_contain_text("37000 Tours")
    main = app.page.get_by_role("main")
    expect(main.get_by_role("link", name="Modifier", exact=True)).to_have_count(0)
    expect(main.get_by_role("button", name="Supprimer", exact=True)).to_have_count(0)
    app.axe()
    app.assert_no_sideways_scrolling()
    app.page.emulate_media(color_scheme="dark")
    app.axe()


@story("US-21", "a user calls a trainer at a touch, or sends a message", account="user")
def call(app):
    one = trainer(app, telephone="06 12 34 56 78")
    app.move(f"/formateurs/{one['id']}")
    main = app.page.get_by_role("main")
    expect(main.get_by_role("link", name="Appeler", exact=True)).to_have_attribute("href", "tel:+33612345678")
    expect(main.get_by_role("link", name="SMS", exact=True)).to_have_attribute("href", "sms:+33612345678")
    expect(main.get_by_role("link", name="E-mail", exact=True)).to_have_count(0)


@story("US-22", "a user writes to a trainer", account="user")
def write(app):
    one = trainer(app, email="zelie+cours@exemple.fr")
    app.move(f"/formateurs/{one['id']}")
    main = app.page.get_by_role("main")
    expect(main.get_by_role("link", name="E-mail", exact=True)).to_have_attribute("href", "mailto:zelie%2Bcours@exemple.fr")
    expect(main.get_by_role("link", name="Appeler", exact=True)).to_have_count(0)


@story("US-23", "a user sees the sessions of a trainer, and plans another", account="user")
def sessions(app):
    one = trainer(app)
    for date in ("2026-03-02", "2026-05-04"):
        made(app, "sessions", module=f"Vannerie {date}", date=date, debut="09:00", fin="17:00", modalite="P", formateur_id=one["id"])
    app.move(f"/formateurs/{one['id']}")
    rows = region(app, "Sessions").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first.get_by_role("link")).to_have_accessible_name(re.compile("^Vannerie 2026-05-04, lundi 4 mai 2026, "))
    expect(region(app, "Sessions")).to_contain_text("2 sessions")
    app.page.get_by_role("main").get_by_role("link", name="Nouvelle session", exact=True).click()
    heading(app, "Nouvelle session")
    expect(app.page.get_by_role("combobox", name="Formateur")).to_have_value(one["nom_complet"])


@story("US-24", "a user opens the address of a client in the map program", account="user")
def maps(app):
    client = made(app, "clients", raison_sociale=f"Osier {new_word()}", rue="3 rue des Osiers", code_postal="37000", ville="Tours")
    app.move(f"/clients/{client['id']}")
    link = region(app, "Adresse").get_by_role("link", name="Ouvrir dans Plans")
    expect(link).to_have_attribute("href", re.compile(r"^(https://maps\.apple\.com/|https://www\.openstreetmap\.org/|geo:).*Osiers"))
    expect(link).to_have_attribute("rel", re.compile("noopener"))


@story("US-25", "an administrator adds a trainer; what is missing is said at its field")
def create(app):
    page, nom = app.page, new_word().capitalize()
    app.move("/formateurs")
    page.get_by_role("link", name="Nouveau formateur").click()
    heading(app, "Nouveau formateur")
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("2 champs à corriger")
    expect(page.get_by_label("Prénom", exact=True)).to_be_focused()
    page.get_by_label("Prénom", exact=True).fill("Zélie")
    page.get_by_label("Nom", exact=True).fill(nom)
    page.get_by_role("radio", name="Externe", exact=True).check()
    page.get_by_label("Société", exact=True).fill("Les Écorces")
    page.get_by_label("Taux horaire", exact=True).fill("62,50")
    page.get_by_label("SIRET", exact=True).fill("1234")
    app.allow_console("400|422")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_label("SIRET", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("SIRET", exact=True)).to_be_focused()
    page.get_by_label("SIRET", exact=True).fill("")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Formateur enregistré")
    heading(app, f"Zélie {nom}")
    expect(region(app, "Société")).to_contain_text("Les Écorces")
    found = app.rpc("formateurs.list", {"search": nom})["items"]
    assert [(one["taux_horaire"], one["exterieur"]) for one in found] == [(62.5, 1)], found


@story("US-26", "an administrator corrects a client, whose history says so")
def edit(app):
    client = made(app, "clients", raison_sociale=f"Osier {new_word()}", ville="Tours")
    page = app.page
    app.move(f"/clients/{client['id']}")
    page.get_by_role("main").get_by_role("link", name="Modifier", exact=True).click()
    heading(app, "Modifier le client")
    page.get_by_label("Ville", exact=True).fill("Angers")
    page.get_by_label("Adresse e-mail", exact=True).fill("accueil@osier.example")
    # Also beside the fields, where the focus is after the move.
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status", name="Message")).to_have_text("Client enregistré")
    expect(region(app, "Contact")).to_contain_text("accueil@osier.example")
    expect(region(app, "Historique")).to_contain_text(re.compile(f"Ville{THIN}: Tours → Angers"))
    expect(region(app, "Statistiques")).to_contain_text("Nombre de sessions")
    expect(region(app, "Informations fiscales")).to_be_visible()
    app.axe()
    app.assert_no_sideways_scrolling()


@story("ECO-05", "an administrator adds a school, and removes it")
def school(app):
    page, nom = app.page, f"Lycée {new_word()}"
    app.move("/ecoles")
    expect(page.get_by_role("list", name="Écoles").get_by_role("listitem").first).to_be_visible()
    page.get_by_role("link", name="Nouvelle école").click()
    heading(app, "Nouvelle école")
    page.get_by_label("Nom", exact=True).fill(nom)
    page.get_by_label("Nom du contact").fill("Anne Lenoir")
    page.get_by_label("Ville", exact=True).fill("Blois")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("École enregistrée")
    heading(app, nom)
    expect(region(app, "Contact")).to_contain_text("Anne Lenoir")
    page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
    dialog = page.get_by_role("alertdialog", name=f"Supprimer cette école{THIN}?")
    expect(dialog.get_by_role("button", name="Annuler")).to_be_focused()
    dialog.get_by_role("button", name="Supprimer", exact=True).click()
    expect(page.get_by_role("status", name="Message")).to_have_text("École supprimée")
    heading(app, "Écoles")
    # It is deleted when it cannot be taken back any more.
    assert len(app.rpc("ecoles.list", {"where": {"nom": nom}})["items"]) == 1
    app.wait_until_gone("ecoles", {"nom": nom})


@story("CLI-07", "a client with sessions stays: the dialog says how many, and leads there")
def refused(app):
    client = made(app, "clients", raison_sociale=f"Osier {new_word()}")
    for date in ("2026-03-02", "2026-05-04"):
        made(app, "sessions", module="Vannerie", date=date, debut="09:00", fin="17:00", modalite="P", client_id=client["id"])
    prospect = made(app, "prospects", raison_sociale=f"Osier {new_word()}")
    for etape in ("contacte", "proposition", "gagne"):
        app.rpc("prospects.avancer", {"id": prospect["id"], "etape": etape})
    app.rpc("prospects.convertir", {"id": prospect["id"], "client_id": client["id"]})
    page = app.page
    app.allow_console("409")
    app.move(f"/clients/{client['id']}")
    page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
    dialog = page.get_by_role("alertdialog", name=f"Supprimer ce client{THIN}?")
    dialog.get_by_role("button", name="Supprimer", exact=True).click()
    expect(dialog.get_by_role("alert")).to_have_text(f"Suppression impossible{THIN}: 2 sessions et 1 prospect y font référence.")
    expect(dialog.get_by_role("link", name="2 sessions")).to_be_focused()
    expect(dialog.get_by_role("button", name="Supprimer")).to_have_count(0)
    app.axe()
    dialog.get_by_role("link", name="2 sessions", exact=True).click()
    heading(app, "Sessions")
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem")).to_have_count(2)


@story("SESS-02", "the form of a session makes the client that is missing", devices=["desktop"])
def from_picker(app):
    page, name = app.page, f"Osier {new_word()}"
    app.move("/sessions/nouveau")
    # The list that is left has a field of this name, too.
    heading(app, "Nouvelle session")
    page.get_by_role("combobox", name="Client", exact=True).fill(name)
    page.get_by_role("option", name=re.compile(f"Créer « {name} »")).click()
    dialog = page.get_by_role("dialog", name="Nouveau client")
    expect(dialog.get_by_label("Raison sociale", exact=True)).to_have_value(name)
    app.axe()
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("combobox", name="Client", exact=True)).to_have_value(name)


@story("CLI-02", "a record beside its list on a wide screen; an unknown one says so", devices=["desktop"])
def beside(app):
    page = app.page
    app.move("/clients")
    first = page.get_by_role("list", name="Clients").get_by_role("link").first
    name = first.get_attribute("aria-label")
    first.click()
    aside = page.get_by_role("complementary", name="Liste")
    expect(aside.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
    aside.get_by_role("searchbox", name="Rechercher un client").fill("rien de tel")
    expect(aside.get_by_text(re.compile("^Aucun client"))).to_be_visible()
    app.allow_console("404")
    app.move("/clients/999999999")
    heading(app, "Client introuvable")


@story("CLI-02", "of a client's sessions the soonest stands first, with its year, then the latest", account="user")
def order(app):
    client = made(app, "clients", raison_sociale=f"Osier {new_word()}")
    year = present_day().year
    days = [f"{year + 2}-06-07", f"{year + 1}-03-04", f"{year + 1}-01-05", f"{year - 1}-05-06", f"{year - 1}-09-08"]
    for day in days:
        given = {"module": f"Vannerie du {day}", "date": day, "client_id": client["id"]}
        made(app, "sessions", debut="09:00", fin="17:00", modalite="P", **given)
    app.move(f"/clients/{client['id']}")
    rows = region(app, "Sessions").get_by_role("listitem")
    expect(rows).to_have_count(5)
    assert [re.search(r"\d{4}-\d\d-\d\d", text)[0] for text in rows.all_inner_texts()] == [days[at] for at in (2, 1, 0, 4, 3)]
    heads = region(app, "Sessions").locator(".row-group")
    expect(heads).to_have_text([f"À venir en {year + 1}", f"À venir en {year + 2}", str(year - 1)])


@story("doublons", "an administrator merges two clients that look alike; the absorbed one's address leads on")
def merge(app):
    name = f"Osier {new_word()}"
    kept = made(app, "clients", raison_sociale=name, ville="Tours")
    gone = made(app, "clients", raison_sociale=f"{name} SARL", email="accueil@osier.example")
    made(app, "sessions", module="Vannerie", date="2026-05-04", debut="09:00", fin="17:00", modalite="P", client_id=gone["id"])
    page = app.page
    app.move("/clients")
    page.get_by_role("main").get_by_role("link", name=re.compile("^Doublons")).click()
    heading(app, "Doublons")
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("button", name=f"Fusionner {name} et {name} SARL", exact=True).click()
    dialog = page.get_by_role("dialog", name="Fusionner les clients")
    expect(dialog).to_be_visible()
    app.axe()
    dialog.get_by_role("group", name="Fiche qui reste").get_by_role("radio", name=re.compile(f"^{name}(?! SARL)")).check()
    dialog.get_by_role("group", name="Raison sociale").get_by_role("radio", name=f"{name} SARL").check()
    dialog.get_by_role("button", name="Fusionner", exact=True).click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Clients fusionnés")
    heading(app, f"{name} SARL")
    row = app.rpc("clients.get", {"id": kept["id"], "select": "{ raison_sociale ville email nombre_sessions }"})
    assert row == {"raison_sociale": f"{name} SARL", "ville": "Tours", "email": "accueil@osier.example", "nombre_sessions": 1}, row
    try:
        app.rpc("clients.get", {"id": gone["id"]})
        raise AssertionError("the absorbed client is still there")
    except RPCError as error:
        assert error.data["fusionne_dans"] == kept["id"], error.data
    app.allow_console("404")
    app.move(f"/clients/{gone['id']}")
    expect(page).to_have_url(re.compile(f"/clients/{kept['id']}$"))
    heading(app, f"{name} SARL")


@story("doublons", "the number of pairs that look alike is one and the same where it leads there and where they stand")
def pairs(app):
    page, word = app.page, new_word()
    for place in "ABC":
        made(app, "clients", raison_sociale=f"Osier {word} {place}", email=f"accueil@{word}.example")
    number = app.rpc("doublons.list", {"table": "clients", "first": 1, "count": True, "select": "{ id }"})["total"]
    main = page.get_by_role("main")
    app.move("/clients")
    main.get_by_role("link", name=f"Doublons{THIN}: {number} paires de fiches semblables", exact=True).click()
    heading(app, "Doublons")
    results, cards = page.get_by_role("status", name="Résultats"), page.get_by_role("list", name="Doublons").locator(".pair")
    expect(results).to_have_text(f"{number} paires de fiches semblables")
    expect(cards).to_have_count(number)
    app.shot("pairs")
    press_choice(page.get_by_role("radio", name="Formateurs"))
    expect(main.get_by_role("link", name="Formateurs", exact=True)).to_have_attribute("href", "/formateurs")

    # More than come at once, and one of a record that the device does not know.
    def many(route):
        if '"doublons.list"' not in (route.request.post_data or ""):
            return route.fallback()
        answer = route.fetch()
        given = answer.json()
        given["result"]["total"] += 200
        given["result"]["items"][0]["autre_id"] = 999_999
        return route.fulfill(response=answer, json=given)

    page.route("**/rpc", many)
    app.go("/clients")
    main.get_by_role("link", name=f"Doublons{THIN}: {number + 199} paires de fiches semblables", exact=True).click()
    expect(results).to_have_text(f"{number + 199} paires de fiches semblables, dont voici les {number - 1} premières")
    expect(cards).to_have_count(number - 1)
    app.axe()


@story("annuaires", "a directory without records, and one that does not answer", devices=["phone"], account=None)
def failing(app):
    page = app.new_page()
    answers = {"empty": '{"jsonrpc":"2.0","id":1,"result":{"items":[],"end_cursor":null,"has_next_page":false}}'}

    def answer(route):
        body = route.request.post_data or ""
        if '"ecoles.list"' not in body or body.startswith("["):
            return route.continue_()
        if "empty" in answers:
            number = re.search(r'"id":("[^"]*"|\d+)', body)[1]
            return route.fulfill(status=200, content_type="application/json", body=answers["empty"].replace('"id":1', f'"id":{number}'))
        return route.fulfill(status=500, content_type="text/plain", body="broken")

    page.route("**/rpc", answer)
    app.sign_in("admin", page)
    app.move("/ecoles", page)
    expect(page.get_by_text("Aucune école pour le moment.")).to_be_visible()
    app.axe(page)
    app.close()
    answers.clear()
    app.allow_console("500")
    other = app.new_page()
    other.route("**/rpc", answer)
    app.sign_in("admin", other)
    app.move("/ecoles", other)
    expect(other.get_by_role("alert")).to_be_visible()
    expect(other.get_by_role("button", name="Réessayer")).to_be_visible()
    app.axe(other)
    other.unroute("**/rpc")
    app.try_again(other)
    expect(other.get_by_role("list", name="Écoles").get_by_role("listitem").first).to_be_visible()


@story("directories", "a page that is opened again at once shows its rows without taking them away", account=None)
def opened_again(app):
    app.sign_in()
    # The device's copy begins, and has no directory yet.
    app.page.wait_for_timeout(500)
    app.page.add_init_script("""
        window.counts = [];
        setInterval(() => window.counts.push(document.querySelectorAll("main li.row-item, .beside li.row-item").length), 40);
    """)
    app.go("/formateurs")
    app.page.wait_for_timeout(3_000)
    counts = app.page.evaluate("window.counts")
    first = next((at for at, count in enumerate(counts) if count > 0), None)
    assert first is not None and min(counts[first:]) > 0, f"rows at each moment: {counts}"


@story("directories", "a record that is opened by its address stays where it was painted", devices=("desktop",))
def opened_by_address(app):
    app.page.add_init_script("""
        window.shift = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((one) => { window.shift += one.value; }))
            .observe({ type: "layout-shift", buffered: true });
    """)
    for path in ("/formateurs/1", "/clients/1", "/sessions/1", "/sessions/1/modifier", "/prospects"):
        app.go(path)
        app.page.wait_for_timeout(2_000)
        shift = app.page.evaluate("window.shift")
        assert shift <= 0.05, f"{path} moved by {shift}"


@story("FORM-01", "the index passes no screens that cannot be drawn", devices=["desktop"], account=None)
def far_letters(app):
    page = app.sign_in(page=app.new_page(reduced_motion="no-preference", viewport={"width": 1280, "height": 240}))
    app.move("/clients")
    page.evaluate("""() => {
        const scroll = Element.prototype.scrollIntoView;
        window.moves = [];
        Element.prototype.scrollIntoView = function (options) { window.moves.push(options.behavior); scroll.call(this, options); };
    }""")
    letters = page.get_by_role("navigation", name="Index alphabétique").get_by_role("button")
    expect(letters.first).to_be_visible()
    letters.last.click()
    expect(page.get_by_role("list", name="Clients").locator("li").last).to_be_in_viewport()
    assert page.evaluate("window.moves") == ["auto"], page.evaluate("window.moves")


@story("FORM-01", "the palette, pickers and the lists of prospects, programmes and users offer what is near")
def near_everywhere(app):
    page, suffix = app.page, new_word()
    app.rpc("prospects.create", {"values": {"raison_sociale": f"Vermicelle {suffix}"}})
    app.rpc("programmes.create", {"values": {"intitule": f"Vermicelle {suffix}"}})
    client = app.rpc("clients.create", {"values": {"raison_sociale": f"Tabatière {suffix}", "telephone": "06 39 98 07 41"}, "select": "{ id }"})
    main = page.get_by_role("main")
    for path, label in (("/prospects", "Rechercher un prospect"), ("/programmes", "Rechercher un programme")):
        app.move(path)
        main.get_by_role("searchbox", name=label).fill(f"vermiclle {suffix}")
        expect(main.get_by_role("link", name=f"Vermicelle {suffix}", exact=True)).to_be_visible()
        expect(main).to_contain_text("Vouliez-vous dire")
    app.move("/utilisateurs")
    main.get_by_role("searchbox", name="Rechercher un utilisateur").fill("cliare")
    expect(main).to_contain_text("Vouliez-vous dire")
    app.move("/sessions/nouveau")
    picker = page.get_by_role("combobox", name="Client", exact=True)
    picker.fill(f"tabatirèe {suffix}")
    expect(page.get_by_role("option", name=f"Tabatière {suffix}")).to_be_visible()
    expect(page.get_by_role("option", name=re.compile("^Créer"))).to_be_visible()
    page.get_by_role("option", name=f"Tabatière {suffix}").click()
    expect(picker).to_have_value(f"Tabatière {suffix}")
    app.go("/sessions")
    expect(main.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    page.keyboard.press("Control+k")
    palette = page.get_by_role("combobox", name="Aller à")
    for typed in ("98 07 41", f"tabatirèe {suffix}"):
        palette.fill(typed)
        expect(page.get_by_role("option", name=f"Tabatière {suffix}")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("Ces fiches s’en approchent.")
    app.axe()
    app.shot("palette-near")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{app.url}/clients/{client['id']}")


@story("FORM-01", "a press on an option counts when an answer makes the list anew meanwhile", devices=["desktop"])
def press_kept(app):
    page, word = app.page, new_word()
    made(app, "clients", raison_sociale=f"Abricot {word}")
    app.move("/sessions/nouveau")
    # The list that is left has a field of this name, too.
    heading(app, "Nouvelle session")
    picker = page.get_by_role("combobox", name="Client", exact=True)
    picker.fill(word)
    option = page.get_by_role("option", name=f"Abricot {word}")
    expect(option).to_be_visible()
    option.hover()
    page.mouse.down()
    made(app, "clients", raison_sociale=f"Zeste {word}")
    expect(page.get_by_role("option", name=f"Zeste {word}")).to_be_visible()
    page.mouse.up()
    expect(picker).to_have_value(f"Abricot {word}")


@story("FORM-01", "pickers find what lists find, by a contact or a number too, and every search takes Saint and St for one word")
def same_search(app):
    page, word = app.page, new_word()
    number = "05 " + " ".join(str(uuid.uuid4().int % 1_000_000).rjust(6, "4")[at:at + 2] for at in (0, 2, 4)) + " 36"
    client, school = f"Brasserie Saint-{word}", f"Collège Ste {word}"
    row = made(app, "clients", raison_sociale=client, telephone=number, nom_contact=f"Odile {word}x")
    made(app, "ecoles", nom=school)
    main = page.get_by_role("main")
    results = page.get_by_role("status", name="Résultats")
    for path, one, searches in (
            ("/clients", "client", (f"st {word}", f"St-{word}", f"st. {word}", f"saint {word}")),
            ("/ecoles", "école", (f"sainte {word}", f"sainte-{word}", f"ste {word}"))):
        app.move(path)
        search = main.get_by_role("searchbox", name=re.compile(f" {one}$"))
        for typed in searches:
            # The number of the last search stands until the next one is made.
            search.fill("zzz")
            expect(results).to_have_text(f"0 {one}")
            search.fill(typed)
            expect(results).to_have_text(f"1 {one}")
    app.move("/sessions/nouveau")
    field = page.get_by_role("combobox", name="Client", exact=True)
    for typed in (number, number[3:], number.replace(" ", ""), f"odile {word}x", f"st {word}"):
        field.fill(typed)
        expect(page.get_by_role("option").first).to_have_text(client)
    app.shot("picker-number")
    page.get_by_role("option", name=client).click()
    expect(field).to_have_value(client)
    page.get_by_role("combobox", name="École", exact=True).fill(f"sainte {word}")
    expect(page.get_by_role("option", name=school)).to_be_visible()
    app.go("/sessions")
    expect(main.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Aller à").fill(f"st {word}")
    expect(page.get_by_role("option", name=client)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{app.url}/clients/{row['id']}")


@story("FORM-01", "a search finds digits of a telephone number, and offers what is near when it finds nothing")
def forgiving_search(app):
    page, word = app.page, new_word()
    app.rpc("clients.create", {"values": {"raison_sociale": f"Tranquilport {word}", "telephone": "06 39 98 05 36"}})
    app.move("/clients")
    search = page.get_by_role("searchbox", name="Rechercher un client")
    for typed in (f"9805 {word}", f"98 05 36 {word}"):
        search.fill(typed)
        expect(page.get_by_role("status", name="Résultats")).to_have_text("1 client")
    # A number as a whole is one, however its digits are grouped.
    number = "05 " + " ".join(str(uuid.uuid4().int % 1_000_000).rjust(6, "4")[at:at + 2] for at in (0, 2, 4)) + " 36"
    app.rpc("clients.create", {"values": {"raison_sociale": f"Numérotée {word}", "telephone": number}})
    digits = number.replace(" ", "")
    for typed in (number, digits, digits[2:], number[3:], f"+33{digits[1:]}", f"0033 {digits[1:]}", number.replace(" ", ".")):
        search.fill(typed)
        expect(page.get_by_role("status", name="Résultats")).to_have_text("1 client")
    # Several resemble it: the word itself is a search, too.
    app.rpc("clients.create", {"values": {"raison_sociale": f"Tranquilport {word} Nord"}})
    search.fill(f"tranqiulport {word}")
    expect(page.get_by_role("main")).to_contain_text("Vouliez-vous dire")
    app.shot("near-clients")
    page.get_by_role("button", name=f"tranquilport {word}").click()
    expect(page.get_by_role("status", name="Résultats")).to_have_text("2 clients")
    page.get_by_role("main").get_by_role("link", name=f"Tranquilport {word}", exact=True).click()
    expect(page.get_by_role("heading", name=f"Tranquilport {word}", level=1)).to_be_visible()
    module = f"Comptabilite{word}"
    app.rpc("sessions.create", {"values": {
        "module": module, "date": "2031-05-12", "debut": "09:00", "fin": "17:00", "modalite": "D"}})
    app.move("/sessions?mois=2031-05")
    # A pause while one types has found nothing either.
    page.get_by_role("searchbox", name="Rechercher une session").fill("Zzz")
    expect(page.get_by_role("main")).to_contain_text("Aucune session ne correspond")
    page.get_by_role("searchbox", name="Rechercher une session").fill(f"Comtpabilite{word}")
    near = page.get_by_role("main").get_by_role("link", name=re.compile(f"^{module}"))
    expect(near).to_be_visible()
    # Sessions of a client whose name resembles the search say it, and stand by their dates.
    client = app.rpc("clients.create", {"values": {"raison_sociale": f"Charpenterie{word}"}, "select": "{ id }"})["id"]
    for day in (21, 5, 13):
        app.rpc("sessions.create", {"values": {
            "module": "Anglais", "date": f"2031-05-{day:02}", "debut": "09:00", "fin": "17:00", "modalite": "D", "client_id": client}})
    page.get_by_role("searchbox", name="Rechercher une session").fill(f"Charpetnerie{word}")
    offers = page.locator(".near").get_by_role("link")
    expect(offers).to_have_text([f"Anglais, Charpenterie{word}, {day} mai 2031" for day in (5, 13, 21)])
    app.shot("near-sessions")
    app.axe()
