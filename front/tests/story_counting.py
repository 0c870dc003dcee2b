"""How many people are in a place: the page of an installation that serves the domain of people counters."""
import re
import time

from harness import expect, press_choice, story
from names import THIN
from story_offline import Network


def count(app, place):
    """The people in the place, as the service counts."""
    states = app.rpc("counter_states.list", {"where": {"location_id": place["id"]}, "select": "{ current_count }"})["items"]
    return states[0]["current_count"]


def figure(app):
    return app.page.get_by_role("group", name=re.compile("personnes sur"))


def figure_is(app, number):
    expect(figure(app)).to_have_attribute("aria-label", re.compile(rf"^{number} personnes sur"))


def begin(app):
    """A place of this story, on its page."""
    app.serve("--domains", "crm,counting")
    app.sign_in()
    place = app.rpc("locations.create", {"values": {
        "name": "Salle Cassini", "max_capacity": 70, "timezone": "Europe/Paris"}, "select": "{ id name }"})
    app.go(f"/comptage?lieu={place['id']}")
    expect(app.page.get_by_role("heading", name="Salle Cassini")).to_be_visible()
    figure_is(app, 0)
    return place


@story("counting", "the page shows the live figure, the curve of the day and the periods, and the navigation leads there at once", account=None)
def page(app):
    place = begin(app)
    page = app.page
    # On a phone the profile leads there.
    link = (page.get_by_role("main") if app.is_phone else page.get_by_role("navigation")).get_by_role("link", name="Comptage")
    if not app.is_phone:
        expect(link).to_have_attribute("aria-current", "page")
    app.rpc("entries.override", {"location_id": place["id"], "delta": 1, "count": 42})
    figure_is(app, 42)
    expect(page.get_by_role("main")).to_contain_text(f"60{THIN}% d’occupation")
    expect(page.get_by_role("meter", name="Occupation")).to_have_attribute("aria-valuetext", f"60{THIN}%")
    for period, name in (("Aujourd’hui", "Personnes présentes aujourd’hui"), ("7 jours", "Maximum de personnes présentes"),
                         ("30 jours", "Maximum de personnes présentes"), ("Année", "Maximum de personnes présentes")):
        press_choice(page.get_by_role("radiogroup", name="Période").get_by_role("radio", name=period))
        expect(page.get_by_role("figure", name=name)).to_be_visible()
    expect(page).to_have_url(re.compile("periode=annee"))
    page.get_by_text("Voir les chiffres").click()
    table = page.get_by_role("table", name="Maximum de personnes présentes")
    expect(table).to_be_visible()
    # The figures are asked for again, and what the person has opened stays open.
    with page.expect_request(lambda request: "counter_charts" in (request.post_data or ""), timeout=15_000):
        app.rpc("entries.override", {"location_id": place["id"], "delta": 1})
    app.settle()
    expect(table.get_by_role("row").last).to_contain_text("43")
    expect(page.get_by_role("figure").locator(".legend-one")).to_have_text(["Maximum", "Moyenne", "Capacité"])
    # Too many people are said in words, not by a colour alone.
    mine = page.get_by_role("list", name="Lieux").get_by_role("link", name=place["name"])
    expect(mine).not_to_contain_text("Capacité dépassée")
    app.rpc("entries.override", {"location_id": place["id"], "delta": 1, "count": 43})
    figure_is(app, 86)
    expect(mine).to_contain_text("Capacité dépassée")
    expect(page.get_by_role("region", name=place["name"])).to_contain_text("Capacité dépassée")
    app.axe()
    app.assert_no_sideways_scrolling()
    # The next page has the way there from its first paint: on a desktop by the switch of domains.
    app.go("/profil" if app.is_phone else "/sessions")
    if not app.is_phone:
        page.get_by_role("navigation").get_by_role("button", name=re.compile("^Domaine")).click(timeout=1_500)
        link = page.get_by_role("dialog", name="Domaines").get_by_role("link", name="Comptage")
    expect(link).to_be_visible(timeout=1_500)


@story("counting", "each press counts once when its answer is lost, without a network and after a reload", account=None, devices=("phone",))
def presses(app):
    place = begin(app)
    page = app.page
    enter = page.get_by_role("button", name="Une entrée")
    with Network(app, "entries.override", "after") as network:
        enter.click()
        page.wait_for_function("() => document.body.textContent.includes('1 passage en attente d’envoi')")
        # The person does not wait.
        enter.click()
        figure_is(app, 2)
        end = time.monotonic() + 20
        while network.lost < 2:
            assert time.monotonic() < end, "the press is not sent again"
            page.wait_for_timeout(100)
    expect(page.get_by_text("en attente d’envoi")).to_have_count(0)
    figure_is(app, 2)
    assert count(app, place) == 2
    app.wait_for_copy()
    app.offline()
    # The exit first: the place has three people when all is counted, and not before.
    page.get_by_role("button", name="Une sortie").click()
    enter.click()
    enter.click()
    expect(page.get_by_text("3 passages en attente d’envoi")).to_be_visible()
    figure_is(app, 3)
    page.reload()
    app.offline(False)
    end = time.monotonic() + 20
    while count(app, place) != 3:
        assert time.monotonic() < end, f"{count(app, place)} are counted"
        page.wait_for_timeout(100)
    figure_is(app, 3)
    expect(page.get_by_text("en attente d’envoi")).to_have_count(0)
    app.settle()
    assert count(app, place) == 3


@story("counting", "a day whose closing was not answered is closed once", account=None, devices=("desktop",))
def closing(app):
    place = begin(app)
    page = app.page
    page.get_by_role("button", name="Une entrée").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Une entrée ajoutée")

    def close():
        page.get_by_role("button", name="Clore la journée").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Clore la journée").click()

    with Network(app, "locations.end_day", "after"):
        close()
        expect(page.get_by_role("alert")).to_contain_text("Le service ne répond pas")
    app.rpc("entries.override", {"location_id": place["id"], "delta": 1, "count": 5})
    close()
    expect(page.get_by_role("status", name="Message")).to_have_text("Journée close")
    assert count(app, place) == 5
