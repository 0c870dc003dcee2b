"""The names of front.md, from outside: the list and the record of sessions."""
import datetime
import re
import urllib.parse

from harness import expect, new_word, present_day, story
from names import NARROW, THIN, Names, filters, made, people


@story("names", "the list of sessions: search, months, filters, and its sentences")
def the_list(app):
    page, names = app.page, Names(app)
    main = page.get_by_role("main")
    names.heading("Sessions")
    names.there(page, "navigation", "Navigation principale")
    names.there(page, "status", "Synchronisation", "Résultats")
    names.check("empty", expect(page.get_by_role("status", name="Message", exact=True)).to_have_text, "")
    names.check("synchronised", expect(page.get_by_role("status", name="Synchronisation")).to_have_text, "À jour")
    names.there(main, "searchbox", "Rechercher une session")
    names.there(main, "group", "Mois")
    group = main.get_by_role("group", name="Mois")
    names.there(group, "button", "Mois précédent", "Ce mois-ci", "Mois suivant", "Tous les mois")
    months = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
    today = present_day()
    names.check("the month", expect(group).to_contain_text, f"{months[today.month - 1]} {today.year}")
    names.there(main, "link", "Nouvelle session")
    names.there(main, "button", "Actualiser")
    names.there(main, "list", "Sessions")
    if app.is_phone:
        names.absent(main, "combobox", "Formateur", "Client")
        names.absent(main, "radiogroup", "Modalité")
        names.there(main, "button", "Filtres…")
    else:
        names.absent(main, "button", "Filtres…")
    place = filters(app)
    names.there(place, "combobox", "Formateur", "Client")
    names.choice(place, "Modalité", "Toutes", "Présentiel", "Distanciel")
    names.check("all at first", expect(place.get_by_role("radio", name="Toutes")).to_be_checked)
    place.get_by_role("radio", name="Présentiel").check()
    names.check("address", expect(page).to_have_url, re.compile("modalite=P"))
    place.get_by_role("radio", name="Toutes").check()
    names.check("address", expect(page).not_to_have_url, re.compile("modalite"))
    if app.is_phone:
        page.keyboard.press("Escape")
    both = people(app)
    one = made(app, modalite="D", debut="09:30", fin="17:00", formateur_id=both["formateur_id"], client_id=both["client_id"])
    day = datetime.date.fromisoformat(one["date"])
    week = "lundi mardi mercredi jeudi vendredi samedi dimanche".split()
    trainer = app.rpc("formateurs.get", {"id": both["formateur_id"], "select": "{ nom_complet }"})["nom_complet"]
    words = (
        f"{one['module']}, {week[day.weekday()]} {'1er' if day.day == 1 else day.day} {months[day.month - 1]} {day.year}, "
        f"9 h 30 – 17 h, Distanciel, {trainer}")
    app.go(f"/sessions?mois={one['date'][:7]}&q={one['module'][-8:]}&formateur={both['formateur_id']}"
           f"&client={both['client_id']}&modalite=D")
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    names.check("the filters of the address", expect(rows).to_have_count, 1)
    names.there(rows.first, "link", words)
    names.check("one link", expect(rows.first.get_by_role("link")).to_have_count, 1)
    names.check("results", expect(page.get_by_role("status", name="Résultats")).to_have_text, "1 session")
    names.check("search", expect(page.get_by_role("searchbox")).to_have_value, one["module"][-8:])
    place = filters(app)
    names.check("trainer", expect(place.get_by_role("combobox", name="Formateur", exact=True)).to_have_value, trainer)
    names.check("remote", expect(place.get_by_role("radio", name="Distanciel")).to_be_checked)
    if app.is_phone:
        page.keyboard.press("Escape")
    names.there(main, "button", "Effacer les filtres")
    page.get_by_role("button", name="Effacer les filtres").click()
    names.check("no filters", expect(page).to_have_url, re.compile("/sessions$"))
    group.get_by_role("button", name="Mois suivant").click()
    following = (today.replace(day=1) + datetime.timedelta(days=32)).strftime("%Y-%m")
    names.check("next month", expect(page).to_have_url, re.compile(f"mois={following}"))
    names.check("next month", expect(group).to_contain_text, f"{months[int(following[5:]) - 1]} {following[:4]}")
    group.get_by_role("button", name="Ce mois-ci").click()
    names.check("this month", expect(page).to_have_url, re.compile("/sessions$"))
    group.get_by_role("button", name="Tous les mois").click()
    names.check("all months", expect(page).to_have_url, re.compile("mois=tous"))
    expect(rows.nth(30)).to_be_attached()
    total = app.rpc("sessions.list", {"count": True, "first": 1, "select": "{ id }"})["total"]
    shown = f"{total:,}".replace(",", THIN)
    names.check("all", expect(page.get_by_role("status", name="Résultats")).to_have_text, f"{shown} sessions")
    app.go("/sessions?mois=2031-02")
    names.check("empty", expect(main.get_by_text(re.compile("^Aucune session"))).to_be_visible)
    names.check("none", expect(page.get_by_role("status", name="Résultats")).to_have_text, re.compile("^0 session$|^$"))
    names.done()


@story("names", "all months show the rest of the sessions by a button", devices=["desktop"])
def more(app):
    page, names = app.page, Names(app)
    app.go("/sessions?mois=tous")
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(rows.nth(90)).to_be_attached()
    names.there(page, "button", "Afficher la suite")
    before = rows.count()
    page.get_by_role("button", name="Afficher la suite").click()
    names.check("the rest", expect(rows.nth(before)).to_be_attached)
    names.done()


@story("names", "a late answer to a search is dropped", devices=["desktop"])
def late(app):
    page, names = app.page, Names(app)
    mark = new_word()
    first, second = made(app, module=f"Tardive {mark}"), made(app, module=f"Voulue {mark}")
    held = []
    page.route("**/rpc", lambda route: held.append(route) if f"Tardive {mark}" in (route.request.post_data or "") else route.continue_())
    search = page.get_by_role("searchbox", name="Rechercher une session")
    search.fill(f"Tardive {mark}")
    page.wait_for_timeout(500)
    search.fill(f"VOULUE {mark}")
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    names.check("wanted", expect(rows).to_have_count, 1)
    names.check("wanted", expect(rows.first).to_contain_text, second["module"])
    for route in held:
        route.continue_()
    page.wait_for_timeout(800)
    names.check("still wanted", expect(rows).to_have_count, 1)
    names.check("still wanted", expect(rows.first).to_contain_text, second["module"])
    names.check("not late", expect(rows.first).not_to_contain_text, first["module"])
    names.done()


@story("names", "the record of a session: its groups, links and buttons")
def record(app):
    page, names = app.page, Names(app)
    main = page.get_by_role("main")
    one = made(
        app, lieu="12 rue de la Paix, 75002 Paris", tarif_client=1200.5, tarif_sous_traitant=400, frais_rembourser=50.5,
        ref_contrat="CT-NOMS", **people(app))
    app.go(f"/sessions/{one['id']}")
    names.heading(one["module"])
    names.there(main, "region", "Date et horaires", "Lieu", "Intervenants", "Tarifs", "Historique")
    place = main.get_by_role("region", name="Lieu", exact=True)
    names.there(place, "link", "Ouvrir dans Plans")
    href = place.get_by_role("link", name="Ouvrir dans Plans").get_attribute("href")
    names.true(f"Plans leads to {href}", re.match("https://maps.apple.com/|geo:|https://www.openstreetmap.org/", href))
    names.true(f"Plans does not name the place: {href}", "rue de la Paix" in urllib.parse.unquote_plus(href))
    names.there(main, "link", "Modifier", "Dupliquer")
    names.there(main, "button", "Partager", "Imprimer", "Supprimer")
    names.check("history", expect(main.get_by_role("region", name="Historique")).to_contain_text, re.compile(r"\w+ a créé"))
    prices = main.get_by_role("region", name="Tarifs")
    for words in (f"1{THIN}200,50{THIN}€", "Marge", f"750,00{THIN}€", "CT-NOMS"):
        names.check("prices", expect(prices).to_contain_text, words)
    names.check("modality", expect(main.get_by_text("Présentiel", exact=True).first).to_be_visible)
    names.check("hours", expect(main.get_by_role("region", name="Date et horaires")).to_contain_text, re.compile(f"9{NARROW}h – 12{NARROW}h{NARROW}30"))
    if app.is_phone:
        names.absent(page, "complementary", "Liste")
    else:
        names.there(page, "complementary", "Liste")
        aside = page.get_by_role("complementary", name="Liste")
        names.there(aside, "list", "Sessions")
        for path in (f"/sessions/{one['id']}/modifier", f"/sessions/{one['id']}/dupliquer", "/sessions/nouveau"):
            app.go(path)
            names.there(page, "complementary", "Liste")
        app.go(f"/sessions/{one['id']}")
    main.get_by_role("button", name="Supprimer", exact=True).click()
    question = page.get_by_role("alertdialog", name=f"Supprimer cette session{THIN}?", exact=True)
    names.there(question, "button", "Supprimer", "Annuler")
    names.check("focus", expect(question.get_by_role("button", name="Annuler")).to_be_focused)
    question.get_by_role("button", name="Annuler").click()
    names.check("closed", expect(question).to_have_count, 0)
    names.done()


@story("names", "the keys of the sessions", devices=["desktop"])
def keys(app):
    page, names = app.page, Names(app)
    rows = page.get_by_role("main").get_by_role("list", name="Sessions").get_by_role("link")
    expect(rows.nth(2)).to_be_visible()
    page.keyboard.press("/")
    names.check("search", expect(page.get_by_role("searchbox", name="Rechercher une session")).to_be_focused)
    page.keyboard.press("ArrowDown")
    names.check("first", expect(rows.nth(0)).to_be_focused)
    page.keyboard.press("j")
    names.check("second", expect(rows.nth(1)).to_be_focused)
    page.keyboard.press("ArrowDown")
    names.check("third", expect(rows.nth(2)).to_be_focused)
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    names.check("first again", expect(rows.nth(0)).to_be_focused)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/sessions/\d+$"))
    expect(page.get_by_role("link", name="Modifier", exact=True)).to_be_visible()
    record = page.url
    page.keyboard.press("n")
    names.heading("Nouvelle session")
    app.move(urllib.parse.urlparse(record).path)
    expect(page.get_by_role("link", name="Modifier", exact=True)).to_be_visible()
    page.keyboard.press("e")
    names.heading("Modifier la session")
    names.check("focus", expect(page.get_by_role("heading", level=1)).to_be_focused)
    app.go("/sessions")
    expect(rows.first).to_be_visible()
    page.keyboard.press("n")
    names.heading("Nouvelle session")
    page.get_by_role("heading", level=1).focus()
    page.keyboard.press("?")
    names.there(page, "dialog", "Raccourcis clavier")
    page.keyboard.press("Escape")
    page.keyboard.press("Meta+k")
    names.there(page, "dialog", "Aller à")
    names.there(page.get_by_role("dialog", name="Aller à"), "combobox", "Aller à")
    names.done()


@story("names", "printing shows the session alone", devices=["desktop"])
def printed(app):
    page, names = app.page, Names(app)
    one = made(app, lieu="Arles", tarif_client=900, **people(app))
    app.go(f"/sessions/{one['id']}")
    expect(page.get_by_role("region", name="Historique")).to_contain_text("a créé")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Imprimer", exact=True).click()
    names.true("Imprimer prints", page.evaluate("window.printed === true"))
    page.emulate_media(media="print")
    names.absent(page, "navigation", "Navigation principale")
    names.absent(page, "complementary", "Liste")
    names.absent(page, "button", "Partager", "Imprimer", "Supprimer")
    names.there(page, "region", "Date et horaires", "Lieu", "Intervenants", "Tarifs")
    names.done()


@story("names", "a session with all it may have, and a long history, is one page of A4")
def one_page(app):
    one = made(app, lieu="12 rue de la Paix, 75002 Paris", tarif_client=900, tarif_sous_traitant=300, ref_contrat="CT-A4", **people(app))
    for price in range(901, 922):
        app.rpc("sessions.update", {"id": one["id"], "values": {"tarif_client": price, "frais_rembourser": price / 10}})
    app.go(f"/sessions/{one['id']}")
    expect(app.page.get_by_role("region", name="Historique").get_by_role("listitem").first).to_be_visible()
    app.settle()
    pdf = app.page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert re.search(rb"/MediaBox\s*\[\s*0 0 59[45](\.\d+)? 84[12]", pdf), re.findall(rb"/MediaBox[^\]]*\]", pdf)


@story("names", "what fails is an alert and tries again: the record, its form, sharing")
def failing(app):
    page, names = app.page, Names(app)
    app.allow_console("Failed to load|503|ERR_FAILED")
    one = made(app, date="2031-03-04")
    main = page.get_by_role("main")

    def fail(*methods):
        page.route("**/rpc", lambda route: route.abort()
                   if any(f'"{method}"' in (route.request.post_data or "") for method in methods) else route.continue_())

    for path in ("", "/modifier"):
        fail("sessions.get", "sessions.list")
        app.go(f"/sessions/{one['id']}{path}")
        names.check(f"alert {path}", expect(main.get_by_role("alert")).to_be_visible)
        names.there(main, "button", "Réessayer")
        page.unroute("**/rpc")
        app.try_again(main)
        names.heading("Modifier la session" if path else one["module"])
        names.check(f"again {path}", expect(main.get_by_role("alert")).to_have_count, 0)
    app.go(f"/sessions/{one['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text(one["module"])
    fail("sessions.share")
    page.get_by_role("button", name="Partager", exact=True).click()
    dialog = page.get_by_role("dialog", name="Partager la session")
    names.check("alert of sharing", expect(dialog.get_by_role("alert")).to_be_visible)
    page.unroute("**/rpc")
    app.try_again(dialog)
    names.check("shared", expect(dialog.get_by_role("textbox", name="Aperçu")).not_to_have_value, "")
    names.done()


@story("names", "a tablet has a rail, the filters on the page, and no list beside a record", devices=["desktop"])
def tablet(app):
    names = Names(app)
    one = made(app)
    page = app.new_page(viewport={"width": 800, "height": 1000})
    app.sign_in(page=page)
    main = page.get_by_role("main")
    names.there(page, "navigation", "Navigation principale")
    names.there(page.get_by_role("navigation", name="Navigation principale"), "link", "Sessions", "Formateurs", "Clients", "Écoles", "Profil")
    names.there(main, "combobox", "Formateur", "Client")
    names.choice(main, "Modalité", "Toutes", "Présentiel", "Distanciel")
    names.absent(main, "button", "Filtres…")
    app.go(f"/sessions/{one['id']}", page)
    expect(main.get_by_role("heading", level=1)).to_have_text(one["module"])
    names.absent(page, "complementary", "Liste")
    app.assert_no_sideways_scrolling(page)
    names.done()
