"""What administrators do for every domain: roles of accounts and the records that they stand for, access keys, jobs of the server."""
import datetime
import json
import re
import urllib.error
import urllib.request

from harness import expect, new_word, story
from story_declared import SERVED
from story_declared_shapes import GARDENS

BOTH = ["phone", "desktop"]


def heading(app, name):
    expect(app.page.get_by_role("heading", level=1)).to_have_text(name)


def said(app, text):
    expect(app.page.get_by_role("status", name="Message")).to_have_text(text)


def new_account(app, **values):
    return app.rpc("users.create", {
        "values": {"email": f"{new_word()}@demo.learntrack.fr", "username": new_word().capitalize(), "role": "user", "password": "demo-learntrack", **values},
        "select": "{ id username email }"})


def new_reader(app):
    return app.rpc("readers.create", {"values": {"name": new_word().capitalize()}, "select": "{ id name }"})


def begin(app, served=SERVED):
    """An account without further roles, and its page."""
    app.serve(*served, program="probe-server")
    account = new_account(app)
    app.sign_in(path="/utilisateurs")
    return account


def open_account(app, account):
    app.move(f"/utilisateurs/{account['id']}")
    heading(app, account["username"])


def declare_anew(app):
    """Lets the page ask for what is declared, as after another tab has lost its place in the feed; it has changed meanwhile."""
    def handle(route):
        if "rpc.domains" not in (route.request.post_data or ""):
            return route.fallback()
        response = route.fetch()
        return route.fulfill(response=response, body=response.text().replace('"label":"', '"label":"Autre ', 1))
    app.page.route("**/rpc", handle)
    app.page.evaluate("new BroadcastChannel('learntrack').postMessage({ kind: 'changes', tables: null, of: 1 })")


def region(app, name):
    return app.page.get_by_role("region", name=name, exact=True)


def items(app, name):
    return region(app, name).get_by_role("list", name=name).get_by_role("listitem")


def call_with(app, key, method="auth.me", params=None):
    """Calls the service as a program does that has the key. Returns the result, or the status and the reason."""
    request = urllib.request.Request(
        app.url + "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
    try:
        given = json.load(urllib.request.urlopen(request, timeout=30))
    except urllib.error.HTTPError as error:
        given = json.load(error)
    return given.get("result") or given["error"]["data"]


@story("administration", "an administrator gives a role with the record that it stands for, and takes it back", devices=BOTH, account=None)
def roles(app):
    account = begin(app)
    reader = new_reader(app)
    open_account(app, account)
    page, given = app.page, region(app, "Rôles")
    expect(given).to_contain_text("Aucun autre rôle.")
    given.get_by_role("button", name="Donner un rôle…").click()
    dialog = page.get_by_role("dialog", name="Donner un rôle")
    send = dialog.get_by_role("button", name="Donner ce rôle")
    role = dialog.get_by_role("combobox", name="Rôle")
    expect(role).to_be_focused()
    send.click()
    expect(role).to_have_attribute("aria-invalid", "true")
    # A role without a record asks for none.
    role.select_option(label="Lecture du comptage")
    expect(dialog.get_by_role("combobox")).to_have_count(1)
    role.select_option(label="Lecteur")
    send.click()
    picker = dialog.get_by_role("combobox", name="Lecteur")
    expect(picker).to_have_attribute("aria-invalid", "true")
    expect(picker).to_be_focused()
    app.axe()
    picker.fill(reader["name"])
    page.get_by_role("option", name=reader["name"]).click()
    app.shot("administration-role")
    send.click()
    expect(dialog).to_have_count(0)
    said(app, "Rôle donné")
    held = items(app, "Rôles").filter(has_text=reader["name"])
    expect(held).to_contain_text("Lecteur")
    stored = app.rpc("account_roles.list", {"where": {"account_id": account["id"]}, "select": "{ role subject }"})["items"]
    assert stored == [{"role": "bookshop_reader", "subject": reader["id"]}], stored
    app.axe()
    app.shot("administration-account")
    # The record has its page.
    held.get_by_role("link", name=reader["name"]).click()
    heading(app, reader["name"])
    page.go_back()
    heading(app, account["username"])
    # The same role for the same record is refused where one reads it.
    given.get_by_role("button", name="Donner un rôle…").click()
    role.select_option(label="Lecteur")
    picker.fill(reader["name"])
    page.get_by_role("option", name=reader["name"]).click()
    send.click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    page.keyboard.press("Escape")
    page.get_by_role("alertdialog", name="Abandonner les modifications").get_by_role("button", name="Abandonner").click()
    expect(dialog).to_have_count(0)
    held.get_by_role("button", name="Retirer").click()
    question = page.get_by_role("alertdialog", name="Retirer ce rôle")
    expect(question).to_contain_text(f"Lecteur, {reader['name']}")
    question.get_by_role("button", name="Annuler").click()
    expect(held).to_have_count(1)
    held.get_by_role("button", name="Retirer").click()
    question.get_by_role("button", name="Retirer").click()
    said(app, "Rôle retiré")
    expect(items(app, "Rôles")).to_have_count(0)
    # What was pressed is gone, and the focus is not lost.
    expect(given.get_by_role("button", name="Donner un rôle…")).to_be_focused()
    assert app.rpc("account_roles.list", {"where": {"account_id": account["id"]}})["items"] == []


@story("administration", "of records that the administrator may not read the number is given, and refused at its field", devices=["phone"], account=None)
def numbers(app):
    account = begin(app, GARDENS)
    # Administrators of this installation do not see the gardens.
    coordinator = new_account(app)
    app.rpc("account_roles.create", {"values": {"account_id": coordinator["id"], "role": "coordinator"}})
    gardener = app.rpc("gardeners.create", {"values": {"name": new_word().capitalize()}, "select": "{ id }"}, coordinator["email"])
    open_account(app, account)
    region(app, "Rôles").get_by_role("button", name="Donner un rôle…").click()
    dialog = app.page.get_by_role("dialog", name="Donner un rôle")
    role = dialog.get_by_role("combobox", name="Rôle")
    role.select_option(label="Jardinier")
    number = dialog.get_by_role("textbox", name="Fiche représentée")
    send = dialog.get_by_role("button", name="Donner ce rôle")
    for typed, message in (("", "Donnez une valeur"), ("999999", "qui existe")):
        number.fill(typed)
        send.click()
        expect(number).to_have_attribute("aria-invalid", "true")
        expect(number).to_be_focused()
        expect(dialog).to_contain_text(message)
    # What the service declares anew leaves the field and its focus as they are.
    number.evaluate("field => { field.isTheSame = true; }")
    with app.page.expect_response(lambda response: "rpc.domains" in (response.request.post_data or "")):
        declare_anew(app)
    app.settle()
    expect(number).to_be_focused()
    assert number.evaluate("field => field.isTheSame"), "the field was made anew"
    # A role that stands for no record asks for none, and another role for another record.
    for name in ("Coordinateur", "Lecture du comptage"):
        role.select_option(label=name)
        expect(number).to_have_count(0)
    role.select_option(label="Jardinier")
    expect(number).to_have_value("")
    number.fill(str(gardener["id"]))
    send.click()
    expect(dialog).to_have_count(0)
    expect(items(app, "Rôles")).to_contain_text(f"n°\u00a0{gardener['id']}")
    stored = app.rpc("account_roles.list", {"where": {"account_id": account["id"]}, "select": "{ role subject }"})["items"]
    assert stored == [{"role": "gardener", "subject": gardener["id"]}], stored
    # A role without a record is given without one.
    region(app, "Rôles").get_by_role("button", name="Donner un rôle…").click()
    role.select_option(label="Coordinateur")
    send.click()
    expect(items(app, "Rôles").filter(has_text="Coordinateur")).to_have_count(1)


@story("administration", "an administrator who takes a role stays signed in, and the page shows what others give", devices=["phone"], account=None)
def own_role(app):
    app.serve(*SERVED, program="probe-server")
    page = app.sign_in(path="/utilisateurs")
    # A change of roles ends the account's access tokens, and with them the feed, which then renews its own.
    app.allow_console("401")
    me = app.rpc("auth.me")
    app.move(f"/utilisateurs/{me['id']}")
    region(app, "Rôles").get_by_role("button", name="Donner un rôle…").click()
    dialog = page.get_by_role("dialog", name="Donner un rôle")
    dialog.get_by_role("combobox", name="Rôle").select_option(label="Lecture du comptage")
    dialog.get_by_role("button", name="Donner ce rôle").click()
    said(app, "Rôle donné")
    held = items(app, "Rôles")
    expect(held).to_have_count(1)
    app.settle()
    role = app.rpc("account_roles.list", {"where": {"account_id": me["id"]}, "select": "{ id }"})["items"][0]
    app.rpc("account_roles.delete", {"id": role["id"]})
    expect(held).to_have_count(0)
    expect(page.get_by_role("navigation", name="Navigation principale")).to_be_visible()
    expect(region(app, "Rôles")).to_contain_text("Aucun autre rôle.")


@story("administration", "an access key is made, shown once, used, and revoked", devices=BOTH, account=None)
def keys(app):
    account = begin(app)
    page = app.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_account(app, account)
    expect(region(app, "Clés d’accès")).to_contain_text("Aucune clé d’accès.")
    region(app, "Clés d’accès").get_by_role("button", name="Créer une clé…").click()
    dialog = page.get_by_role("dialog", name="Créer une clé d’accès")
    name, last = dialog.get_by_role("textbox", name="Nom"), dialog.get_by_label("Valable jusqu’au")
    send = dialog.get_by_role("button", name="Créer la clé")
    send.click()
    expect(name).to_have_attribute("aria-invalid", "true")
    name.fill("Export de la nuit")
    # The one role that the account has is chosen.
    expect(dialog.get_by_role("combobox", name="Rôle")).to_have_value("user")
    last.fill("2020-01-31")
    send.click()
    # The service's refusal stands at its field.
    expect(last).to_have_attribute("aria-invalid", "true")
    expect(dialog).to_contain_text("Donnez un instant à venir.")
    app.axe()
    last.fill("2100-12-31")
    app.shot("administration-key-form")
    send.click()
    copy = dialog.get_by_role("button", name="Copier la clé")
    expect(copy).to_be_focused()
    said(app, "Clé d’accès créée")
    expect(dialog).to_contain_text("elle ne sera plus affichée")
    app.axe()
    app.shot("administration-key")
    key = dialog.get_by_role("textbox", name=re.compile("^Clé")).input_value()
    assert key.startswith("lt_"), key
    # A key that is not copied is not lost by mistake.
    page.keyboard.press("Escape")
    page.get_by_role("alertdialog", name="Fermer sans copier la clé").get_by_role("button", name="Annuler").click()
    copy.click()
    said(app, "Clé copiée")
    assert page.evaluate("navigator.clipboard.readText()") == key
    dialog.get_by_role("button", name="Fermer").last.click()
    expect(dialog).to_have_count(0)
    expect(page.locator("body")).not_to_contain_text(key)
    entry = items(app, "Clés d’accès").filter(has_text="Export de la nuit")
    expect(entry).to_contain_text("Utilisateur · jusqu’au 31 déc. 2100 · jamais utilisée")
    me = call_with(app, key)
    assert me["email"] == account["email"], me
    # When it was used is noted to the minute, some time after the call.
    for _ in range(100):
        if app.rpc("auth.list_access_keys", {"account_id": account["id"]})["items"][0]["last_used_at"]:
            break
        page.wait_for_timeout(100)
    app.move("/utilisateurs")
    open_account(app, account)
    expect(entry).to_contain_text(re.compile("utilisée (à l’instant|il y a)"))
    app.axe()
    entry.get_by_role("button", name="Révoquer").click()
    question = page.get_by_role("alertdialog", name="Révoquer cette clé d’accès")
    expect(question).to_contain_text("Export de la nuit")
    question.get_by_role("button", name="Révoquer").click()
    said(app, "Clé d’accès révoquée")
    expect(items(app, "Clés d’accès")).to_have_count(0)
    for _ in range(50):
        refused = call_with(app, key)
        if refused.get("reason") == "revoked":
            break
        page.wait_for_timeout(100)
    assert refused.get("reason") == "revoked", refused


@story("administration", "a key in a role with several records acts for the one that is chosen", devices=["desktop"], account=None)
def subjects(app):
    account = begin(app)
    readers = [new_reader(app) for _ in range(2)]
    for reader in readers:
        app.rpc("account_roles.create", {"values": {"account_id": account["id"], "role": "bookshop_reader", "subject": reader["id"]}})
    open_account(app, account)
    expect(items(app, "Rôles")).to_have_count(2)
    expect(items(app, "Rôles").last).to_contain_text(readers[1]["name"])
    region(app, "Clés d’accès").get_by_role("button", name="Créer une clé…").click()
    dialog = app.page.get_by_role("dialog", name="Créer une clé d’accès")
    dialog.get_by_role("textbox", name="Nom").fill("Liseuse")
    role, record = dialog.get_by_role("combobox", name="Rôle"), dialog.get_by_role("combobox", name="Fiche représentée")
    role.select_option(label="Utilisateur")
    expect(record).to_have_count(0)
    role.select_option(label="Lecteur")
    dialog.get_by_role("button", name="Créer la clé").click()
    expect(record).to_have_attribute("aria-invalid", "true")
    record.select_option(label=readers[1]["name"])
    dialog.get_by_role("button", name="Créer la clé").click()
    key = dialog.get_by_role("textbox", name=re.compile("^Clé")).input_value()
    entry = items(app, "Clés d’accès").first
    expect(entry).to_contain_text(f"Lecteur, {readers[1]['name']} · sans limite de temps")
    made = call_with(app, key, "readers.list")
    assert [one["id"] for one in made["items"]] == [readers[1]["id"]] or made.get("code") == "forbidden", made
    # The key ends with the role, and the page says so.
    dialog.get_by_role("button", name="Fermer").last.click()
    app.page.get_by_role("alertdialog", name="Fermer sans copier la clé").get_by_role("button", name="Fermer").click()
    items(app, "Rôles").last.get_by_role("button", name="Retirer").click()
    app.page.get_by_role("alertdialog", name="Retirer ce rôle").get_by_role("button", name="Retirer").click()
    said(app, "Rôle retiré")
    expect(items(app, "Clés d’accès")).to_have_count(0)


@story("administration", "an installation without further roles has no region of them, and one without sessions no link to what is theirs", devices=["desktop"], account=None)
def without(app):
    app.sign_in(path="/utilisateurs/2")
    expect(region(app, "Clés d’accès").get_by_role("button", name="Créer une clé…")).to_be_visible()
    expect(region(app, "Rôles")).to_have_count(0)
    app.move("/utilisateurs")
    actions = app.page.get_by_role("main")
    for name in ("Organisme", "Envois", "Tâches planifiées"):
        expect(actions.get_by_role("link", name=name, exact=True)).to_be_visible()


@story("administration", "an installation without sessions has no link to what is theirs", devices=["desktop"], account=None)
def bookshop_alone(app):
    app.serve("--domains", "bookshop", *SERVED[2:], demo=False, program="probe-server")
    token = re.search(r"#setup=([\w.-]+)", app.server.printed())[1]
    app.rpc("auth.create_first_admin", {"token": token, "email": "admin@demo.learntrack.fr", "password": "demo-learntrack"}, None)
    app.sign_in(path="/utilisateurs")
    actions = app.page.get_by_role("main")
    expect(actions.get_by_role("link", name="Envois", exact=True)).to_be_visible()
    expect(actions.get_by_role("link", name="Organisme")).to_have_count(0)
    app.move("/profil")
    heading(app, "Profil")
    expect(app.page.get_by_role("region", name="Organisme")).to_have_count(0)
    expect(app.page.get_by_role("region", name="Programmes")).to_have_count(0)


def moment(**before):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**before)).isoformat()


def job(number, name, schedule, **rest):
    return {"id": number, "name": name, "schedule": schedule, "next_at": moment(minutes=-5), "last_started_at": None, "last_ended_at": None,
            "last_error": None, "failures": 0, **rest}


def serve_jobs(app, jobs, run=lambda jobs: None):
    """Answers in the place of the service, whose jobs do not fail when a story wants it."""
    def handle(route):
        asked = json.loads(route.request.post_data or "{}")
        method = asked.get("method") if isinstance(asked, dict) else None
        if method not in ("jobs.list", "jobs.run"):
            return route.fallback()
        if method == "jobs.run":
            run(jobs)
        result = {"items": jobs, "has_next_page": False, "end_cursor": None} if method == "jobs.list" else jobs[0]
        return route.fulfill(json={"jsonrpc": "2.0", "id": asked["id"], "result": result})

    app.page.route("**/rpc", handle)


@story("administration", "jobs say when they run, how long the last run took, and what failed", devices=BOTH)
def job_words(app):
    page = app.page
    jobs = [
        job(1, "prospects.relancer", "daily 7:30", last_started_at=moment(minutes=5, seconds=12), last_ended_at=moment(minutes=5)),
        job(2, "counting.close_days", "every 60", last_started_at=moment(seconds=1), last_ended_at=moment(seconds=0.8), last_error="canceling statement due to statement timeout",
            failures=3),
        job(3, "counting.fold", "every 300"),
    ]

    def run(all):
        all[0] |= {"last_started_at": moment(seconds=0.3), "last_ended_at": moment()}

    serve_jobs(app, jobs, run)
    app.move("/utilisateurs")
    heading(app, "Utilisateurs")
    app.settle()
    app.shot("administration-accounts")
    page.get_by_role("main").get_by_role("link", name="Tâches planifiées").click()
    heading(app, "Tâches planifiées")
    expect(page.get_by_role("status", name="Résultats")).to_have_text("3 tâches")
    entries = page.get_by_role("list", name="Tâches planifiées").get_by_role("listitem")
    expect(entries.nth(0)).to_contain_text("Chaque jour à 7 h 30")
    expect(entries.nth(0)).to_contain_text("Prochaine exécution dans 5 min")
    expect(entries.nth(0)).to_contain_text("Dernière exécution il y a 5 min, en 12 secondes")
    expect(entries.nth(1)).to_contain_text("Chaque minute")
    expect(entries.nth(1)).to_contain_text("Dernière exécution à l’instant, en moins d’une seconde")
    expect(entries.nth(1)).to_contain_text("A échoué 3 fois de suite. Détail technique\u202f: «\u00a0canceling statement due to statement timeout\u00a0».")
    expect(entries.nth(1).locator("[lang=en]")).to_have_text(jobs[1]["last_error"])
    expect(entries.nth(2)).to_contain_text("Toutes les 5 minutes")
    expect(entries.nth(2)).to_contain_text("Pas encore exécutée")
    app.axe()
    app.shot("administration-jobs")
    entries.nth(0).get_by_role("button", name="Lancer maintenant").click()
    expect(entries.nth(0)).to_contain_text("Dernière exécution à l’instant, en moins d’une seconde")
    said(app, "Tâche terminée")


@story("administration", "a job is run at once, and the page shows its end", devices=BOTH, account=None)
def jobs(app):
    app.serve(*SERVED, program="probe-server")
    page = app.sign_in(path="/taches")
    heading(app, "Tâches planifiées")
    entry = page.get_by_role("list", name="Tâches planifiées").get_by_role("listitem").filter(has_text="Chaque jour").first
    before = {one["id"]: one for one in app.rpc("jobs.list", {"where": {}})["items"]}
    entry.get_by_role("button", name="Lancer maintenant").click()
    said(app, "Tâche terminée")
    expect(entry).to_contain_text("Dernière exécution à l’instant")
    after = app.rpc("jobs.list", {"where": {}})["items"]
    assert any(one["last_started_at"] != before[one["id"]]["last_started_at"] and one["schedule"].startswith("daily") for one in after), after
    app.axe()
    app.shot("administration-jobs-served")


@story("administration", "narrow windows and large text need no sideways scrolling, in light and dark", devices=["phone"], account=None)
def narrow(app):
    account = begin(app)
    reader = app.rpc("readers.create", {"values": {"name": "Un nom " + "démesurément long " * 4}, "select": "{ id name }"})
    app.rpc("account_roles.create", {"values": {"account_id": account["id"], "role": "bookshop_reader", "subject": reader["id"]}})
    app.rpc("auth.create_access_key", {"account_id": account["id"], "role": "bookshop_reader", "name": "Une clé " + "démesurémentlongue" * 3})
    serve_jobs(app, [job(1, "un.nom.demesurement.long.de.tache", "every 60", last_error="x" * 120, failures=2)])
    app.page.reload()
    dialogs = (None, "Donner un rôle…", "Créer une clé…")
    for width, size in ((320, None), (390, "200%"), (320, "200%")):
        app.page.set_viewport_size({"width": width, "height": 700})
        app.page.evaluate("size => document.documentElement.style.fontSize = size", size or "")
        for path, button in [("/taches", None), *((f"/utilisateurs/{account['id']}", name) for name in dialogs), ("/utilisateurs", None)]:
            app.move(path)
            app.settle()
            if button:
                app.page.get_by_role("button", name=button).click()
            app.assert_no_sideways_scrolling()
            if button:
                box = app.page.get_by_role("dialog").evaluate("one => one.scrollWidth - one.clientWidth")
                assert box <= 0, f"{button} at {width} px, text {size}: {box} px too wide"
                app.page.keyboard.press("Escape")
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.page.evaluate("document.documentElement.style.fontSize = ''")
    for theme in ("light", "dark"):
        app.page.emulate_media(color_scheme=theme)
        for path, button in [("/taches", None), *((f"/utilisateurs/{account['id']}", name) for name in dialogs)]:
            app.move(path)
            app.settle()
            if button:
                app.page.get_by_role("button", name=button).click()
            app.page.wait_for_timeout(250)
            app.axe()
            app.shot(f"administration-{theme}-{re.sub('[^a-z]', '', (button or path).lower())}")
            if button:
                app.page.keyboard.press("Escape")


@story("administration", "the journal is filtered by what it may have entries of: neither jobs nor what is sent", devices=BOTH, account=None)
def journal_choices(app):
    app.serve(*SERVED, program="probe-server")
    page = app.sign_in(path="/journal")
    heading(app, "Journal")
    choices = page.get_by_label("Fiches").get_by_role("option")
    expect(choices.filter(has_text="Livres")).to_have_count(1)
    names = choices.all_text_contents()
    assert {"Sessions", "Signataires", "Utilisateurs", "Auteurs", "Lieux"} <= set(names), names
    assert not {"Tâches planifiées", "Envois", "Journal"} & set(names), names
