"""Forms and pages of lists whose elements are of several kinds: see the observations of Tests/ProbeDomain/Plots.swift."""
import re
import struct
import zlib

from harness import expect, press_choice, story
from story_declared import heading
from story_declared_shapes import coordinator, new_plot
from story_odd import fits

BOTH = ["phone", "desktop"]
UUID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def begin(app):
    """The form of a new observation of a plot, and who writes it."""
    email = coordinator(app)
    plot = new_plot(app, email)
    one = app.rpc("plots.get", {"id": plot["id"], "select": "{ gardener_id gardener { name } }"}, email)
    app.sign_in(email, path=f"/probe/observations/nouveau?plot_id={plot['id']}&gardener_id={one['gardener_id']}")
    heading(app, "Nouvelle observation")
    press_choice(app.page.get_by_role("radiogroup", name="Impression").get_by_role("radio", name="1", exact=True))
    return email, plot


def content(app):
    return app.page.get_by_role("group", name="Contenu", exact=True)


def block(app, number):
    return app.page.get_by_role("group", name=f"Contenu {number}", exact=True)


def add(app, number, kind):
    content(app).get_by_role("button", name="Ajouter").click()
    radio = block(app, number).get_by_role("radiogroup", name="Nature").get_by_role("radio", name=kind)
    press_choice(radio)
    return block(app, number)


def stored(app, plot, email):
    found = app.rpc("observations.list", {"where": {"plot_id": plot["id"]}, "select": "{ id blocks }"}, email)["items"]
    return found[0]["blocks"]


@story("declared kinds", "the kind of an element is chosen first, and asks for its own members", devices=BOTH, account=None)
def kinds(app):
    email, plot = begin(app)
    page = app.page
    content(app).get_by_role("button", name="Ajouter").click()
    first = block(app, 1)
    # Neither its identity nor its place is asked for.
    expect(first.get_by_role("textbox")).to_have_count(0)
    text = first.get_by_role("radio", name="Texte")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Contenu 1, Nature")
    # The choice by keys keeps the focus.
    text.focus()
    page.keyboard.press("Space")
    expect(text).to_be_checked()
    expect(text).to_be_focused()
    expect(first.get_by_role("textbox")).to_have_count(1)
    first.get_by_role("textbox", name="Texte").fill("Des merles")
    page.keyboard.press("Tab")
    text.focus()
    page.keyboard.press("ArrowRight")
    expect(first.get_by_role("radio", name="Comptage")).to_be_focused()
    # What both kinds have under one name stays.
    expect(first.get_by_role("textbox", name="Remarque")).to_have_value("Des merles")
    expect(first.get_by_role("textbox", name="Texte")).to_have_count(0)
    first.get_by_role("textbox", name="Quoi").fill("Merles")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Contenu 1, Combien")
    first.get_by_role("textbox", name="Combien").fill("4")
    second = add(app, 2, "Texte")
    second.get_by_role("textbox", name="Texte").fill("Au matin")
    app.axe()
    fits(app)
    app.shot("kinds-form")
    second.get_by_role("button", name="Monter").click()
    expect(first.get_by_role("textbox", name="Texte")).to_have_value("Au matin")
    expect(first.get_by_role("radio", name="Texte")).to_be_checked()
    expect(second.get_by_role("textbox", name="Quoi")).to_have_value("Merles")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Observation enregistrée")
    one, other = stored(app, plot, email)
    assert UUID.match(one["id"]) and UUID.match(other["id"]) and one["id"] != other["id"], (one, other)
    assert {**one, "id": ""} == {"id": "", "place": 0, "kind": "text", "text": "Au matin", "what": None, "count": None, "photo": None}, one
    assert {**other, "id": ""} == {"id": "", "place": 1, "kind": "count", "text": "Des merles", "what": "Merles", "count": 4, "photo": None}, other
    # The page has the labels of the kinds, and of each element its own members.
    facts = page.get_by_role("region", name="Fiche")
    shown = facts.get_by_role("listitem")
    expect(shown).to_have_count(2)
    expect(shown.nth(0)).to_have_text("TexteAu matin")
    expect(shown.nth(1)).to_have_text("ComptageQuoiMerlesCombien4RemarqueDes merles")
    expect(facts).not_to_contain_text("Identifiant")
    expect(facts).not_to_contain_text("Place")
    expect(facts).not_to_contain_text("{")
    app.axe()
    fits(app)
    app.shot("kinds-page")


@story("declared kinds", "what the service refuses of an element stands at its place", devices=BOTH, account=None)
def refused(app):
    email, plot = begin(app)
    page = app.page
    for number, words in (1, "Un"), (2, "Deux"):
        add(app, number, "Texte").get_by_role("textbox", name="Texte").fill(words)
    # A remark is shorter than a text.
    third = add(app, 3, "Texte")
    third.get_by_role("textbox", name="Texte").fill("x" * 120)
    press_choice(third.get_by_role("radio", name="Comptage"))
    third.get_by_role("textbox", name="Quoi").fill("Merles")
    third.get_by_role("textbox", name="Combien").fill("0")
    page.get_by_role("button", name="Enregistrer").click()
    remark, number = third.get_by_role("textbox", name="Remarque"), third.get_by_role("textbox", name="Combien")
    expect(remark).to_have_attribute("aria-invalid", "true")
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(remark).to_have_accessible_description(re.compile("40 caractères"))
    expect(page.get_by_role("alert")).to_contain_text("2 champs à corriger\u202f: ")
    expect(page.get_by_role("alert")).to_contain_text("Contenu 3, Remarque")
    app.axe()
    app.shot("kinds-refused")
    # Another kind has nothing to correct.
    press_choice(third.get_by_role("radio", name="Texte"))
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(third.get_by_role("textbox", name="Texte")).to_have_value("x" * 120)
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Observation enregistrée")
    assert [(one["place"], one["kind"]) for one in stored(app, plot, email)] == [(0, "text"), (1, "text"), (2, "text")]


@story("declared kinds", "what was typed of a kind survives a crash", account=None)
def draft(app):
    email, plot = begin(app)
    page = app.page
    add(app, 1, "Comptage").get_by_role("textbox", name="Quoi").fill("Merles")
    page.wait_for_timeout(900)
    page.on("dialog", lambda dialog: dialog.accept())
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("main")).to_contain_text("Votre saisie précédente a été reprise.")
    expect(block(app, 1).get_by_role("radio", name="Comptage")).to_be_checked()
    expect(block(app, 1).get_by_role("textbox", name="Quoi")).to_have_value("Merles")
    page.get_by_role("button", name="Repartir de zéro").click()
    expect(block(app, 1)).to_have_count(0)


def picture(width, height):
    """A PNG of a slope of colours."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = b"".join(
        b"\0" + b"".join(bytes((60 + 120 * x // width, 140 - 60 * y // height, 90)) for x in range(width)) for y in range(height))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def choose(element, name, width=320, height=200):
    element.get_by_label("Choisir un fichier…").set_input_files({"name": name, "mimeType": "image/png", "buffer": picture(width, height)})
    expect(element).to_contain_text(f"{name}, PNG, ")


@story("declared kinds", "an element has a file, which is chosen at its place, moves with it, and is seen", devices=BOTH, account=None)
def photos(app):
    email, plot = begin(app)
    page = app.page
    first = add(app, 1, "Photo")
    expect(first.get_by_role("group", name="Photo", exact=True)).to_contain_text("PNG ou JPEG, 100 ko au plus.")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Contenu 1, Photo")
    expect(first.get_by_label("Choisir un fichier…")).to_be_focused()
    choice = first.get_by_label("Choisir un fichier…")
    choice.set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"})
    expect(first).to_contain_text("Choisissez un fichier PNG ou JPEG\u202f: celui-ci est d’un autre genre (PLAIN).")
    choose(first, "haie.png")
    expect(page.get_by_role("alert")).to_have_count(0)
    first.get_by_role("textbox", name="Légende").fill("La haie, côté rivière")
    second = add(app, 2, "Texte")
    second.get_by_role("textbox", name="Texte").fill("Des merles dans la haie")
    third = add(app, 3, "Photo")
    choose(third, "puits.png", 200, 300)
    fourth = add(app, 4, "Photo")
    choose(fourth, "mare.png")
    fourth.get_by_role("button", name="Retirer").first.click()
    expect(fourth.get_by_label("Choisir un fichier…")).to_be_focused()
    expect(fourth.locator("img")).to_have_count(0)
    fourth.get_by_role("button", name="Retirer").click()
    expect(fourth).to_have_count(0)
    # The file moves with its element.
    second.get_by_role("button", name="Monter").click()
    expect(second).to_contain_text("haie.png, PNG")
    expect(second.locator("img")).to_be_visible()
    app.axe()
    fits(app)
    app.shot("photos-form")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Observation enregistrée")
    assert [(one["kind"], one["text"], type(one["photo"])) for one in stored(app, plot, email)] == [
        ("text", "Des merles dans la haie", type(None)), ("photo", "La haie, côté rivière", int), ("photo", None, int)]
    facts = page.get_by_role("region", name="Fiche")
    # What is written of a picture says what it shows, and its label where nothing is.
    seen = facts.get_by_role("img", name="La haie, côté rivière")
    expect(seen).to_be_visible()
    expect(facts.get_by_role("img", name="Photo", exact=True)).to_be_visible()
    expect(seen).to_have_js_property("naturalWidth", 320)
    expect(facts.get_by_role("link", name="Ouvrir en grand\u202f: La haie, côté rivière")).to_have_attribute("href", re.compile("^/documents/"))
    app.axe()
    fits(app)
    app.settle()
    seen.scroll_into_view_if_needed()
    app.shot("photos-page")


@story("declared kinds", "what the service refuses of a file stands at its place, and a draft keeps the file", devices=BOTH, account=None)
def refused_photo(app):
    email, plot = begin(app)
    page = app.page
    for number in 1, 2:
        add(app, number, "Texte").get_by_role("textbox", name="Texte").fill("Un texte")
    third = add(app, 3, "Photo")
    choose(third, "haie.png")
    page.wait_for_timeout(900)
    page.on("dialog", lambda dialog: dialog.accept())
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("main")).to_contain_text("Votre saisie précédente a été reprise.")
    expect(third.get_by_role("img", name="Photo")).to_be_visible()
    # A number that is no file's, as when it was forgotten meanwhile.
    page.route("**/rpc", lambda route: route.continue_(post_data=re.sub(r'"photo":\d+', '"photo":999999', route.request.post_data)))
    page.get_by_role("button", name="Enregistrer").click()
    expect(third.locator(".field-message")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger\u202f: Contenu 3, Photo")
    expect(third.get_by_label("Remplacer…")).to_have_attribute("aria-invalid", "true")
    expect(third.get_by_label("Remplacer…")).to_be_focused()
    app.axe()
    third.scroll_into_view_if_needed()
    app.shot("photos-refused")
    page.unroute("**/rpc")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Observation enregistrée")
