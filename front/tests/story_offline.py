"""The network is cut: what was pressed is neither lost nor done twice, and what the device knows can be read."""
import contextlib
import json
import re
import time

from harness import ACCOUNTS, PASSWORD, Error, expect, new_word, present_day, story

# In the month that the list of sessions shows.
DAY = present_day().isoformat()
CUT = "ERR_(FAILED|INTERNET_DISCONNECTED|CONNECTION)|503"


def status(page):
    return page.get_by_role("status", name="Synchronisation")


def message(page):
    return page.get_by_role("status", name="Message")


def sessions(app, module):
    """The rows in the database."""
    return app.rpc("sessions.list", {
        "where": {"module": module}, "first": 100, "select": "{ id module lieu version client { raison_sociale } }"})["items"]


class Network:
    """Loses the calls of one method: before they reach the service, or their answers."""

    def __init__(self, app, method, moment):
        self.page, self.method, self.moment, self.lost = app.page, method, moment, 0
        app.allow_console(CUT)

    def __enter__(self):
        self.page.route("**/rpc", self.handle)
        return self

    def __exit__(self, *_):
        self.page.unroute("**/rpc")
        # What the browser says when a cable is plugged in again.
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def handle(self, route):
        if f'"method":"{self.method}"' not in (route.request.post_data or ""):
            return route.continue_()
        self.lost += 1
        if self.moment == "after":
            route.fetch()
        if self.moment == "busy":
            return route.fulfill(status=503, content_type="text/plain", body="busy")
        try:
            return route.abort("connectionfailed")
        except Error as error:
            # The page has moved on while the service was answering, and has given up the request itself.
            if "already handled" not in str(error):
                raise


def fill_session(page, module, day=DAY):
    page.get_by_role("combobox", name="Module").fill(module)
    page.get_by_label("Date", exact=True).fill(day)
    page.get_by_label("Début", exact=True).fill("09:00")
    page.get_by_label("Fin", exact=True).fill("12:00")


def create(app, module):
    app.go("/sessions/nouveau")
    fill_session(app.page, module)
    app.page.get_by_role("button", name="Enregistrer", exact=True).click()


def given_session(app, module):
    row = app.rpc("sessions.create", {"values": {
        "module": module, "date": DAY, "debut": "09:00", "fin": "12:00", "modalite": "P"}})
    app.go(f"/sessions/{row['id']}")
    expect(app.page.get_by_role("heading", level=1, name=module)).to_be_visible(timeout=20_000)


def unique(words):
    return f"{words} {time.time_ns() % 10**9}"


def cut_while_creating(app, moment):
    module = unique(f"Création {moment}")
    with Network(app, "sessions.create", moment) as network:
        create(app, module)
        expect(status(app.page)).to_contain_text("1 modification en attente")
        assert network.lost >= 1
        app.go(f"/sessions?q={module}")
        row = app.page.get_by_role("listitem").filter(has_text=module)
        expect(row).to_have_count(1)
        if moment != "after":
            expect(row).to_contain_text("En attente d’envoi")
    expect(status(app.page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1, sessions(app, module)
    expect(row).to_have_count(1)
    expect(row).not_to_contain_text("En attente d’envoi")


def cut_while_editing(app, moment):
    module = unique(f"Modification {moment}")
    given_session(app, module)
    with Network(app, "sessions.update", moment):
        app.page.get_by_role("link", name="Modifier", exact=True).click()
        app.page.get_by_role("combobox", name="Lieu").fill("Salle 4")
        app.page.get_by_role("button", name="Enregistrer", exact=True).click()
        expect(status(app.page)).to_contain_text("1 modification en attente")
        expect(message(app.page)).to_have_text("Session enregistrée sur cet appareil, en attente d’envoi")
    expect(status(app.page)).to_have_text("À jour")
    expect(message(app.page)).to_have_text("Session enregistrée")
    found = sessions(app, module)
    assert [(one["lieu"], one["version"]) for one in found] == [("Salle 4", 2)], found


def cut_while_deleting(app, moment):
    module = unique(f"Suppression {moment}")
    given_session(app, module)
    with Network(app, "sessions.delete", moment):
        app.page.get_by_role("button", name="Supprimer", exact=True).click()
        app.page.get_by_role("alertdialog").get_by_role("button", name="Supprimer", exact=True).click()
        # Until then it can be taken back.
        expect(status(app.page)).to_contain_text("1 modification en attente", timeout=20_000)
    expect(status(app.page)).to_have_text("À jour")
    assert sessions(app, module) == []


@story("offline", "a page that is loaded again while it sends a new session does not offer the session a second time")
def reloaded(app):
    page, module, held = app.page, unique("Relue"), []
    app.allow_console(CUT)
    page.route("**/rpc", lambda route: held.append(route) if '"sessions.create"' in (route.request.post_data or "") else route.continue_())
    app.go("/sessions/nouveau")
    fill_session(page, module)
    # What is typed becomes a draft after a pause, also one that follows the press.
    page.wait_for_timeout(700)
    page.get_by_role("combobox", name="Lieu").fill("Nantes")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    while not held:
        page.wait_for_timeout(50)
    page.wait_for_timeout(700)
    page.unroute("**/rpc")
    page.reload()
    for route in held:
        with contextlib.suppress(Error):
            route.abort()
    app.settle()
    app.go("/sessions/nouveau")
    expect(page.get_by_role("button", name="Enregistrer", exact=True)).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.get_by_text("Votre saisie précédente a été reprise")).to_have_count(0)
    expect(page.get_by_role("combobox", name="Module")).to_have_value("")
    assert len(sessions(app, module)) == 1


for moment, words in (("before", "before the request"), ("after", "after the request"), ("busy", "by a busy service")):
    for what, work in (("creating", cut_while_creating), ("editing", cut_while_editing), ("deleting", cut_while_deleting)):
        @story("offline", f"the network is cut while {what}, {words}", devices=("desktop",))
        def cut(app, work=work, moment=moment):
            work(app, moment)


@story("offline", "a write whose answer was lost and that a person sends again leaves one row", devices=("desktop",))
def sent_again(app):
    module = unique("Réessayée")
    with Network(app, "sessions.create", "after"):
        create(app, module)
        expect(app.page.get_by_role("heading", level=1, name=module)).to_be_visible(timeout=20_000)
        app.go("/attente")
        app.page.get_by_role("button", name="Réessayer", exact=True).click()
        app.page.wait_for_timeout(300)
    expect(status(app.page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1


@story("offline", "a browser that refuses storage warns before it closes on what is not sent", devices=("desktop",))
def refused_storage(app):
    page, module = app.page, unique("En mémoire")
    page.add_init_script("indexedDB.open = () => { throw new DOMException('refused', 'SecurityError'); };")
    app.go("/sessions")
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with Network(app, "sessions.create", "before"):
        create(app, module)
        expect(status(page)).to_contain_text("1 modification en attente")
        page.close(run_before_unload=True)
        page.wait_for_timeout(500)
        assert asked == ["beforeunload"], asked
    expect(status(page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1


@story("offline", "sessions that are repeated again after a lost answer are there once", devices=("desktop",))
def repeated(app):
    page, module = app.page, unique("Répétée")
    given_session(app, module)
    # The service worker takes the page over some time after it was loaded. A call of that moment is not seen by the browser's control.
    app.wait_for_copy()
    page.get_by_role("button", name="Répéter…").click()
    dialog = page.get_by_role("dialog", name="Répéter la session")
    dialog.get_by_role("button", name="Une semaine plus tard").click()
    with Network(app, "sessions.repeter", "after"):
        dialog.get_by_role("button", name="Créer 1 session").click()
        expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_role("button", name="Créer 1 session").click()
    expect(dialog).to_have_count(0)
    assert len(sessions(app, module)) == 2, sessions(app, module)


@story("offline", "a page that is closed between the request and its answer leaves one row")
def closed_page(app):
    module = unique("Page fermée")
    with Network(app, "sessions.create", "after") as network:
        create(app, module)
        expect(app.page.get_by_role("heading", level=1, name=module)).to_be_visible(timeout=20_000)
        page = app.new_page(app.page.context)
        app.page.close()
        app.pages.remove(page)
        app.pages.insert(0, page)
        network.page = page
        app.go("/sessions")
    expect(status(app.page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1


@story("offline", "a client and its session are created without a network, and read after a reload")
def created_offline(app):
    page, name, module = app.page, unique("Atelier"), unique("Hors ligne")
    app.go("/clients")
    expect(page.get_by_role("list", name="Clients").get_by_role("listitem").first).to_be_visible()
    app.wait_for_copy(page)
    app.offline()
    app.allow_console(CUT)
    app.go("/clients/nouveau")
    page.get_by_label("Raison sociale", exact=True).fill(name)
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("Hors connexion · 1 modification en attente")
    app.go("/sessions/nouveau")
    fill_session(page, module)
    picker = page.get_by_role("combobox", name="Client")
    picker.fill(name)
    page.get_by_role("option", name=name).first.click()
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("Hors connexion · 2 modifications en attente")
    app.go(f"/sessions?q={module}")
    expect(page.get_by_role("listitem").filter(has_text=module)).to_be_visible()
    page.reload()
    page.get_by_role("main").get_by_role("listitem").filter(has_text=module).get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/sessions/-\d+$"))
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    expect(page).to_have_url(re.compile(r"/sessions/\d+$"))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(module)
    found = sessions(app, module)
    assert [one["client"]["raison_sociale"] for one in found] == [name], found


@story("offline", "two tabs share one queue, and send each write once", devices=("desktop",))
def two_tabs(app):
    module = unique("Deux onglets")
    app.go("/sessions")
    other = app.new_page(app.page.context)
    app.go("/sessions", other)
    expect(other.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    app.wait_for_copy(app.page)
    app.wait_for_copy(other)
    app.allow_console(CUT)
    app.offline()
    for page, suffix in ((app.page, "A"), (other, "B")):
        app.go("/sessions/nouveau", page)
        fill_session(page, f"{module} {suffix}")
        page.get_by_role("button", name="Enregistrer", exact=True).click()
    for page in (app.page, other):
        expect(status(page)).to_have_text("Hors connexion · 2 modifications en attente")
    app.offline(False)
    for page in (app.page, other):
        expect(status(page)).to_have_text("À jour")
    for suffix in "AB":
        assert len(sessions(app, f"{module} {suffix}")) == 1


@story("offline", "what another person changes appears in every tab")
def live(app):
    module = unique("Ailleurs")
    other = app.new_page(app.page.context)
    for page in (app.page, other):
        app.go(f"/sessions?q={module}", page)
        expect(page.get_by_role("status", name="Résultats")).to_contain_text("0 session")
    # The first tab has to listen before the change is made.
    app.page.wait_for_timeout(2_000)
    row = app.rpc("sessions.create", {"values": {
        "module": module, "date": DAY, "debut": "09:00", "fin": "12:00", "modalite": "D"}})
    for page in (app.page, other):
        expect(page.get_by_role("listitem").filter(has_text=module)).to_be_visible()
    app.rpc("sessions.delete", {"id": row["id"]})
    for page in (app.page, other):
        expect(page.get_by_role("listitem").filter(has_text=module)).to_have_count(0)


@story("offline", "what waits names the records that it refers to, also those that wait themselves", devices=("desktop",))
def waiting_names(app):
    page, client, module = app.page, unique("Neuf"), unique("Chez Neuf")
    app.go("/clients")
    app.wait_for_copy(page)
    app.allow_console(CUT)
    app.offline()
    app.move("/clients/nouveau")
    page.get_by_label("Raison sociale", exact=True).fill(client)
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=client)).to_be_visible()
    app.move("/sessions/nouveau")
    fill_session(page, module)
    page.get_by_role("combobox", name="Client", exact=True).fill(client)
    page.get_by_role("option", name=client, exact=True).click()
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("Hors connexion · 2 modifications en attente")
    # The form leads to its record, which would come instead of the next page.
    expect(page.get_by_role("heading", level=1, name=module)).to_be_visible()
    app.move("/attente")
    written = page.get_by_role("list", name="Modifications en attente").get_by_role("listitem")
    expect(written.nth(1)).to_contain_text(module)
    expect(written.nth(1).get_by_role("definition").filter(has_text=client)).to_have_count(1)
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    assert sessions(app, module)[0]["client"] == {"raison_sociale": client}


@story("offline", "what waits behind another write says which one, and a further attempt says what became of it")
def waiting_turn(app):
    page, client, module = app.page, unique("Devancier"), unique("Suivante")
    app.go("/clients")
    app.wait_for_copy(page)
    app.allow_console(CUT)
    app.offline()
    app.move("/clients/nouveau")
    page.get_by_label("Raison sociale", exact=True).fill(client)
    # Refused later, and no mistake that the form knows.
    page.get_by_label("SIRET", exact=True).fill("12345678901234")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=client)).to_be_visible()
    app.move("/sessions/nouveau")
    fill_session(page, module)
    page.get_by_role("combobox", name="Client", exact=True).fill(client)
    page.get_by_role("option", name=client, exact=True).click()
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=module)).to_be_visible()
    app.move("/attente")
    first, second = (page.get_by_role("list", name="Modifications en attente").locator(".waiting-item").nth(at) for at in (0, 1))
    expect(second).to_contain_text(f"Elle partira après la création du client «\u00a0{client}\u00a0».")
    expect(first).not_to_contain_text("Elle partira")
    second.get_by_role("button", name="Réessayer").click()
    expect(message(page)).to_have_text("Pas de connexion\u202f: la modification attend toujours d’être envoyée.")
    app.axe()
    app.shot("waiting-offline")
    page.route("**/rpc", lambda route: route.fulfill(status=503, content_type="text/plain", body="busy"))
    app.offline(False)
    first.get_by_role("button", name="Réessayer").click()
    expect(message(page)).to_have_text("Le service ne répond pas\u202f: la modification attend toujours d’être envoyée.")
    page.unroute("**/rpc")
    first.get_by_role("button", name="Réessayer").click()
    expect(status(page)).to_have_text("1 modification en attente · 1 modification à corriger")
    blocked = f"Elle ne peut pas partir\u202f: la création du client «\u00a0{client}\u00a0» est à corriger d’abord."
    expect(second).to_contain_text(blocked)
    expect(second.get_by_role("definition").filter(has_text=client)).to_have_count(1)
    first.get_by_role("button", name="Réessayer").click()
    expect(message(page)).to_have_text("Nouvel essai\u202f: la modification attend encore votre décision.")
    second.get_by_role("button", name="Réessayer").click()
    expect(message(page)).to_have_text(f"Cette modification attend son tour. {blocked}")
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("waiting-turn")
    first.get_by_role("button", name="Corriger").click()
    page.get_by_label("SIRET", exact=True).fill("")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("À jour")
    assert sessions(app, module)[0]["client"] == {"raison_sociale": client}


@story("offline", "a press on a button of a form is heard, although what stands below it goes meanwhile", devices=["phone"])
def steady(app):
    page, held = app.page, []
    page.route("**/rpc", lambda route: held.append(route) if '"ecoles.list"' in (route.request.post_data or "") else route.fallback())
    made = app.rpc("sessions.create", {"values": {
        "module": f"Pressée {new_word()}", "date": present_day().isoformat(), "debut": "09:00", "fin": "12:00", "modalite": "P"}})
    app.go(f"/sessions/{made['id']}/modifier")
    page.get_by_label("Fin", exact=True).fill("13:00")
    expect(status(page)).to_have_text("Copie hors connexion en cours")
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(50)
    # Whoever presses a button at its top finds it no more where it was, as soon as the words below it are gone.
    box = page.get_by_role("button", name="Enregistrer").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    for route in held:
        route.continue_()
    page.unroute("**/rpc")
    app.wait_for_copy()
    app.settle()
    page.wait_for_timeout(500)
    page.mouse.up()
    expect(page.get_by_role("status", name="Message")).to_have_text("Session enregistrée")
    expect(status(page)).to_have_text("À jour")
    assert app.rpc("sessions.get", {"id": made["id"], "select": "{ fin }"}) == {"fin": "13:00:00"}


@story("offline", "the status says that the copy for offline use is being fetched, until the device has all of it", account=None)
def copied(app):
    page, held = app.new_page(), []
    page.route("**/rpc", lambda route: held.append(route) if '"ecoles.list"' in (route.request.post_data or "") else route.fallback())
    app.sign_in("admin", page, "/sessions")
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    expect(status(page)).to_have_text("Copie hors connexion en cours")
    app.axe(page)
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(50)
    page.wait_for_timeout(1_000)
    app.shot("copying", page)
    expect(status(page)).to_have_text("Copie hors connexion en cours")
    for route in held:
        route.continue_()
    page.unroute("**/rpc")
    expect(status(page)).to_have_text("À jour")
    # Now one may leave.
    app.offline()
    for path, name in (("/ecoles", "Écoles"), ("/sessions", "Sessions")):
        app.go(path, page)
        expect(page.get_by_role("main").get_by_role("list", name=name).get_by_role("listitem").first).to_be_visible()
    app.offline(False)
    expect(status(page)).to_have_text("À jour")
    app.move("/profil", page)
    page.get_by_role("switch", name="Copie hors connexion").uncheck()
    expect(status(page)).to_have_text("À jour")


@story("offline", "what another person writes between the first list and the beginning of the feed is not missed", account=None)
def begun_late(app):
    page, held, name = app.new_page(), [], unique("Entre-temps")

    def hold(route):
        if "/events" in route.request.url or '"changes.list"' in (route.request.post_data or ""):
            return held.append(route)
        return route.continue_()

    page.route(re.compile("/(rpc|events)"), hold)
    app.sign_in("admin", page, "/clients")
    rows = page.get_by_role("main").get_by_role("list", name="Clients").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(50)
    app.rpc("clients.create", {"values": {"raison_sociale": name}})
    for route in held:
        route.continue_()
    page.unroute(re.compile("/(rpc|events)"))
    expect(rows.filter(has_text=name)).to_have_count(1)


@story("offline", "while the service answers with failures alone, nothing is said to be up to date", devices=("desktop",))
def unavailable(app):
    page = app.page
    app.allow_console(CUT)
    again = page.get_by_role("main").get_by_role("button", name="Actualiser")
    page.route("**/rpc", lambda route: route.fulfill(status=503, content_type="text/plain", body="busy"))
    again.click()
    expect(status(page)).to_have_text("Service indisponible")
    page.unroute("**/rpc")
    again.click()
    expect(status(page)).to_have_text("À jour")


@story("offline", "a write that is refused later waits for a correction", devices=("desktop",))
def refused_later(app):
    page, name = app.page, unique("Refusé")
    app.go("/clients")
    app.wait_for_copy(page)
    app.allow_console(CUT)
    app.offline()
    app.go("/clients/nouveau")
    page.get_by_label("Raison sociale", exact=True).fill(name)
    page.get_by_label("SIRET", exact=True).fill("12345678901234")
    page.get_by_label("Numéro de TVA", exact=True).fill("FR00")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    # The form no longer waits for an answer.
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(status(page)).to_have_text("Hors connexion · 1 modification en attente")
    app.offline(False)
    expect(status(page)).to_have_text("1 modification à corriger")
    expect(page.get_by_role("alert")).to_contain_text(re.compile(rf"Création du client «.{name}.» refusée\u202f: "))
    # Each mistake is named, and not how many there are.
    expect(page.get_by_role("alert")).not_to_contain_text("erreurs signalées")
    page.goto(app.url + "/attente")
    expect(page.get_by_role("main").locator(".waiting-item")).to_contain_text(re.compile("SIRET.*TVA"))
    page.get_by_role("button", name="Corriger", exact=True).click()
    page.get_by_label("SIRET", exact=True).fill("")
    page.get_by_label("Numéro de TVA", exact=True).fill("")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("À jour")
    found = app.rpc("clients.list", {"where": {"raison_sociale": name}})["items"]
    assert [one["siret"] for one in found] == [None], found


@story("offline", "an edit that waited and that another person has made differently is decided at once", devices=("desktop",))
def conflict_later(app):
    page, module = app.page, unique("Décision")
    app.go("/sessions")
    app.wait_for_copy(page)
    given_session(app, module)
    app.allow_console(CUT + "|409")
    app.offline()
    page.get_by_role("link", name="Modifier", exact=True).click()
    page.get_by_role("combobox", name="Lieu").fill("Salle 4")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(status(page)).to_have_text("Hors connexion · 1 modification en attente")
    app.rpc("sessions.update", {"id": sessions(app, module)[0]["id"], "values": {"lieu": "Salle 9"}}, "user")
    app.offline(False)
    expect(status(page)).to_have_text("1 modification à corriger")
    status(page).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Modifications en attente")
    expect(page.get_by_role("main").get_by_role("listitem")).to_contain_text("la fiche a changé entre-temps")
    page.get_by_role("button", name="Corriger", exact=True).click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps")
    expect(dialog.get_by_role("group", name="Lieu")).to_contain_text("Salle 9")
    expect(dialog).to_contain_text(re.compile(r"\(.*\d+ h.*\) a changé cette fiche"))
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    expect(status(page)).to_have_text("À jour")
    assert [one["lieu"] for one in sessions(app, module)] == ["Salle 4"]


@story("offline", "after a day, a write whose answer was lost is not sent again by itself", devices=("desktop",))
def too_old(app):
    module = unique("Trop vieux")
    app.page.add_init_script("""
        const now = Date.now;
        Date.now = () => now() + Number(localStorage.getItem("hours") ?? 0) * 3_600_000;""")
    with Network(app, "sessions.create", "after"):
        create(app, module)
        expect(app.page.get_by_role("heading", level=1, name=module)).to_be_visible(timeout=20_000)
        app.page.evaluate("localStorage.setItem('hours', '23.5')")
        app.page.reload()
    expect(status(app.page)).to_have_text("1 modification à corriger")
    assert len(sessions(app, module)) == 1
    app.go("/attente")
    app.page.get_by_role("button", name="Abandonner").click()
    app.page.get_by_role("alertdialog").get_by_role("button", name="Abandonner").click()
    expect(status(app.page)).to_have_text("À jour")
    assert len(sessions(app, module)) == 1


@story("offline", "signing out empties the device in all tabs, and its key cannot be taken away", devices=("desktop",))
def signed_out(app):
    app.go("/sessions")
    expect(app.page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_be_visible()
    app.wait_for_copy(app.page)
    other = app.new_page(app.page.context)
    app.go("/clients", other)
    key, rows = app.page.evaluate("""async () => {
        const database = await new Promise((done) => {
            indexedDB.databases().then(([one]) => {
                const request = indexedDB.open(one.name);
                request.onsuccess = () => done(request.result);
            });
        });
        const all = (store) => new Promise((done) => {
            const request = database.transaction(store).objectStore(store).getAll();
            request.onsuccess = () => done(request.result);
        });
        const [key] = await all("key");
        const export_ = await crypto.subtle.exportKey("raw", key).then(() => "taken", ({name}) => name);
        const rows = (await all("rows")).map(({data}) => new TextDecoder("latin1").decode(data)).join("");
        database.close();
        return [[key.extractable, export_], rows];
    }""")
    assert key == [False, "InvalidAccessError"], key
    assert "module" not in rows and "raison_sociale" not in rows, "the copy is not encrypted"
    app.go("/profil")
    app.page.get_by_role("button", name="Se déconnecter").click()
    for page in (app.page, other):
        expect(page.get_by_role("heading", level=1, name="Connexion")).to_be_visible()
    kept = app.page.evaluate("""async () => [await indexedDB.databases(), sessionStorage.length, document.cookie]""")
    assert kept[0] == [] and kept[2] == "", json.dumps(kept)
    app.page.reload()
    expect(app.page.get_by_role("heading", level=1, name="Connexion")).to_be_visible()


@story("offline", "the service worker keeps the shell alone", devices=("desktop",))
def shell_alone(app):
    app.go("/sessions")
    app.wait_for_copy(app.page)
    kept = app.page.evaluate("""async () => {
        const names = await caches.keys();
        const requests = (await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))).flat();
        return requests.map(({url}) => new URL(url).pathname);
    }""")
    assert kept and all(one in ("/", "/manifest.webmanifest") or one.startswith("/app/") for one in kept), kept


@story("US-19", "who leaves the network a moment after signing in has what was on screen", account=None)
def left_at_once(app):
    page = app.new_page()
    app.go("/connexion")
    # The files of the page come while one types.
    page.wait_for_function("() => navigator.serviceWorker.controller !== null", timeout=30_000)
    for path, name in (("/sessions", "Sessions"), ("/formateurs", "Formateurs")):
        app.go(f"/connexion?suite={path}")
        page.get_by_label("Adresse e-mail").fill(ACCOUNTS["admin"])
        page.get_by_label("Mot de passe", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Se connecter").click()
        rows = page.get_by_role("main").get_by_role("list", name=name).get_by_role("listitem")
        expect(rows.first).to_be_visible()
        seen = page.get_by_role("status", name="Résultats").inner_text(), rows.first.inner_text()
        page.wait_for_timeout(250)
        app.offline()
        page.reload()
        expect(rows.first).to_be_visible()
        assert (page.get_by_role("status", name="Résultats").inner_text(), rows.first.inner_text()) == seen
        app.offline(False)
        expect(page.get_by_role("status", name="Synchronisation")).to_have_text("À jour")
        app.move("/profil")
        page.get_by_role("button", name="Se déconnecter").click()
        expect(page.get_by_role("button", name="Se connecter")).to_be_visible()


@story("offline", "a record says once that there is no network")
def said_once(app):
    page = app.page
    session = app.rpc("sessions.list", {"where": {"date": present_day().isoformat()}, "first": 1, "select": "{ id }"})["items"]
    app.go("/calendrier")
    app.wait_for_copy()
    app.offline()
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("Hors connexion")
    for path in ("/clients/1", *(f"/sessions/{one['id']}" for one in session)):
        app.move(path)
        alerts = page.get_by_role("main").get_by_role("alert")
        expect(alerts.first).to_be_visible()
        app.settle()
        said = alerts.all_inner_texts()
        assert len(set(said)) == len(said), said
