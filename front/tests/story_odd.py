"""Screens of what a domain may declare and nobody draws a screen for: see Tests/OddDomain."""
import re

from harness import expect, new_word, press_choice, story
from story_declared import SERVED, heading, rows

ODD = [part.replace("bookshop", "bookshop,odd") for part in SERVED]


def begin(app, path):
    app.serve(*ODD, program="probe-server")
    return app.sign_in(path=path)


def fits(app):
    """Nothing is wider than the window, also a narrow one, and with large text."""
    size = app.page.viewport_size
    for width, text in ((320, ""), (390, "200%"), (size["width"], "")):
        app.page.set_viewport_size({"width": width, "height": size["height"]})
        app.page.evaluate("size => document.documentElement.style.fontSize = size", text)
        wide = app.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{app.page.url} at {width} px, text {text}: {wide} px too wide"


@story("odd", "sixty columns are a form and a page that one can use", account=None)
def sixty(app):
    page = begin(app, "/odd/sheets/nouveau")
    title = new_word().capitalize()
    page.get_by_label("Titre").fill(title)
    page.get_by_label("Champ 1", exact=True).fill("-12")
    page.get_by_label("Champ 2", exact=True).fill("1 234,567")
    page.get_by_label("Champ 3", exact=True).select_option(label="Non")
    page.get_by_label("Champ 4", exact=True).fill("2024-02-29")
    page.get_by_label("Champ 5", exact=True).fill("08:30")
    page.get_by_label("Champ 6", exact=True).fill("2024-02-29T23:15")
    page.get_by_label("Champ 55", exact=True).fill("2024-03-01T00:00")
    app.axe()
    fits(app)
    page.get_by_label("Champ 55", exact=True).press("Control+Enter")
    heading(app, title)
    facts = page.get_by_role("region", name="Fiche")
    for words in ("−12", "1\u202f234,567", "Non", "jeudi 29 février 2024", "8\u00a0h\u00a030", "29 févr. 2024, 23\u00a0h\u00a015"):
        expect(facts).to_contain_text(words)
    stored = app.rpc("sheets.list", {"where": {"title": title}, "select": "{ field_1 field_2 field_3 field_5 field_6 }"})["items"][0]
    assert stored == {"field_1": -12, "field_2": 1234.567, "field_3": False, "field_5": "08:30:00", "field_6": "2024-02-29T22:15:00+00:00"}, stored
    # A wrong number stands at its field, and nothing is lost.
    page.get_by_role("link", name="Modifier").click()
    expect(page.get_by_label("Champ 6", exact=True)).to_have_value("2024-02-29T23:15")
    page.get_by_label("Champ 8", exact=True).fill("douze")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger")
    expect(page.get_by_label("Champ 8", exact=True)).to_have_value("douze")
    page.get_by_label("Champ 8", exact=True).fill("")
    page.get_by_label("Champ 3", exact=True).select_option(label="–")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    expect(facts).not_to_contain_text("Champ 3")


@story("odd", "records of one column without a version are made and removed", account=None)
def one(app):
    page = begin(app, "/odd/marks/nouveau")
    heading(app, "Nouvelle marque")
    word = new_word().capitalize()
    page.get_by_label("Mot").fill(word)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, word)
    expect(page.get_by_role("status", name="Message")).to_have_text("Marque enregistrée")
    expect(page.get_by_role("link", name="Modifier")).to_have_count(0)
    app.axe()
    fits(app)
    page.get_by_role("button", name="Supprimer").click()
    page.get_by_role("alertdialog", name=re.compile("^Supprimer cette marque")).get_by_role("button", name="Supprimer").click()
    heading(app, "Marques")
    app.wait_until_gone("marks", {"word": word})


@story("odd", "a relation to the own table, a long text, two hundred choices and lists have fields, and lead on", account=None)
def topics(app):
    app.serve(*ODD, program="probe-server")
    parent = app.rpc("topics.create", {"values": {"name": f"Sujet {new_word()}"}, "select": "{ id name }"})
    page = app.sign_in(path=f"/odd/topics/{parent['id']}")
    heading(app, parent["name"])
    page.get_by_role("region", name="Sujets enfants").get_by_role("link", name="Nouveau sujet").click()
    heading(app, "Nouveau sujet")
    expect(page.get_by_role("combobox", name="Sujet parent")).to_have_value(parent["name"])
    name, text = f"Sujet {new_word()}", "Une phrase assez longue pour un paragraphe. " * 110
    page.get_by_role("textbox", name="Nom").fill(name)
    page.get_by_label("Texte").fill(text)
    page.get_by_label("Nuance", exact=True).select_option(label="Nuance n° 137")
    page.get_by_label("Poids").fill("3\n\n 14 \n15")
    page.get_by_role("group", name="Endroit").get_by_label("Pièce").fill("Salle 2")
    press_choice(page.get_by_role("radio", name="2"))
    app.axe()
    fits(app)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, name)
    facts = page.get_by_role("region", name="Fiche")
    expect(facts).to_contain_text("Nuance n° 137")
    expect(facts).to_contain_text("Une phrase assez longue pour un paragraphe.")
    app.axe()
    fits(app)
    stored = app.rpc("topics.list", {"where": {"name": name}, "select": "{ parent_id weights place shade step }"})["items"][0]
    assert stored == {"parent_id": parent["id"], "weights": [3, 14, 15], "place": {"room": "Salle 2"}, "shade": "shade_137", "step": 2}, stored
    facts.get_by_role("link", name=parent["name"]).click()
    heading(app, parent["name"])
    expect(page.get_by_role("region", name="Sujets enfants")).to_contain_text(name)
    # What is no number of a list is refused at its field.
    app.move(f"/odd/topics/{parent['id']}/modifier")
    page.get_by_label("Poids").fill("trois")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_label("Poids")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Poids").fill("")
    page.get_by_label("Pièce").fill("Salle 3")
    app.move("/odd/topics")
    page.get_by_role("dialog").or_(page.get_by_role("alertdialog")).get_by_role("button", name="Abandonner").click()
    page.get_by_role("button", name=re.compile("^Filtres…")).click()
    page.get_by_role("dialog", name="Filtres").get_by_label("Nuance").select_option(label="Nuance n° 137")
    page.get_by_role("button", name=re.compile("^Voir ")).click()
    expect(rows(app, "Sujets").filter(has_text=name)).to_have_count(1)


@story("odd", "a role that reads two columns has one table of them, and nothing else", account=None)
def guest(app):
    app.serve(*ODD, program="probe-server")
    name = f"Sujet {new_word()}"
    app.rpc("topics.create", {"values": {"name": name, "body": "secret"}})
    email = f"{new_word()}@demo.learntrack.fr"
    account = app.rpc("users.create", {"values": {"email": email, "role": "user", "password": "demo-learntrack"}, "select": "{ id }"})
    app.rpc("account_roles.create", {"values": {"account_id": account["id"], "role": "odd_guest"}})
    page = app.sign_in(email, path="/odd")
    heading(app, "Curiosités")
    expect(page.get_by_role("main").get_by_role("link")).to_have_text(["Titres"])
    page.get_by_role("main").get_by_role("link", name="Titres").click()
    table = page.get_by_role("table", name="Titres")
    expect(table.get_by_role("columnheader")).to_have_text(["Nom", "Nuance"])
    expect(table).to_contain_text(name)
    app.axe()
    fits(app)
    app.move("/odd/topics")
    heading(app, "Page introuvable")
