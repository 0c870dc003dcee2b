"""The page of an entity of which there is one record at most: see Tests/ProbeDomain/Gardens.swift."""
import re

from harness import expect, story
from story_declared import heading
from story_declared_shapes import GARDENS, coordinator, new_coordinator, new_plot
from story_odd import fits

BOTH = ["phone", "desktop"]
DOMAIN = re.compile("/probe$")
GARDEN = re.compile("/probe/gardens$")


def facts(app):
    return app.page.get_by_role("region", name="Fiche")


def unopened(app):
    """The same on an installation without plots, of which the first one would have made the garden."""
    app.serve("--domains", "crm,probe", *GARDENS[2:], demo=False, program="probe-server")
    token = re.search(r"#setup=([\w.-]+)", app.server.printed())[1]
    app.rpc("auth.create_first_admin", {"token": token, "email": "admin@demo.learntrack.fr", "password": "demo-learntrack"}, None)
    return new_coordinator(app)


def opened(app):
    """An account that reaches every plot, and one of them."""
    email = coordinator(app)
    return email, new_plot(app, email)


@story("declared single", "what does not exist yet is opened by its command, also without a network", account=None)
def opening(app):
    email = unopened(app)
    page = app.sign_in(email, path="/probe")
    heading(app, "Jardin")
    expect(page.get_by_role("region", name="Listes").get_by_role("link", name="Jardin", exact=True)).to_have_count(0)
    app.axe()
    app.shot("single-home")
    page.get_by_role("region", name="Fiches").get_by_role("link", name="Jardin", exact=True).click()
    expect(page).to_have_url(GARDEN)
    main = page.get_by_role("main")
    expect(main).to_contain_text("Le jardin n’existe pas encore.")
    expect(page.get_by_role("complementary", name="Liste")).to_have_count(0)
    app.axe()
    fits(app)
    app.shot("single-none")
    opener = main.get_by_role("button", name="Ouvrir le jardin")
    if app.is_phone:
        app.settle()
        app.offline()
        opener.click()
        expect(main.get_by_role("link", name="En attente d’envoi")).to_have_attribute("href", "/attente")
        expect(opener).to_have_count(0)
        app.axe()
        app.shot("single-waits")
        app.offline(False)
        expect(facts(app)).to_contain_text("Notre jardin", timeout=30_000)
    else:
        opener.click()
        expect(facts(app)).to_contain_text("Notre jardin")
        expect(page.get_by_role("status", name="Message")).to_have_text("Ouvrir le jardin\u202f: c’est fait")
        expect(main.get_by_role("heading", level=1)).to_be_focused()
    heading(app, "Jardin")
    expect(opener).to_have_count(0)
    expect(page).to_have_url(GARDEN)
    # The page is one place: Back leads to where one came from.
    page.go_back()
    expect(page).to_have_url(DOMAIN)


@story("declared single", "the page has what a record has, and its form leads back to it", devices=BOTH, account=None)
def change(app):
    email, plot = opened(app)
    page = app.sign_in(email, path="/probe/gardens")
    heading(app, "Jardin")
    expect(page).to_have_title("Jardin · LearnTrack")
    expect(facts(app)).to_contain_text("Nom")
    expect(page.get_by_role("region", name="Parcelles").get_by_role("listitem").first).to_be_visible()
    expect(page.get_by_role("button", name="Ouvrir le jardin")).to_have_count(0)
    expect(page.get_by_role("button", name="Supprimer")).to_have_count(0)
    app.settle()
    app.axe()
    fits(app)
    app.shot("single-page")
    page.get_by_role("link", name="Modifier").click()
    heading(app, "Modifier le jardin")
    expect(page.get_by_role("complementary", name="Liste")).to_have_count(0)
    page.get_by_label("Nom").fill("Les Joncs")
    app.axe()
    fits(app)
    app.shot("single-form")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page).to_have_url(GARDEN)
    expect(page.get_by_role("status", name="Message")).to_have_text("Jardin enregistré")
    expect(facts(app)).to_contain_text("Les Joncs")
    expect(page.get_by_role("region", name="Historique")).to_contain_text("Nom\u202f: ")
    # What another changes is seen.
    one = app.rpc("gardens.list", {"select": "{ id }"}, email)["items"][0]
    app.rpc("gardens.update", {"id": one["id"], "values": {"name": "Notre jardin"}}, email)
    expect(facts(app)).to_contain_text("Notre jardin")


@story("declared single", "an address with its number leads to it, and Back to where one was before", devices=BOTH, account=None)
def addresses(app):
    email, plot = opened(app)
    page = app.sign_in(email, path=f"/probe/plots/{plot['id']}")
    heading(app, plot["name"])
    link = facts(app).get_by_role("link", name="Notre jardin")
    expect(link).to_have_attribute("href", "/probe/gardens")
    link.click()
    heading(app, "Jardin")
    for path in "/probe/gardens/1", "/probe/gardens/987654", "/probe/gardens/nouveau":
        app.move(path)
        expect(page).to_have_url(GARDEN)
        heading(app, "Jardin")
        expect(facts(app)).to_contain_text("Notre jardin")
        expect(page.get_by_role("complementary", name="Liste")).to_have_count(0)
        page.go_back()
        expect(page).to_have_url(GARDEN)
    page.go_back()
    expect(page).to_have_url(re.compile(f"/probe/plots/{plot['id']}$"))
    app.go("/probe/gardens/1")
    expect(page).to_have_url(GARDEN)
    page.reload()
    heading(app, "Jardin")
    # It is found by its name, as a page of the navigation or as one of its domain.
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Aller à")
    dialog.get_by_role("combobox", name="Aller à").fill("jardin")
    found = dialog.get_by_role("option", name=re.compile("^Jardin(?!i)"))
    expect(found).to_have_count(1)
    expect(dialog.get_by_role("option", name=re.compile("Nouveau jardin$"))).to_have_count(0)
    found.click()
    expect(page).to_have_url(GARDEN)


@story("declared single", "lists are not narrowed by it, and their rows do not say it", account=None)
def lists(app):
    email, plot = opened(app)
    page = app.sign_in(email, path="/probe/plots")
    expect(page.get_by_role("list", name="Parcelles", exact=True).get_by_role("listitem").first).to_be_visible()
    expect(page.get_by_role("list", name="Parcelles", exact=True)).not_to_contain_text("Notre jardin")
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    dialog = page.get_by_role("dialog", name="Filtres")
    expect(dialog.get_by_label("État")).to_be_visible()
    expect(dialog.get_by_label("Jardin", exact=True)).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Nouvelle parcelle").first.click()
    heading(app, "Nouvelle parcelle")
    expect(page.get_by_label("Jardin", exact=True)).to_have_count(0)


@story("declared single", "without a network its page is there, also after a reload, and a change of it waits", account=None)
def offline(app):
    email, plot = opened(app)
    page = app.sign_in(email, path="/probe/plots")
    app.wait_for_copy()
    app.settle()
    # The small tables of further domains are copied after LearnTrack's own.
    page.wait_for_timeout(2_000)
    app.settle()
    app.offline()
    app.go("/probe/gardens")
    heading(app, "Jardin")
    expect(facts(app)).to_contain_text("Notre jardin")
    page.get_by_role("link", name="Modifier").click()
    page.get_by_label("Nom").fill("Les Saules")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, "Jardin")
    expect(facts(app)).to_contain_text("Les Saules")
    expect(page.get_by_role("main")).to_contain_text("En attente d’envoi")
    app.axe()
    app.shot("single-offline")
    app.move("/attente")
    expect(page.get_by_role("list", name="Modifications en attente")).to_contain_text("Modification du jardin")
    app.offline(False)
    expect(page.get_by_role("main")).to_contain_text("Tout ce que vous avez saisi est enregistré.", timeout=30_000)
    one = app.rpc("gardens.list", {"select": "{ id name }"}, email)["items"][0]
    assert one["name"] == "Les Saules", one
    app.rpc("gardens.update", {"id": one["id"], "values": {"name": "Notre jardin"}}, email)
