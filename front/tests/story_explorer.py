"""The explorer: texts that are completed and checked, records that are chosen, signing in where it is missing, code that runs."""
import json
import pathlib
import subprocess
import tempfile

from explorer_page import field, opened, run
from harness import ACCOUNTS, PASSWORD, ROOT, expect, story


def named(page, name):
    """What is said of the record that a field names."""
    return page.locator(f"[data-path='/values/{name}'] ~ .below .record")


def options(page):
    """The labels of the list that is open, in their order."""
    expect(page.get_by_role("listbox", name="Propositions")).to_be_visible()
    return page.locator("#suggestions .label").all_inner_texts()


def active(page):
    """The label of the option that a screen reader says, by the attributes of the input."""
    return page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.querySelector('.label').textContent")


@story("explorer", "a selection is completed with columns, relations and arguments, by the keyboard alone", account=None)
def completion(app):
    page = opened(app, "clients.list")
    select = field(page, "select")
    select.press_sequentially("{ rais")
    assert options(page) == ["raison_sociale"], options(page)
    assert active(page) == "raison_sociale"
    expect(page.locator("#suggested")).to_have_text("1 proposition")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox")).to_be_hidden()
    # A relation brings its set, in which the columns of its entity follow.
    select.press_sequentially(" sess")
    page.keyboard.press("Tab")
    expect(select).to_have_value("{ raison_sociale sessions(first: 10) {  }")
    names = options(page)
    assert "module" in names and "formateur" in names and "raison_sociale" not in names, names
    assert active(page) is None, "Return is still a new line"
    page.keyboard.press("Escape")
    select.press_sequentially("modu")
    page.keyboard.press("Enter")
    # Arguments, and the columns and operators of their filter.
    select.evaluate("input => { const at = input.value.indexOf('first: 10') + 9; input.setSelectionRange(at, at); }")
    select.press_sequentially(", wh")
    page.keyboard.press("Enter")
    assert "modalite" in options(page) and "and" in options(page)
    select.press_sequentially("moda")
    page.keyboard.press("Enter")
    assert options(page)[:2] == ["P", "D"], options(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(select).to_have_value("""{ raison_sociale sessions(first: 10, where: {modalite: "P"}) { module }""")
    # One step of undoing takes a completion back.
    page.keyboard.press("Control+Z")
    assert '"P"' not in select.input_value()
    page.keyboard.press("Control+Shift+Z")
    page.keyboard.press("Control+End")
    select.press_sequentially("}")
    select.blur()
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    run(page)
    expect(page.locator("#outcome")).to_contain_text("Réussi")
    app.axe()
    app.assert_no_sideways_scrolling()


@story("explorer", "Control and Space ask for a completion, a pointer chooses it, and Escape and leaving close it", account=None)
def asked(app):
    page = opened(app, "sessions.aggregate")
    select = field(page, "select")
    select.fill("{  }")
    select.evaluate("input => input.setSelectionRange(2, 2)")
    page.keyboard.press("Control+Space")
    assert options(page) == ["count", "sum", "avg", "min", "max"], options(page)
    app.axe()
    page.get_by_role("option", name="sum").click()
    assert "tarif_client" in options(page) and "module" not in options(page), options(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(select).to_be_focused()
    group = field(page, "group_by")
    group.press_sequentially("mon")
    assert options(page)[0] == "month(date)", options(page)
    field(page, "search").focus()
    expect(page.get_by_role("listbox")).to_be_hidden()


@story("explorer", "what a selection and a filter have that does not exist is marked at its place before the call", account=None)
def checking(app):
    page = opened(app, "sessions.list")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/rpc") else None)
    select = field(page, "select")
    select.fill("{ id modul\n  formateur { nmo } }")
    select.blur()
    notes = page.locator(".editor", has=select).get_by_role("listitem")
    expect(notes).to_have_count(2)
    expect(notes.nth(0)).to_contain_text("Ligne 1, colonne 6 : « modul » n’existe pas dans « sessions » : vouliez-vous « module » ?")
    expect(notes.nth(1)).to_contain_text("Ligne 2, colonne 15 : « nmo » n’existe pas dans « formateurs »")
    expect(select).to_have_attribute("aria-invalid", "true")
    assert page.locator(".mirror mark").all_inner_texts() == ["modul", "nmo"]
    # The place leads there, and the better name replaces the wrong one.
    notes.nth(1).get_by_role("button", name="Ligne 2").click()
    assert select.evaluate("input => input.value.slice(input.selectionStart, input.selectionEnd)") == "nmo"
    notes.nth(1).get_by_role("button", name="Remplacer par nom").click()
    notes.nth(0).get_by_role("button", name="Remplacer par module").click()
    expect(select).to_have_value("{ id module\n  formateur { nom } }")
    expect(notes).to_have_count(0)

    where = field(page, "where")
    mistakes = {
        '{"dat": 1}': "« dat » n’existe pas dans « sessions » : vouliez-vous « date » ?",
        '{"date": {"get": "2026-01-01"}}': "L’opérateur « get » n’existe pas",
        '{"date": "2026-02-30"}': "Donnez une date qui existe",
        '{"tarif_client": {"gte": "mille"}}': "Donnez un nombre, sans guillemets",
        '{"modalite": "X"}': "Donnez « P » ou « D ».",
        '{"or": {"id": 1}}': "Donnez une liste",
        '{"client_id": [1, 2]}': "pour plusieurs, utilisez l’opérateur « in »",
        '{"not": {"formateur": {"nmo": null}}}': "« nmo » n’existe pas dans « formateurs »",
        '{"id": 1,}': "La virgule qui précède est de trop.",
    }
    note = page.locator(".editor", has=where).get_by_role("listitem").first
    for text, message in mistakes.items():
        where.fill(text)
        where.blur()
        expect(note).to_contain_text(message)
    assert not sent, "nothing has been sent"
    where.fill('{"or": [{"formateur": {"nom": {"ilike": "d%"}}}, {"not": {"modalite": "P"}}], "id": {"in": [1, 2, null]}}')
    where.blur()
    expect(note).to_have_count(0)
    # The service agrees.
    run(page)
    expect(page.locator("#outcome")).to_contain_text("Réussi")
    # As JSON, too: params, and the selection in them.
    page.locator("label", has=page.locator("#as-json")).click()
    raw = page.get_by_label("Paramètres en JSON")
    raw.fill('{"frist": 1, "select": "{ id client { nom } }"}')
    raw.blur()
    notes = page.locator(".editor", has=raw).get_by_role("listitem")
    expect(notes).to_have_count(2)
    expect(notes.nth(0).get_by_role("button", name="Remplacer par first")).to_be_visible()
    expect(notes.nth(1)).to_contain_text("Ligne 1, colonne 39")
    notes.nth(0).get_by_role("button", name="Remplacer par first").click()
    assert raw.input_value().startswith('{"first": 1,'), raw.input_value()
    raw.fill('{"select": null, "search": null}')
    raw.blur()
    expect(notes).to_have_count(0)
    app.axe()
    app.assert_no_sideways_scrolling()


@story("explorer", "the relations of an entity are in sight, and a click adds one to the selection", account=None)
def relations(app):
    page = opened(app, "formateurs.get")
    group = page.get_by_role("group", name="Relations de formateurs")
    button = group.get_by_role("button", name="sessions")
    select = field(page, "select")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(select).to_have_value("{ id nom prenom sessions(first: 10) { id module date debut } }")
    page.get_by_role("combobox", name="id").fill("4")
    run(page)
    expect(page.locator("#outcome")).to_contain_text("Réussi")
    assert "sessions" in page.locator("#answer").inner_text()
    button.click()
    expect(select).to_have_value("{ id nom prenom }")
    # A selection with more than names keeps what it has.
    select.fill("{ qui: nom # le nom\n  sessions(where: {modalite: \"P\"}) { date } }")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(select).to_have_value("{ qui: nom # le nom }")


def abouts(page):
    """What stands behind the labels of the list that is open, by these."""
    return dict(page.evaluate("""
        [...document.querySelectorAll('#suggestions li')].map(one => ['.label', '.about'].map(part => one.querySelector(part)?.textContent ?? ''))"""))


@story("explorer", "what people read stands beside the names of methods, fields and words", devices=["desktop"], account=None)
def labels(app):
    page = opened(app, "sessions.decaler", account=None)
    expect(page.locator("#method-label")).to_have_text("Décaler")
    expect(page.locator("label[for='p-date'] .says")).to_have_text("Nouvelle date")
    expect(page.locator("#p-date-hint")).to_have_text("Le nouveau jour.")
    # The list finds a method by its label, too.
    page.locator("#filter").fill("changer d’etape")
    page.locator("#filter").press("Enter")
    expect(page.locator("#name")).to_have_text("prospects.avancer")
    expect(page.locator("#p-etape option").nth(1)).to_have_text("perdu – Perdu")
    page.evaluate("location.hash = '#clients.create'")
    expect(page.locator("#name")).to_have_text("clients.create")
    expect(page.locator("#method-label")).to_be_hidden()
    email = page.locator("label[for='p-values-email']")
    expect(email.locator(".says")).to_have_text("Adresse e-mail")
    # The text below does not repeat the label.
    assert not page.locator("#p-values-email-hint").inner_text().startswith("Adresse"), page.locator("#p-values-email-hint").inner_text()

    page.evaluate("location.hash = '#sessions.list'")
    expect(page.locator("#name")).to_have_text("sessions.list")
    where = field(page, "where")
    where.press_sequentially('{"moda')
    expect(page.locator("#suggestions")).to_be_visible()
    assert abouts(page)["modalite"].startswith("Modalité – "), abouts(page)
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Space")
    expect(page.locator("#suggestions .label").first).to_have_text("P")
    assert abouts(page)["P"] == "Présentiel", abouts(page)
    page.keyboard.press("Escape")
    order = field(page, "order_by")
    order.press_sequentially("formateur.nom")
    expect(page.locator("#suggestions")).to_be_visible()
    assert abouts(page)["formateur.nom_complet"] == "Formateur › Nom complet", abouts(page)
    page.keyboard.press("Escape")

    page.locator("#tab-reference").click()
    page.evaluate("for (const one of document.querySelectorAll('#panel-reference details')) one.open = true")
    result = page.locator("#panel-reference dt", has_text="modalite").last
    page.wait_for_function("() => document.querySelectorAll('#panel-reference dt .says').length > 10")
    expect(result).to_contain_text("Modalité")
    expect(page.locator("#panel-reference .choice-word", has_text="Présentiel").first).to_contain_text("P")
    app.axe()


@story("explorer", "a record for a foreign key is searched, chosen and shown by its name", account=None)
def records(app):
    page = opened(app, "sessions.create")
    trainer = page.get_by_role("combobox", name="formateur_id")
    expect(trainer).to_have_attribute("aria-expanded", "false")
    trainer.press_sequentially("dupont fran")
    expect(page.get_by_role("option", name="Dupont François")).to_be_visible()
    expect(trainer).to_have_attribute("aria-expanded", "true")
    app.axe()
    page.keyboard.press("Enter")
    found = app.rpc("formateurs.list", {"search": "dupont fran", "first": 1})["items"][0]
    expect(trainer).to_have_value(str(found["id"]))
    expect(named(page, "formateur_id")).to_have_text("Dupont François")
    # Without words, the first records.
    client = page.get_by_role("combobox", name="client_id")
    client.click()
    expected = [one["raison_sociale"] for one in app.rpc("clients.list", {"first": 20})["items"]]
    expect(page.locator("#suggestions li")).to_have_count(len(expected))
    assert options(page) == expected, options(page)
    page.keyboard.press("Escape")
    # An id that is typed shows its record.
    client.fill("3")
    client.blur()
    expect(named(page, "client_id")).to_have_text(app.rpc("clients.get", {"id": 3})["raison_sociale"])
    client.fill("999999")
    client.blur()
    expect(named(page, "client_id")).to_have_text("Aucun enregistrement n’a l’identifiant 999999.")
    client.fill("quelconque")
    page.keyboard.press("ArrowDown")
    expect(named(page, "client_id")).to_have_text("Aucun enregistrement ne correspond.")
    app.assert_no_sideways_scrolling()


@story("explorer", "beside a refused call are a button to sign in and the demo accounts, and the call is sent again", account=None)
def refused(app):
    page = opened(app, "clients.list", account=None)
    run(page)
    expect(page.locator("#outcome")).to_contain_text("Erreur 401")
    beside = page.get_by_role("group", name="Connexion")
    app.axe()
    beside.get_by_role("button", name="Se connecter").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Adresse e-mail").fill(ACCOUNTS["user"])
    dialog.get_by_label("Mot de passe").fill("un autre")
    dialog.get_by_role("button", name="Se connecter").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    dialog.get_by_label("Mot de passe").fill(PASSWORD)
    dialog.get_by_role("button", name="Se connecter").click()
    expect(page.locator("#outcome")).to_contain_text("Réussi")
    expect(beside).to_be_hidden()
    expect(page.locator("#who")).to_have_text(f"{ACCOUNTS['user']} (user)")

    page.get_by_role("button", name="Se déconnecter").click()
    run(page)
    for account in ("admin", "user"):
        expect(beside.get_by_role("button", name=ACCOUNTS[account])).to_be_visible()
    beside.get_by_role("button", name=ACCOUNTS["admin"]).click()
    expect(page.locator("#outcome")).to_contain_text("Réussi")
    expect(page.locator("#who")).to_have_text(f"{ACCOUNTS['admin']} (admin)")
    # A wrong password in a call is not a call without a sign-in.
    app.go("/explorer#auth.login")
    expect(page.get_by_role("heading", name="auth.login")).to_be_visible()
    page.locator("#p-email").fill(ACCOUNTS["user"])
    page.locator("#p-password").fill("un autre")
    run(page)
    expect(page.locator("#outcome")).to_contain_text("Erreur 401")
    expect(beside).to_be_hidden()
    app.assert_no_sideways_scrolling()


@story("explorer", "the code of a call runs as it is, whatever the params contain", devices=["desktop"], account=None)
def code(app):
    page = opened(app, "clients.list")
    name = "L'Été $HOME `date` \\ \"ici\" !"
    client = app.rpc("clients.create", {"values": {"raison_sociale": name}})
    page.locator("label", has=page.locator("#as-json")).click()
    page.get_by_label("Paramètres en JSON").fill(
        json.dumps({"where": {"raison_sociale": name}, "select": "{ id\n  raison_sociale }"}, ensure_ascii=False))
    expected = {"id": client["id"], "raison_sociale": name}
    page.get_by_role("tab", name="Code").click()

    def text(language):
        page.locator("label", has=page.locator(f"[value={language}]")).click()
        return page.locator("#code").inner_text()

    def output(*command, environment=None, **given):
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin", **(environment or {})}, **given)
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return ended.stdout

    for shell in ("/bin/sh", "/bin/bash"):
        assert json.loads(output(shell, "-c", text("curl")))["result"]["items"] == [expected], shell
    # As it is pasted into a terminal.
    assert json.loads(output("/bin/bash", input=text("curl") + "\n"))["result"]["items"] == [expected]
    assert json.loads(output("python3", "-c", text("Python")))["items"] == [expected]
    show = "\nconsole.log(JSON.stringify(result.items));"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "call.mjs").write_text(text("JavaScript") + show)
        assert json.loads(output("node", folder / "call.mjs").splitlines()[-1]) == [expected]
        # With the client that the build of the front has printed.
        (folder / "learntrack.ts").write_text((ROOT / ".build/front-types/learntrack.ts").read_text())
        (folder / "call.ts").write_text(text("TypeScript") + show)
        output(
            "tsc", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom",
            "--noEmit", "call.ts", cwd=folder)
        output("esbuild", "call.ts", "--bundle", "--format=esm", "--platform=node", "--outfile=bundle.mjs", cwd=folder)
        assert json.loads(output("node", folder / "bundle.mjs").splitlines()[-1]) == [expected]
    # Without the token, for those who pass the code on.
    token = page.evaluate("JSON.parse(sessionStorage.getItem('explorer.tokens')).access_token")
    assert token in text("curl")
    page.get_by_label("Avec mon jeton").uncheck()
    assert "eyJ" not in text("curl") and "eyJ" not in text("Python") and "$TOKEN" in text("curl")
    assert json.loads(output("/bin/sh", "-c", text("curl"), environment={"TOKEN": token}))["result"]["items"] == [expected]
    assert json.loads(output("python3", "-c", text("Python"), environment={"TOKEN": token}))["items"] == [expected]
    page.get_by_label("Avec mon jeton").check()
    # A method without a sign-in takes no token.
    app.go("/explorer#rpc.discover")
    expect(page.get_by_role("heading", name="rpc.discover")).to_be_visible()
    page.get_by_role("tab", name="Code").click()
    discover = text("curl")
    assert "TOKEN" not in discover, discover
    assert json.loads(output("/bin/sh", "-c", discover))["result"]["openrpc"]
    app.rpc("clients.delete", {"id": client["id"]})
