"""Forms and pages of columns and parameters that are objects, lists of objects and files: see Plots, Plantings and Greenhouse in
Tests/ProbeDomain."""
import base64
import re

from harness import expect, new_word, press_choice, story
from story_declared import SERVED, heading
from story_odd import fits

GARDENS = [part.replace("bookshop", "bookshop,odd,probe") for part in SERVED]


def coordinator(app):
    """The address of a new account that reaches every plot."""
    app.serve(*GARDENS, program="probe-server")
    return new_coordinator(app)


def new_coordinator(app):
    email = f"{new_word()}@demo.learntrack.fr"
    account = app.rpc("users.create", {"values": {"email": email, "role": "user", "password": "demo-learntrack"}, "select": "{ id }"})
    app.rpc("account_roles.create", {"values": {"account_id": account["id"], "role": "coordinator"}})
    return email


def new_plot(app, email, **values):
    gardener = app.rpc("gardeners.create", {"values": {"name": new_word().capitalize()}, "select": "{ id }"}, email)
    numbers = [one["number"] for one in app.rpc("plots.list", {"select": "{ number }", "first": 500}, email)["items"]]
    number = next(one for one in range(100, 1000) if one not in numbers)
    given = {"gardener_id": gardener["id"], "number": number, "name": new_word().capitalize(), **values}
    return app.rpc("plots.create", {"values": given, "select": "{ id name version }"}, email)


def soil(app, plot, email):
    return app.rpc("plots.get", {"id": plot["id"], "select": "{ soil }"}, email)["soil"]


@story("declared shapes", "an object is a group of fields, and a list in it one of groups that are added, moved and taken out", account=None)
def groups(app):
    email = coordinator(app)
    plot = new_plot(app, email)
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}/modifier")
    heading(app, "Modifier la parcelle")
    ground = page.get_by_role("group", name="Terre", exact=True)
    ground.get_by_label("Texture").select_option(label="Limon")
    treated = ground.get_by_role("group", name="Amendements", exact=True)
    treated.get_by_role("button", name="Ajouter").click()
    first = treated.get_by_role("group", name="Amendements 1", exact=True)
    expect(first.get_by_label("Produit")).to_be_focused()
    # What is needed and missing stands at its place.
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("2 champs à corriger\u202f: Amendements 1, Produit, Amendements 1, Doses")
    expect(first.get_by_label("Produit")).to_have_attribute("aria-invalid", "true")
    expect(first.get_by_label("Produit")).to_be_focused()
    first.get_by_label("Produit").fill("Chaux")
    expect(first.get_by_label("Produit")).not_to_have_attribute("aria-invalid", "true")
    press_choice(first.get_by_role("radio", name="2"))
    treated.get_by_role("button", name="Ajouter").click()
    second = treated.get_by_role("group", name="Amendements 2", exact=True)
    second.get_by_label("Produit").fill("Compost")
    press_choice(second.get_by_role("radio", name="5"))
    app.axe()
    fits(app)
    second.get_by_role("button", name="Monter").click()
    expect(first.get_by_label("Produit")).to_have_value("Compost")
    expect(first.get_by_role("button", name="Descendre")).to_be_focused()
    treated.get_by_role("button", name="Ajouter").click()
    expect(treated).to_contain_text("3 au plus.")
    treated.get_by_role("group", name="Amendements 3", exact=True).get_by_role("button", name="Retirer").click()
    # A second press takes out no other element.
    expect(treated.get_by_role("button", name="Ajouter")).to_be_focused()
    # What the service alone refuses stands at its place, too.
    ground.get_by_label("Profondeur, en cm").fill("900")
    page.get_by_role("button", name="Enregistrer").click()
    expect(ground.get_by_label("Profondeur, en cm")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Terre, Profondeur, en cm")
    app.axe()
    app.shot("shapes-form")
    ground.get_by_label("Profondeur, en cm").fill("45")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, plot["name"])
    assert soil(app, plot, email) == {
        "texture": "loam", "depth": 45, "amendments": [{"what": "Compost", "doses": 5}, {"what": "Chaux", "doses": 2}]}, soil(app, plot, email)
    # The page reads as a page.
    facts = page.get_by_role("region", name="Fiche")
    expect(facts).to_contain_text("Limon")
    expect(facts.get_by_role("table", name="Amendements").get_by_role("row")).to_have_text(["ProduitDoses", "Compost5", "Chaux2"])
    expect(facts).not_to_contain_text("{")
    app.axe()
    fits(app)
    app.shot("shapes-page")
    # The history, too.
    expect(page.get_by_role("region", name="Historique")).to_contain_text("Terre\u202f: vide → Texture\u202f: Limon, Profondeur, en cm\u202f: 45")
    # An object that is emptied is none.
    page.get_by_role("link", name="Modifier").click()
    heading(app, "Modifier la parcelle")
    ground.get_by_label("Texture").select_option(label="–")
    ground.get_by_label("Profondeur, en cm").fill("")
    for _ in range(2):
        first.get_by_role("button", name="Retirer").click()
    expect(treated.get_by_role("button", name="Ajouter")).to_be_focused()
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, plot["name"])
    assert soil(app, plot, email) is None


@story("declared shapes", "what was typed in groups survives a crash, and opening a form changes nothing", account=None)
def draft(app):
    email = coordinator(app)
    plot = new_plot(app, email, soil={"texture": "clay", "amendments": [{"what": "Sable", "doses": 1}]})
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}/modifier")
    heading(app, "Modifier la parcelle")
    treated = page.get_by_role("group", name="Amendements", exact=True)
    expect(treated.get_by_label("Produit")).to_have_value("Sable")
    app.settle()
    # Nothing was typed: one leaves without a question.
    app.move(f"/probe/plots/{plot['id']}")
    heading(app, plot["name"])
    app.move(f"/probe/plots/{plot['id']}/modifier")
    heading(app, "Modifier la parcelle")
    treated.get_by_role("button", name="Ajouter").click()
    treated.get_by_role("group", name="Amendements 2", exact=True).get_by_label("Produit").fill("Fumier")
    page.wait_for_timeout(900)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("about:blank")
    app.go(f"/probe/plots/{plot['id']}/modifier")
    expect(page.get_by_role("main")).to_contain_text("Votre saisie précédente a été reprise.")
    expect(treated.get_by_role("group", name="Amendements 2", exact=True).get_by_label("Produit")).to_have_value("Fumier")
    page.get_by_role("button", name="Repartir de zéro").click()
    expect(treated.get_by_role("group", name=re.compile("^Amendements \\d"))).to_have_count(1)


@story("declared shapes", "two people change an object: the versions stand beside each other in words", account=None)
def conflict(app):
    email = coordinator(app)
    plot = new_plot(app, email, soil={"texture": "clay", "depth": 20})
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}/modifier")
    depth = page.get_by_role("group", name="Terre", exact=True).get_by_label("Profondeur, en cm")
    expect(depth).to_have_value("20")
    app.rpc("plots.update", {"id": plot["id"], "values": {"soil": {"texture": "sand", "depth": 20}}}, email)
    depth.fill("60")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps")
    expect(dialog.get_by_role("table")).to_contain_text("Texture\u202f: Argile, Profondeur, en cm\u202f: 60")
    expect(dialog.get_by_role("table")).to_contain_text("Texture\u202f: Sable, Profondeur, en cm\u202f: 20")
    app.axe()
    app.shot("shapes-conflict")
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    heading(app, plot["name"])
    assert soil(app, plot, email)["texture"] == "clay"


@story("declared shapes", "a command takes a list of objects, and says at its place what is wrong", account=None)
def command(app):
    email = coordinator(app)
    plot = new_plot(app, email)
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}")
    page.get_by_role("button", name="Semer").click()
    dialog = page.get_by_role("dialog", name="Semer")
    sown = dialog.get_by_role("group", name="Semis", exact=True)
    dialog.get_by_role("button", name="Semer").click()
    expect(dialog.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Semis")
    sown.get_by_role("button", name="Ajouter").click()
    line = sown.get_by_role("group", name="Semis 1", exact=True)
    expect(line.get_by_label("Nombre de plants")).to_have_value("1")
    line.get_by_label("Culture").fill("tomate")
    line.get_by_label("Nombre de plants").fill("beaucoup")
    dialog.get_by_role("button", name="Semer").click()
    expect(line.get_by_label("Nombre de plants")).to_have_attribute("aria-invalid", "true")
    app.axe()
    app.shot("shapes-command")
    line.get_by_label("Nombre de plants").fill("12")
    dialog.get_by_role("button", name="Semer").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("region", name="Plantations")).to_contain_text("tomate")


# A picture of one pixel.
DOT = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


@story("declared shapes", "a file is chosen, told what it may be, seen, replaced and taken out", account=None)
def file(app):
    email = coordinator(app)
    season = app.rpc("seasons.current", {"select": "{ id }"}, email)
    app.rpc("seasons.update", {"id": season["id"], "values": {"poster": None}}, email)
    page = app.sign_in(email, path=f"/probe/seasons/{season['id']}/modifier")
    heading(app, "Modifier la saison")
    poster = page.get_by_role("group", name="Affiche")
    expect(poster).to_contain_text("PNG ou PDF, 10 ko au plus.")
    choice = poster.get_by_label("Choisir un fichier…")
    choice.set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"})
    expect(poster).to_contain_text("Choisissez un fichier PNG ou PDF\u202f: celui-ci est d’un autre genre (PLAIN).")
    choice.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": DOT + bytes(12_000)})
    expect(poster).to_contain_text("Ce fichier a 12\u00a0ko\u202f: 10\u00a0ko au plus.")
    app.axe()
    # What only the service sees.
    app.allow_console("415|413|400")
    choice.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"no picture"})
    expect(poster.locator(".field-message")).to_be_visible()
    expect(poster).not_to_contain_text("Ce fichier a")
    choice.set_input_files({"name": "affiche.png", "mimeType": "image/png", "buffer": DOT})
    expect(poster).to_contain_text("affiche.png, PNG, ")
    expect(poster.locator("img")).to_be_visible()
    expect(poster.locator(".field-message")).to_have_count(0)
    app.axe()
    fits(app)
    app.shot("file-form")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Saison enregistrée")
    facts = page.get_by_role("region", name="Fiche")
    expect(facts.get_by_role("img", name="Affiche")).to_be_visible()
    expect(facts.get_by_role("link", name="Ouvrir en grand")).to_have_attribute("href", re.compile("^/documents/"))
    app.axe()
    app.shot("file-page")
    expect(page.get_by_role("region", name="Historique")).to_contain_text("Affiche\u202f: fichier ajouté")
    page.get_by_role("link", name="Modifier").click()
    heading(app, "Modifier la saison")
    expect(poster.get_by_role("img", name="Affiche")).to_be_visible()
    poster.get_by_role("button", name="Retirer").click()
    expect(poster.get_by_label("Choisir un fichier…")).to_be_focused()
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Saison enregistrée")
    expect(page).to_have_url(re.compile(r"/seasons/\d+$"))
    expect(facts.get_by_role("img", name="Affiche")).to_have_count(0)
    assert app.rpc("seasons.get", {"id": season["id"], "select": "{ poster }"}, email)["poster"] is None
