"""What the pages say without a network is what happens."""
import base64
import datetime
import re

from harness import expect, present_day, story
from story_offline import CUT, fill_session, sessions, status, unique

WAITS = " sur cet appareil, en attente d’envoi"


def message(page):
    return page.get_by_role("status", name="Message")


def cut(app):
    """Cuts the network once the device has its copy."""
    app.go("/sessions")
    app.wait_for_copy(app.page)
    app.allow_console(CUT)
    app.offline()


@story("offline", "a form says that what it saved waits to be sent, and that it is saved only when it is")
def says_that_it_waits(app):
    page, module = app.page, unique("Attente")
    cut(app)
    app.move("/sessions/nouveau")
    fill_session(page, module)
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(message(page)).to_have_text(f"Session enregistrée{WAITS}")
    page.get_by_role("link", name="Modifier", exact=True).click()
    page.get_by_role("combobox", name="Lieu").fill("Salle 4")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(message(page)).to_have_text(f"Session enregistrée{WAITS}")
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    page.get_by_role("link", name="Modifier", exact=True).click()
    page.get_by_role("combobox", name="Lieu").fill("Salle 5")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(message(page)).to_have_text("Session enregistrée")
    app.offline()
    page.get_by_role("button", name="Supprimer", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Supprimer", exact=True).click()
    expect(message(page)).to_have_text(f"Session supprimée{WAITS}")
    # The words of the status wait until the press is over.
    expect(status(page)).not_to_have_text("À jour")
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    assert sessions(app, module) == []


@story("offline", "the list of sessions says that there is no network, and which days the device keeps")
def says_what_is_kept(app):
    page = app.page
    cut(app)
    today = present_day()
    days = [today - datetime.timedelta(60), today + datetime.timedelta(180)]
    kept = re.compile(r"hors connexion\..* du {}(er)? \w+ {} au {}(er)? \w+ {}".format(*(part for day in days for part in (day.day, day.year))))
    app.move("/sessions?mois=2016-02")
    failure = page.get_by_role("main").get_by_role("alert")
    expect(failure).to_have_text(kept)
    expect(failure.get_by_role("button", name="Réessayer")).to_be_visible()
    # What fails is asked for again by itself, and not without a pause.
    asked = []
    page.on("request", lambda request: asked.append(request) if "2016-02" in (request.post_data or "") else None)
    page.wait_for_timeout(2_000)
    assert len(asked) <= 2, len(asked)
    app.move("/sessions?q=zzzz+introuvable")
    expect(failure).to_have_text(kept)
    # A month that is known as a whole lacks no session.
    app.move("/sessions")
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    expect(failure).to_have_count(0)
    # All months are more than the device keeps.
    app.move("/sessions?mois=tous")
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    expect(failure).to_have_text(kept)
    app.offline(False)
    expect(failure).to_have_count(0)


@story("offline", "without the copy, what waits to be sent stays, and the switch says so", devices=("phone",))
def copy_switched_off(app):
    page, module = app.page, unique("Sans copie")
    cut(app)
    app.move("/sessions/nouveau")
    fill_session(page, module)
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("Hors connexion · 1 modification en attente")
    expect(page.get_by_role("heading", level=1, name=module)).to_be_visible()
    app.move("/profil")
    switch = page.get_by_role("switch", name="Copie hors connexion")
    question = page.get_by_role("alertdialog", name=re.compile("Désactiver la copie"))
    switch.click()
    expect(question).to_contain_text("Les modifications en attente restent sur cet appareil et seront envoyées.")
    question.get_by_role("button", name="Annuler").click()
    expect(switch).to_be_checked()
    switch.click()
    question.get_by_role("button", name="Désactiver").click()
    expect(switch).not_to_be_checked()
    page.reload()
    expect(status(page)).to_have_text("Hors connexion · 1 modification en attente")
    app.move(f"/sessions?mois=tous&q={module}")
    expect(page.get_by_role("listitem").filter(has_text=module)).to_contain_text("En attente d’envoi")
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1


class Failing:
    """Answers the calls of one method as a server does that is busy."""

    def __init__(self, app, method):
        self.page, self.method = app.page, method
        app.allow_console("503")

    def __enter__(self):
        self.page.route("**/rpc", self.handle)

    def __exit__(self, *_):
        self.page.unroute("**/rpc")

    def handle(self, route):
        if f'"method":"{self.method}"' in (route.request.post_data or ""):
            return route.fulfill(status=503, content_type="text/plain", body="busy")
        return route.fallback()


@story("failures", "what fails is said, with a button that tries it again", devices=("phone",))
def tried_again(app):
    page, main = app.page, app.page.get_by_role("main")
    app.go("/sessions?mois=tous")
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(rows.nth(99)).to_be_attached()
    known = rows.count()
    with Failing(app, "sessions.list"):
        rows.nth(known - 1).scroll_into_view_if_needed()
        expect(main.get_by_role("alert")).to_be_visible()
    app.try_again(page)
    expect(rows.nth(known)).to_be_attached()
    app.move("/journal")
    expect(page.get_by_role("heading", level=1)).to_have_text("Journal")
    entries = main.get_by_role("listitem")
    expect(entries.nth(49)).to_be_visible()
    with Failing(app, "journal.list"):
        page.get_by_role("button", name="Afficher la suite").click()
        expect(main.get_by_role("alert")).to_be_visible()
        expect(entries.nth(49)).to_be_visible()
    app.try_again(page)
    expect(entries.nth(50)).to_be_attached()
    with Failing(app, "clients.get"):
        app.move("/clients/1")
        expect(page.get_by_role("region", name="Statistiques").get_by_role("alert")).to_be_visible()
    app.try_again(page)
    expect(page.get_by_role("region", name="Statistiques")).to_contain_text("€")
    with Failing(app, "prospects.list"):
        app.move("/prospects/1")
        expect(page.get_by_role("heading", level=1)).to_have_text("Fiche indisponible")
    app.try_again(page)
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Fiche indisponible")
    app.rpc("auth.login", {"email": "admin@demo.learntrack.fr", "password": "demo-learntrack"}, None)
    app.move("/profil")
    devices = page.get_by_role("list", name="Appareils connectés")
    with Failing(app, "auth.end_sign_in"):
        devices.get_by_role("button").first.click()
        expect(page.get_by_role("alert")).to_contain_text("Le service ne répond pas")
    app.try_again(page)
    expect(message(page)).to_have_text("Appareil déconnecté")


PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


@story("organisme", "an administrator sets what documents say of the organisation")
def organisation(app):
    page = app.page
    before = app.rpc("organisme.ouvrir", {"select": "{ id version raison_sociale mentions }"})
    app.go("/profil")
    page.get_by_role("link", name="Modifier l’organisme").click()
    expect(page.get_by_role("heading", level=1, name="Organisme")).to_be_visible()
    expect(page).to_have_title("Organisme · LearnTrack")
    name = unique("Cap Savoirs")
    page.get_by_label("Raison sociale", exact=True).fill(name)
    page.get_by_label("SIRET").fill("1")
    page.get_by_label("Mentions", exact=True).fill("m" * 400)
    expect(page.get_by_label("Mentions", exact=True)).to_have_accessible_description(re.compile("400 caractères, dont 80 de trop"))
    page.get_by_label("Mentions", exact=True).fill("Article 1\nArticle 2")
    page.get_by_role("radiogroup", name="Sessions créées sans formateur").get_by_role("radio", name="Annoncées à la demande").check()
    # The file stays on the device until the form is saved.
    uploads = []
    page.on("request", lambda request: uploads.append(request.method) if request.url.endswith("/files") else None)
    page.get_by_label("Choisir un logo…").or_(page.get_by_label("Changer de logo…")).set_input_files(
        {"name": "logo.png", "mimeType": "image/png", "buffer": base64.b64decode(PIXEL)})
    expect(page.get_by_role("img", name="Logo de l’organisme")).to_be_visible()
    assert uploads == [], uploads
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_label("SIRET")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("SIRET").fill("732 829 320 00074")
    app.axe()
    # Another person changes another field meanwhile.
    app.rpc("organisme.update", {"id": before["id"], "values": {"ville": "Nîmes"}})
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(message(page)).to_have_text("Organisme enregistré")
    after = app.rpc("organisme.ouvrir", {"select": "{ raison_sociale siret ville mentions logo annonces_auto }"})
    assert (after["raison_sociale"], after["ville"], after["mentions"]) == (name, "Nîmes", "Article 1\nArticle 2"), after
    expect(page.get_by_role("heading", level=1, name="Profil")).to_be_visible()
    assert after["siret"].replace(" ", "") == "73282932000074" and after["logo"] and after["annonces_auto"] is False, after
    app.go("/utilisateurs")
    page.get_by_role("link", name="Organisme").click()
    expect(page.get_by_role("img", name="Logo de l’organisme")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(re.compile("Logo (ajouté|remplacé)"))
    expect(page.get_by_label("Ville")).to_have_value("Nîmes")


@story("organisme", "who is no administrator has no screen of the organisation", account="user", devices=("phone",))
def no_organisation(app):
    app.go("/profil")
    expect(app.page.get_by_role("switch").first).to_be_visible()
    expect(app.page.get_by_role("link", name="Modifier l’organisme")).to_have_count(0)
    app.move("/organisme")
    expect(app.page.get_by_role("heading", level=1)).to_contain_text("introuvable")


@story("screens", "large text leaves the status beside the navigation readable, and each page within reach", devices=("desktop",))
def status_beside_navigation(app):
    page = app.page
    app.go("/sessions")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    words = status(page)
    expect(words).to_have_text("À jour")
    # What is seen at the place of the words is the words.
    covered = """element => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const seen = document.elementFromPoint(left + width / 2, top + height / 2);
        return seen !== element || getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
    }"""
    assert not words.evaluate(covered)
    for name in ("Écoles", "Profil"):
        link = page.get_by_role("navigation", name="Navigation principale").get_by_role("link", name=name)
        link.focus()
        inside = "([link, words]) => link.getBoundingClientRect().bottom <= words.getBoundingClientRect().top"
        assert page.evaluate(inside, [link.element_handle(), words.element_handle()]), name


@story("failures", "a picker offers to make a record only when it is known that there is none", account=None, devices=("desktop",))
def unknown_directory(app):
    page = app.page
    with Failing(app, "clients.list"):
        app.sign_in()
        app.move("/sessions/nouveau")
        # The list that is left has a field of this name, too.
        expect(page.get_by_role("heading", name="Nouvelle session", level=1)).to_be_visible()
        page.get_by_role("combobox", name="Client", exact=True).fill("Bois de Nîmes")
        expect(page.get_by_role("option", name="Chargement…")).to_be_visible()
        expect(page.get_by_role("option", name="Créer")).to_have_count(0)
    expect(page.get_by_role("option", name="Créer « Bois de Nîmes »")).to_be_visible()
    expect(page.get_by_role("option", name="Chargement…")).to_have_count(0)
