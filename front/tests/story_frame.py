"""The frame of the screens: navigation, the way back, keys, dialogs, statuses; the account and its administration."""
import re
import time
from datetime import datetime, timedelta, timezone

from harness import expect, new_word, press_choice, story

NAVIGATION = "Navigation principale"


def navigation(app):
    return app.page.get_by_role("navigation", name=NAVIGATION)


def heading(app, name=None):
    found = app.page.get_by_role("heading", level=1)
    if name:
        expect(found).to_have_text(name)
    return found


def rows(app, name):
    return app.page.get_by_role("list", name=name, exact=True).get_by_role("listitem")


def active(app):
    """The element that has the focus, as its name or text."""
    return app.page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")


@story("frame", "the navigation leads to the screens, says where one is, and moves the focus to the heading")
def moves(app):
    for name in ["Formateurs", "Clients", "Écoles", "Profil", "Sessions"]:
        navigation(app).get_by_role("link", name=name, exact=True).click()
        expect(heading(app, name)).to_be_focused()
        expect(navigation(app).get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
        expect(app.page).to_have_title(f"{name} · LearnTrack")
        expect(navigation(app).locator("[aria-current]")).to_have_count(1)


@story("frame", "phones have five places; desktops have all, and administrators two more")
def places(app):
    names = ["Sessions", "Formateurs", "Clients", "Écoles", "Profil"]
    if not app.is_phone:
        names = ["Sessions", "Calendrier", "Tableau de bord", "Formateurs", "Clients", "Écoles", "Utilisateurs", "Journal", "Profil"]
    expect(navigation(app).get_by_role("link")).to_have_text(names)
    app.move("/profil")
    if app.is_phone:
        for name in ["Calendrier", "Tableau de bord", "Utilisateurs", "Journal"]:
            expect(app.page.get_by_role("main").get_by_role("link", name=name, exact=True)).to_be_visible()


@story("frame", "members do not see what administrators do", account="user")
def members(app):
    app.move("/profil")
    heading(app, "Profil")
    for name in ["Utilisateurs", "Journal"]:
        expect(app.page.get_by_role("link", name=name, exact=True)).to_have_count(0)
    app.move("/journal")
    heading(app, "Page introuvable")


@story("frame", "the skip link is the first stop and leads to the content", devices=["desktop"], account=None)
def skip(app):
    app.go("/connexion")
    heading(app, "Connexion")
    app.page.keyboard.press("Tab")
    expect(app.page.get_by_role("link", name="Aller au contenu")).to_be_focused()
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_role("main")).to_be_focused()


@story("frame", "going back restores the filters, the scroll and the focus of a list")
def back(app):
    app.move("/sessions?mois=tous")
    expect(rows(app, "Sessions").nth(60)).to_be_attached()
    row = rows(app, "Sessions").nth(40).get_by_role("link")
    row.scroll_into_view_if_needed()
    top = "link => link.getBoundingClientRect().top"
    name, before = row.get_attribute("aria-label"), row.evaluate(top)
    row.evaluate("link => { link.focus({ preventScroll: true }); link.click(); }")
    expect(app.page).to_have_url(re.compile(r"/sessions/\d+$"))
    # The label has further parts after the name, which may contain a comma.
    expect(heading(app)).to_have_text(re.compile("^" + re.escape(name.split(", ")[0])))
    expect(heading(app)).to_be_focused()
    assert app.page.evaluate("scrollY") == 0
    app.page.go_back()
    expect(app.page).to_have_url(re.compile("mois=tous"))
    expect(app.page.get_by_role("link", name=name, exact=True).first).to_be_focused()
    app.page.wait_for_timeout(200)
    after = app.page.get_by_role("link", name=name, exact=True).first.evaluate(top)
    assert app.page.evaluate("scrollY") > 500
    assert abs(after - before) < 8, f"the row was at {before} px and is at {after} px"


@story("frame", "beside a record stands its list, which stays when one goes to the next record", devices=["desktop"])
def beside(app):
    app.move("/formateurs")
    rows(app, "Formateurs").nth(2).get_by_role("link").click()
    aside = app.page.get_by_role("complementary", name="Liste")
    expect(aside).to_be_visible()
    aside.evaluate("aside => aside.setAttribute('data-kept', '')")
    link = aside.get_by_role("list", name="Formateurs").get_by_role("link").nth(4)
    link.click()
    expect(link).to_have_attribute("aria-current", "page")
    expect(aside).to_have_attribute("data-kept", "")
    for path, name in (("utilisateurs", "Utilisateurs"), ("prospects", "Prospects")):
        app.move(f"/{path}/nouveau")
        link = rows(app, name).nth(1).get_by_role("link")
        link.click()
        expect(app.page).to_have_url(re.compile(rf"/{path}/\d+$"))
        expect(aside.get_by_role("list", name=name).get_by_role("link").nth(1)).to_have_attribute("aria-current", "page")
        app.axe()


@story("frame", "a form that is left with changes asks, by a link and by the way back")
def guarded(app):
    app.move("/clients")
    app.page.get_by_role("link", name="Nouveau client").click()
    app.page.get_by_label("Raison sociale").fill("Imprimerie du Port")
    question = app.page.get_by_role("alertdialog", name=re.compile("Abandonner les modifications"))
    app.page.go_back()
    # What is done stands first, as in every form.
    expect(question.get_by_role("button")).to_have_text(["Abandonner", "Continuer la saisie"])
    app.page.get_by_role("button", name="Continuer la saisie").click()
    expect(app.page).to_have_url(re.compile("/clients/nouveau$"))
    expect(app.page.get_by_label("Raison sociale")).to_have_value("Imprimerie du Port")
    navigation(app).get_by_role("link", name="Profil").click()
    app.page.get_by_role("button", name="Abandonner").click()
    heading(app, "Profil")


@story("keys", "a list is walked by keys, from its search to a record and its form", devices=["desktop"])
def keys(app):
    app.move("/formateurs")
    expect(rows(app, "Formateurs").first).to_be_visible()
    app.page.keyboard.press("/")
    expect(app.page.get_by_role("searchbox", name="Rechercher un formateur")).to_be_focused()
    app.page.keyboard.press("ArrowDown")
    expect(rows(app, "Formateurs").nth(0).get_by_role("link")).to_be_focused()
    app.page.keyboard.press("j")
    app.page.keyboard.press("ArrowDown")
    expect(rows(app, "Formateurs").nth(2).get_by_role("link")).to_be_focused()
    app.page.keyboard.press("k")
    expect(rows(app, "Formateurs").nth(1).get_by_role("link")).to_be_focused()
    app.page.keyboard.press("Enter")
    expect(app.page).to_have_url(re.compile(r"/formateurs/\d+$"))
    expect(heading(app)).to_be_focused()
    app.page.keyboard.press("e")
    heading(app, "Modifier le formateur")
    app.move("/formateurs")
    # The list beside the form has the same name: the screen is there when its heading has the focus.
    expect(heading(app, "Formateurs")).to_be_focused()
    app.page.keyboard.press("n")
    heading(app, "Nouveau formateur")


@story("keys", "? shows the keys, which can be switched off", devices=["desktop"])
def shortcuts(app):
    app.page.keyboard.press("?")
    dialog = app.page.get_by_role("dialog", name="Raccourcis clavier")
    expect(dialog).to_be_visible()
    app.axe()
    app.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    app.move("/profil")
    app.page.get_by_role("switch", name="Raccourcis à une touche").uncheck()
    heading(app).focus()
    app.page.keyboard.press("?")
    app.page.wait_for_timeout(300)
    expect(dialog).to_have_count(0)


@story("keys", "Ctrl K goes to a page and to a record, without accents", devices=["desktop"])
def palette(app):
    dialog = app.page.get_by_role("dialog", name="Aller à")
    app.page.keyboard.press("Control+k")
    field = dialog.get_by_role("combobox")
    expect(field).to_be_focused()
    field.press_sequentially("ecol")
    expect(dialog.get_by_role("option").first).to_have_text("Écoles")
    app.axe()
    app.page.keyboard.press("Enter")
    heading(app, "Écoles")
    name = app.rpc("formateurs.list", {"first": 1, "select": "{ nom_complet }"})["items"][0]["nom_complet"]
    app.page.keyboard.press("Control+k")
    field.fill(name)
    found = dialog.get_by_role("option", name=name).first
    # It stays while the sessions come, and while one types on: a press on it that began before is a click.
    found.evaluate("option => option.setAttribute('data-kept', '')")
    app.settle()
    field.press("Space")
    app.settle()
    expect(found).to_have_attribute("data-kept", "")
    found.click()
    heading(app, name)
    one = app.rpc("prospects.create", {"values": {"raison_sociale": f"Palette {new_word()}"}, "select": "{ raison_sociale }"})
    for typed, label in (("prospe", "Prospects"), ("doubl", "Doublons"), ("nouvel ut", "Nouvel utilisateur"), (one["raison_sociale"], one["raison_sociale"])):
        app.page.keyboard.press("Control+k")
        field.fill(typed)
        expect(dialog.get_by_role("option").first).to_contain_text(label)
        app.page.keyboard.press("Escape")


@story("frame", "without a network it says so, shows what it knows, and waits with what one writes")
def offline(app):
    sync = app.page.get_by_role("status", name="Synchronisation")
    expect(sync).to_have_text("À jour")
    app.move("/sessions")
    expect(rows(app, "Sessions").first).to_be_visible()
    app.move("/attente")
    heading(app, "Modifications en attente")
    app.move("/sessions")
    app.offline()
    app.page.get_by_role("button", name="Actualiser").click()
    expect(sync).to_have_text("Hors connexion")
    expect(rows(app, "Sessions").first).to_be_visible()
    app.offline(False)
    expect(sync).to_have_text("À jour", timeout=30_000)


@story("profile", "the theme and the density are kept on the device")
def theme(app):
    app.move("/profil")
    heading(app, "Profil")
    body = app.page.locator("body")
    light = app.page.evaluate("getComputedStyle(document.body).backgroundColor")
    press_choice(app.page.get_by_role("radiogroup", name="Thème").get_by_role("radio", name="Sombre"))
    expect(body).not_to_have_css("background-color", light)
    app.axe()
    press_choice(app.page.get_by_role("radiogroup", name="Densité").get_by_role("radio", name="Compacte"))
    app.go("/connexion")
    expect(app.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(app.page.locator("html")).to_have_attribute("data-density", "compact")


@story("frame", "each of two forms asks before it is left, also after going back from one to the other", devices=["desktop"])
def guarded(app):
    page = app.page
    app.move("/clients/nouveau")
    heading(app, "Nouveau client")
    app.move("/ecoles/nouveau")
    heading(app, "Nouvelle école")
    page.go_back()
    heading(app, "Nouveau client")
    page.get_by_label("Raison sociale", exact=True).fill("Atelier")
    app.move("/sessions")
    expect(page.get_by_role("alertdialog", name="Abandonner les modifications")).to_be_visible()


@story("profile", "the theme of the system is followed while the app is open", devices=["desktop"])
def system_theme(app):
    for scheme in ("dark", "light"):
        app.page.emulate_media(color_scheme=scheme)
        expect(app.page.locator("html")).to_have_attribute("data-theme", scheme)


@story("US-03", "a user signs out, and the next page asks who one is")
def sign_out(app):
    app.move("/profil")
    app.page.get_by_role("button", name="Se déconnecter").click()
    heading(app, "Connexion")
    app.go("/sessions")
    heading(app, "Connexion")
    expect(navigation(app)).to_have_count(0)


@story("profile", "the password is changed, with the server's messages at the fields", account=None)
def change_password(app):
    address = f"mot-de-passe-{time.time_ns()}@exemple.fr"
    app.rpc("users.create", {"values": {"email": address, "password": "demo-learntrack"}})
    app.sign_in(address)
    app.move("/profil")
    app.page.get_by_role("button", name="Changer le mot de passe").click()
    dialog = app.page.get_by_role("dialog", name="Changer le mot de passe")
    dialog.get_by_label("Mot de passe actuel").fill("demo-learntrack")
    dialog.get_by_label("Nouveau mot de passe").fill("court")
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog.get_by_role("alert")).to_contain_text("1 champ à corriger")
    expect(dialog.get_by_label("Nouveau mot de passe")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Nouveau mot de passe").fill("un mot de passe bien plus long")
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog).to_have_count(0)
    expect(app.page.get_by_role("status", name="Message")).to_contain_text("Mot de passe changé")


@story("profile", "another device is signed out from the profile", devices=["desktop"], account=None)
def devices(app):
    address = f"appareils-{time.time_ns()}@exemple.fr"
    app.rpc("users.create", {"values": {"email": address, "password": "demo-learntrack"}})
    app.sign_in(address)
    other = app.new_page(user_agent="Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605 Safari/604")
    app.sign_in(address, other)
    app.move("/profil")
    entries = app.page.get_by_role("list", name="Appareils connectés").get_by_role("listitem")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("Cet appareil")
    expect(entries.nth(1)).to_contain_text("Safari sur iPhone")
    # The other device learns it from the service.
    app.allow_console("401")
    entries.nth(1).get_by_role("button").click()
    expect(app.page.get_by_role("status", name="Message")).to_have_text("Appareil déconnecté")
    expect(entries).to_have_count(1)


@story("users", "an administrator adds an account, and takes its rights")
def users(app):
    address = f"nouvelle-{app.device}-{time.time_ns()}@exemple.fr"
    app.move("/utilisateurs")
    app.page.get_by_role("link", name="Nouvel utilisateur").click()
    heading(app, "Nouvel utilisateur")
    app.page.get_by_role("button", name="Enregistrer").click()
    expect(app.page.get_by_label("Adresse e-mail")).to_be_focused()
    app.page.get_by_label("Adresse e-mail").fill(address)
    app.page.get_by_label("Nom d’utilisateur").fill("Nouvelle Venue")
    press_choice(app.page.get_by_role("radiogroup", name="Rôle").get_by_role("radio", name="Administrateur"))
    app.page.get_by_role("button", name="Enregistrer").click()
    expect(app.page.get_by_role("status", name="Message")).to_have_text("Utilisateur enregistré")
    app.page.get_by_role("searchbox", name="Rechercher un utilisateur").fill(address)
    entry = app.page.get_by_role("link", name=f"Nouvelle Venue, {address}, Administrateur")
    expect(rows(app, "Utilisateurs")).to_have_count(1)
    entry.click()
    app.page.get_by_role("button", name="Renvoyer l’invitation").click()
    expect(app.page.get_by_role("main")).to_contain_text("Un lien pour choisir un mot de passe lui est envoyé.")
    app.page.get_by_label("Compte actif").uncheck()
    app.page.get_by_role("button", name="Enregistrer").click()
    # The message of the first time may still stand there.
    heading(app, "Utilisateurs")
    expect(app.page.get_by_role("status", name="Message")).to_have_text("Utilisateur enregistré")
    found = app.rpc("users.list", {"where": {"email": address}})["items"][0]
    assert (found["role"], found["is_active"]) == ("admin", False), found


@story("envois", "what has not left says why, and is sent again")
def outgoing(app):
    page = app.page
    session = app.rpc("sessions.create", {"values": {
        "module": f"Annoncée {app.device}", "date": "2031-06-02", "debut": "09:00", "fin": "12:00", "modalite": "D"}})
    # The demo's webhook is at an address that does not exist.
    app.rpc("sessions.annoncer", {"id": session["id"]})

    def stored():
        return app.rpc("outbox.list", {"where": {"kind": "sessions.annonce", "record_id": session["id"]}})["items"][0]

    end = time.monotonic() + 20
    while stored()["failures"] == 0:
        assert time.monotonic() < end, stored()
        page.wait_for_timeout(100)
    app.move("/utilisateurs")
    expect(page.get_by_role("link", name="Envois")).to_be_visible()
    # Administrators are told of it without looking for it.
    app.move("/tableau-de-bord")
    page.get_by_role("link", name=re.compile(r"\d envois? n’est pas parti|\d envois ne sont pas partis")).click()
    heading(app, "Envois en attente")
    entry = page.get_by_role("list", name="Envois").get_by_role("listitem").first
    expect(entry).to_contain_text("Annonce d’une session")
    expect(entry).to_contain_text("Les réglages ne permettent pas cet envoi. Le site n’est pas l’un de ceux que le réglage --outgoing-hosts permet.")
    app.axe()
    # What was not tried, because the server is known to refuse, does not leave in a moment either.
    def untried(route):
        if "outbox.list" not in (route.request.post_data or ""):
            return route.fallback()
        answer = route.fetch()
        given = answer.json()
        for one in given["result"]["items"]:
            one |= {"failures": 0, "cause": "login", "gave_up_at": None, "last_error": noted}
        return route.fulfill(response=answer, json=given)

    page.route("**/rpc", untried)
    noted = "Weird server reply"
    app.go("/envois")
    expect(entry).to_contain_text("Détail technique\u202f: «\u00a0Weird server reply\u00a0».")
    expect(entry.locator("[lang=en]")).to_have_text(noted)
    noted = "Login denied, its reply was 535 5.7.8"
    app.go("/envois")
    expect(entry).to_contain_text("Le serveur de messagerie refuse l’identifiant. Réponse du serveur de messagerie\u202f: 535 5.7.8.")
    app.assert_no_sideways_scrolling()
    app.shot("envois")
    expect(entry).to_contain_text("Prochain essai")
    expect(entry.get_by_role("button", name=re.compile("^Renvoyer"))).to_be_visible()
    page.unroute("**/rpc")
    app.go("/envois")
    expect(entry).to_contain_text("Les réglages ne permettent pas cet envoi.")
    # The service tries again by itself, and what is under way is not sent twice.
    end = time.monotonic() + 30
    while datetime.fromisoformat(stored()["not_before"]) < datetime.now(timezone.utc) + timedelta(seconds=3):
        assert time.monotonic() < end, stored()
        page.wait_for_timeout(100)
    attempts = stored()["attempts"]
    entry.get_by_role("button", name=re.compile("^Renvoyer")).click()
    expect(page.get_by_role("status", name="Message")).to_have_text("L’envoi repart")
    end = time.monotonic() + 20
    while stored()["attempts"] == attempts:
        assert time.monotonic() < end, stored()
        page.wait_for_timeout(100)


@story("journal", "what was done is read in words, and filtered")
def journal(app):
    made = app.rpc("ecoles.create", {"values": {"nom": f"École du Journal {app.device}"}})
    app.rpc("ecoles.update", {"id": made["id"], "values": {"ville": "Nîmes"}})
    app.move("/journal?fiche=ecoles&action=update")
    entry = app.page.get_by_role("listitem").filter(has_text=f"École du Journal {app.device}").first
    expect(entry).to_contain_text("a modifié l’école")
    expect(entry).to_contain_text("Ville")
    expect(entry).to_contain_text("Nîmes")
    app.page.get_by_label("Action").select_option(label="Suppressions")
    expect(app.page).to_have_url(re.compile("action=delete"))
    app.axe()
    app.page.go_back()
    app.move("/journal?fiche=ecoles&action=update")
    entry.get_by_role("link").click()
    heading(app, made["nom"])


@story("journal", "authors of the same name are told apart by their addresses", devices=["desktop"])
def authors(app):
    addresses = [f"{new_word()}@exemple.fr" for _ in range(2)]
    for email in addresses:
        app.rpc("users.create", {"values": {"email": email, "username": "Dominique Martin", "role": "user", "is_active": True}})
    app.move("/journal")
    options = app.page.get_by_label("Par").get_by_role("option")
    for email in addresses:
        expect(options.filter(has_text=email)).to_have_text(f"Dominique Martin ({email})")
    expect(options.filter(has_text="Claire Administratrice")).to_have_text("Claire Administratrice")


@story("frame", "an address that is no screen says so, and leads on")
def unknown(app):
    for path, name in (("/sessions/99999999999999999999", "Session introuvable"), ("/nulle-part", "Page introuvable")):
        app.move("/sessions")
        heading(app, "Sessions")
        app.move(path)
        heading(app, name)
    app.axe()
    app.page.get_by_role("link", name="Voir les sessions").click()
    heading(app, "Sessions")


@story("frame", "a confirmation keeps the focus on the harmless answer and gives it back")
def confirmation(app):
    school = app.rpc("ecoles.create", {"values": {"nom": "École à garder"}})
    app.move(f"/ecoles/{school['id']}")
    button = app.page.get_by_role("button", name="Supprimer")
    button.click()
    dialog = app.page.get_by_role("alertdialog", name=re.compile("Supprimer cette école"))
    expect(dialog.get_by_role("button", name="Annuler")).to_be_focused()
    expect(dialog.get_by_role("button")).to_have_text(["Supprimer", "Annuler"])
    app.axe()
    app.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()


def history_over(app, *paths):
    """Goes through these pages, so that Back has somewhere to go."""
    for path in paths:
        app.move(path)
        expect(app.page).to_have_url(app.url + path)


@story("history", "Back closes the filters and keeps what was chosen; then it leaves the list, once", devices=["phone"])
def back_filters(app):
    page = app.page
    history_over(app, "/clients", "/sessions")
    button = page.get_by_role("button", name="Filtres…")
    dialog = page.get_by_role("dialog", name="Filtres")
    button.click()
    press_choice(dialog.get_by_role("radio", name="Distanciel"))
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    expect(page).to_have_url(re.compile(r"/sessions\?modalite=D$"))
    # Closed by its own button, it leaves nothing behind, neither for Back nor for Forward.
    button.click()
    dialog.get_by_role("button", name="Afficher les sessions").click()
    expect(dialog).to_have_count(0)
    page.go_forward()
    expect(page).to_have_url(re.compile(r"/sessions\?modalite=D$"))
    expect(dialog).to_have_count(0)
    page.wait_for_function("() => history.state.over !== true")
    page.go_back()
    heading(app, "Clients")


@story("history", "Back closes a dialog, also on a page that was loaded again; Escape and Back leave the page once")
def back_dialogs(app):
    page = app.page
    session = app.rpc("sessions.list", {"first": 1, "select": "{ id module }"})["items"][0]
    history_over(app, "/clients", f"/sessions/{session['id']}")
    button = page.get_by_role("button", name="Partager")
    dialog = page.get_by_role("dialog", name="Partager la session")
    button.click()
    expect(dialog).to_be_visible()
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    heading(app, session["module"])
    button.click()
    expect(dialog).to_be_visible()
    page.reload()
    heading(app, session["module"])
    expect(dialog).to_have_count(0)
    button.click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.go_back()
    heading(app, "Clients")


@story("history", "Back answers a confirmation with its cancel; a deletion leads to the list, and Back from there behind the record")
def back_confirmation(app):
    page = app.page
    school = app.rpc("ecoles.create", {"values": {"nom": f"École du retour {app.device}"}})
    history_over(app, "/profil", f"/ecoles/{school['id']}")
    button = page.get_by_role("main").get_by_role("button", name="Supprimer")
    dialog = page.get_by_role("alertdialog", name=re.compile("Supprimer cette école"))
    button.click()
    expect(dialog).to_be_visible()
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    heading(app, school["nom"])
    assert app.rpc("ecoles.list", {"where": {"id": school["id"]}})["items"]
    button.click()
    dialog.get_by_role("button", name="Supprimer").click()
    heading(app, "Écoles")
    page.wait_for_timeout(100)
    expect(page).to_have_url(app.url + "/ecoles")
    page.go_back()
    heading(app, "Profil")


@story("history", "a link in a dialog leads on, and Back from there to the page without the dialog")
def back_link(app):
    page = app.page
    client = app.rpc("sessions.list", {"first": 1, "where": {"client_id": {"ne": None}}, "select": "{ client_id }"})["items"][0]
    history_over(app, "/profil", f"/clients/{client['client_id']}")
    dialog = page.get_by_role("alertdialog", name=re.compile("Supprimer ce client"))
    page.get_by_role("main").get_by_role("button", name="Supprimer").click()
    dialog.get_by_role("button", name="Supprimer").click()
    dialog.get_by_role("alert").get_by_role("link").first.click()
    heading(app, "Sessions")
    expect(dialog).to_have_count(0)
    page.wait_for_timeout(100)
    expect(page).to_have_url(re.compile(r"/sessions\?mois=tous&client="))
    page.go_back()
    expect(page).to_have_url(f"{app.url}/clients/{client['client_id']}")
    expect(dialog).to_have_count(0)
    page.go_back()
    heading(app, "Profil")


@story("history", "Back asks before a dialog with changes closes, and then before the form under it is left")
def back_unsaved(app):
    page = app.page
    history_over(app, "/profil", "/sessions/nouveau")
    page.get_by_role("combobox", name="Module").fill("Taille de pierre")
    page.get_by_role("combobox", name="Client").fill("Imprimerie du Retour")
    page.get_by_role("option", name=re.compile("^Créer")).click()
    dialog = page.get_by_role("dialog", name="Nouveau client")
    question = page.get_by_role("alertdialog", name=re.compile("Abandonner les modifications"))
    dialog.get_by_label("Ville").fill("Nîmes")
    for _ in range(2):
        page.go_back()
        expect(question).to_be_visible()
        # Back leaves everything as it is, and so does its answer.
        page.go_back() if _ == 0 else question.get_by_role("button", name="Continuer la saisie").click()
        expect(question).to_have_count(0)
        expect(dialog.get_by_label("Ville")).to_have_value("Nîmes")
    # A browser that was told once to keep the dialog closes it the next time without asking.
    for _ in range(4):
        page.keyboard.press("Escape")
        page.wait_for_timeout(100)
    expect(dialog.get_by_label("Ville")).to_be_visible()
    expect(dialog.get_by_label("Ville")).to_have_value("Nîmes")
    page.go_back()
    question.get_by_role("button", name="Abandonner").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("combobox", name="Module")).to_have_value("Taille de pierre")
    page.go_back()
    expect(question).to_be_visible()
    question.get_by_role("button", name="Abandonner").click()
    heading(app, "Profil")


@story("history", "months are steps: Back from a record leads to its month and place, and then to the month before")
def back_months(app):
    page = app.page
    history_over(app, "/profil", "/sessions")
    months = page.get_by_role("group", name="Mois")
    name = months.locator(".months-name")
    first = name.text_content()
    months.get_by_role("button", name="Mois précédent").click()
    expect(page).to_have_url(re.compile("mois="))
    second, address = name.text_content(), page.url
    months.get_by_role("button", name="Tous les mois").click()
    row = rows(app, "Sessions").nth(30).get_by_role("link")
    sentence = row.get_attribute("aria-label")
    row.evaluate("link => { link.scrollIntoView({ block: 'center' }); link.focus({ preventScroll: true }); link.click(); }")
    heading(app, sentence.split(", ")[0])
    page.go_back()
    link = page.get_by_role("link", name=sentence, exact=True).first
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.go_back()
    expect(page).to_have_url(address)
    expect(name).to_have_text(second)
    page.wait_for_function("scrollY === 0")
    page.go_back()
    expect(name).to_have_text(first)
    page.go_back()
    heading(app, "Profil")


@story("history", "the months of the calendar and of the dashboard are steps, its days are none")
def back_periods(app):
    page = app.page
    history_over(app, "/profil", "/calendrier?jour=2031-05-15")
    grid = page.get_by_role("grid")
    page.get_by_role("button", name="Suivant", exact=True).click()
    expect(grid).to_have_accessible_name("juin 2031")
    page.get_by_role("gridcell", name="jeudi 12 juin 2031", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Suivant", exact=True).click()
    expect(grid).to_have_accessible_name("juillet 2031")
    page.go_back()
    expect(grid).to_have_accessible_name("juin 2031")
    page.go_back()
    expect(grid).to_have_accessible_name("mai 2031")
    page.go_back()
    heading(app, "Profil")
    app.move("/tableau-de-bord?mois=2026-03")
    name = page.get_by_role("group", name="Mois").locator(".months-name")
    page.get_by_role("button", name="Mois suivant").click()
    expect(name).to_have_text("avril 2026")
    page.go_back()
    expect(name).to_have_text("mars 2026")
    page.go_back()
    heading(app, "Profil")


@story("users", "the search of the accounts stands in the address, and a record leads back to it")
def users_search(app):
    page = app.page
    app.move("/utilisateurs")
    page.get_by_role("searchbox", name="Rechercher un utilisateur").fill("admin")
    expect(page).to_have_url(re.compile(r"/utilisateurs\?q=admin$"))
    entry = rows(app, "Utilisateurs").first.get_by_role("link")
    name = entry.get_attribute("aria-label")
    entry.click()
    expect(page.get_by_label("Compte actif")).to_be_visible()
    if app.is_phone:
        page.get_by_role("main").get_by_role("link", name="Utilisateurs").click()
    else:
        # The list beside it is the one it was opened from.
        beside = page.get_by_role("complementary", name="Liste")
        expect(beside.get_by_role("searchbox", name="Rechercher un utilisateur")).to_have_value("admin")
        page.get_by_role("button", name="Annuler").click()
    expect(page).to_have_url(re.compile(r"/utilisateurs\?q=admin$"))
    expect(page.get_by_role("searchbox", name="Rechercher un utilisateur")).to_have_value("admin")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_focused()


@story("frame", "the list beside a record shows its month and its row, and stays where a person moves it", devices=["desktop"])
def list_follows(app):
    page = app.page
    items = app.rpc("sessions.list", {"first": 100, "order_by": ["date"], "where": {"date": {"gte": "2026-01-01"}}, "select": "{ id date module }"})["items"]
    months = [one["date"][:7] for one in items]
    # The last one of the fullest month: far below in its list.
    month = max(set(months), key=months.count)
    last = [one for one in items if one["date"].startswith(month)][-1]
    aside = page.get_by_role("complementary", name="Liste")
    current = aside.locator("a.row[aria-current=page]")
    app.go(f"/sessions/{last['id']}")
    expect(current).to_be_in_viewport(ratio=0.9)
    expect(current).to_contain_text(last["module"])
    # Another month is the choice of the person.
    aside.get_by_role("button", name="Mois suivant").click()
    expect(current).to_have_count(0)
    page.wait_for_timeout(300)
    expect(current).to_have_count(0)
    name = app.rpc("clients.list", {"first": 1, "order_by": ["-raison_sociale"], "select": "{ id raison_sociale }"})["items"][0]
    app.move(f"/clients/{name['id']}")
    expect(current).to_contain_text(name["raison_sociale"])
    expect(current).to_be_in_viewport(ratio=0.9)
    place = aside.evaluate("one => { one.dispatchEvent(new Event('wheel')); one.scrollTop = 0; return one.scrollTop; }")
    page.wait_for_timeout(300)
    assert aside.evaluate("one => one.scrollTop") == place


@story("frame", "the list beside a record that is far below in it shows its row", devices=["desktop"])
def far_row(app):
    page = app.page
    clients = app.create_many("clients", [{"raison_sociale": f"Zz{at:03} Rangée"} for at in range(300)])
    sessions = app.create_many("sessions", [
        {"module": f"Rangée {at}", "date": f"2027-03-{1 + at // 5:02}", "debut": f"{8 + at % 5:02}:00", "fin": "18:00", "modalite": "P"}
        for at in range(150)])
    aside = page.get_by_role("complementary", name="Liste")
    current = aside.locator("a.row[aria-current=page]")
    for path, words, before in (
            (f"/clients/{clients[-1]}", "Zz299", "Zz298"), (f"/clients/{clients[-2]}/modifier", "Zz298", "Zz297"),
            (f"/sessions/{sessions[-1]}", "Rangée 149", "Rangée 148")):
        app.go(path)
        expect(current).to_contain_text(words)
        # The record may be known before its list is.
        expect(aside.locator("a.row").filter(has_text=before)).to_be_in_viewport(ratio=0.9)
        expect(current).to_be_in_viewport(ratio=0.9)
    app.shot("far-row")
    app.go("/sessions")
    app.delete_many("sessions", sessions)
    app.delete_many("clients", clients)


@story("frame", "lists and calendars are printed without what leads elsewhere")
def printed(app):
    page = app.page
    for path, name in (("/sessions", "Sessions"), ("/clients", "Clients"), ("/calendrier", None)):
        app.go(path)
        shown = page.locator("main a.row, main [role=gridcell]")
        expect(shown.first).to_be_visible()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        left = page.evaluate("""() => [...document.querySelectorAll("nav, button, input, .search, .segments-field, .message, .letters")]
            .filter(one => one.checkVisibility()).map(one => one.outerHTML.slice(0, 80))""")
        assert left == [], f"{path}: {left}"
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator(".paper") if path == "/calendrier" else shown.first).to_be_visible()
        page.emulate_media(media="screen")


@story("frame", "paper has all rows that are loaded, and says how many are not", devices=["desktop"])
def printed_rows(app):
    page, rows = app.page, app.page.get_by_role("main").locator("li.row-item")
    clients = app.create_many("clients", [{"raison_sociale": f"Zz{at:03} Imprimée"} for at in range(260)])
    known = app.rpc("clients.list", {"first": 1, "count": True, "select": "{ id }"})["total"]
    app.go("/clients")
    # The feed may still be bringing those that were made.
    expect(page.get_by_role("status", name="Résultats")).to_have_text(f"{known} clients")
    expect(rows.nth(59)).to_be_attached()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rows.count() == known, rows.count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    total = app.rpc("sessions.list", {"first": 1, "count": True, "select": "{ id }"})["total"]
    app.go("/sessions?mois=tous")
    left = page.locator(".on-paper")
    expect(left).to_be_attached()
    expect(left).to_be_hidden()
    app.settle()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(left).to_have_text(f"… et {total - rows.count()} autres non chargées")
    expect(left).to_be_visible()
    page.emulate_media(media="screen")
    app.go("/profil")
    app.delete_many("clients", clients)


@story("frame", "the buttons of a long form are in sight, and a school stands below a trainer and a client", devices=["desktop"])
def in_sight(app):
    page = app.page
    where = {name: {"ne": None} for name in ("formateur_id", "client_id", "ecole_id")}
    found = app.rpc("sessions.list", {"first": 1, "where": where, "select": "{ id }"})["items"][0]
    app.go(f"/sessions/{found['id']}")
    people = page.get_by_role("main").get_by_role("region", name="Intervenants")
    expect(people.get_by_role("link")).not_to_have_count(0)
    lefts = people.evaluate("one => [...one.querySelectorAll('dd .record-link')].map(link => Math.round(link.getBoundingClientRect().left))")
    # The session may have a programme, too.
    assert len(lefts) in (3, 4) and len(set(lefts)) == 1, lefts
    for path in (f"/sessions/{found['id']}/modifier", "/organisme"):
        app.go(path)
        page.set_viewport_size({"width": 1280, "height": 500})
        expect(page.get_by_role("button", name="Enregistrer", exact=True)).to_be_in_viewport(ratio=1)
        app.shot(f"form-{path.split('/')[-1]}")


@story("frame", "a row that is pushed aside does not stay half-open when its words are replaced under the finger", devices=["phone"])
def swiped(app):
    page = app.page
    app.go("/sessions?mois=tous")
    rows = page.get_by_role("main").get_by_role("list", name="Sessions").locator("a.row")
    expect(rows.first).to_be_visible()
    # Gestures come some time after the first screen, or with the first touch.
    page.wait_for_timeout(2_500)
    touch = page.context.new_cdp_session(page)
    for row, reach, end in ((rows.nth(0), 60, r"translateX\(-(152|228)px\)"), (rows.nth(1), 20, "^$")):
        box = row.bounding_box()
        x, y = box["x"] + 240, box["y"] + box["height"] / 2
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 6):
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - reach * step / 5, "y": y}]})
        expect(row).to_have_attribute("style", re.compile("translateX"))
        # What an answer does to the words below the finger.
        row.evaluate("one => one.replaceChildren(...[...one.childNodes].map(child => child.cloneNode(true)))")
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(row).to_have_attribute("style", re.compile(end))
