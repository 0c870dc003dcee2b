"""Where the journal, a history or what waits speak of a record by its number, people read its title."""
import re

from harness import expect, new_word, story
from story_declared import SERVED, choose, heading, new_author, new_book


def moved_book(app):
    """A book that has changed its author twice, and the authors: one that is there still, and one that is not."""
    kept, gone = new_author(app), new_author(app)
    book = new_book(app, kept)
    app.rpc("books.update", {"id": book["id"], "values": {"author_id": gone["id"]}})
    app.rpc("books.update", {"id": book["id"], "values": {"author_id": kept["id"]}})
    app.rpc("authors.delete", {"id": gone["id"]})
    return book, kept, gone


def note_reads(app, method):
    """The requests of the pages that call this method for some records, and not to copy all."""
    found = []
    app.page.context.on("request", lambda request: found.append(request.post_data) if f'"{method}"' in (request.post_data or "") and '"in":' in request.post_data else None)
    return found


@story("declared names", "a history names what a column refers to, and gives the number of what is deleted", account=None)
def history(app):
    app.serve(*SERVED, program="probe-server")
    book, kept, gone = moved_book(app)
    page = app.sign_in(path=f"/bookshop/books/{book['id']}")
    region = page.get_by_role("region", name="Historique")
    expect(region).to_contain_text(f"Auteur\u202f: {kept['name']} → n°\u00a0{gone['id']}")
    expect(region).to_contain_text(f"Auteur\u202f: n°\u00a0{gone['id']} → {kept['name']}")
    app.axe()
    region.get_by_role("link", name=kept["name"]).first.click()
    heading(app, kept["name"])


@story("declared names", "the journal names the records of a page with one request", account=None)
def journal(app):
    app.serve(*SERVED, program="probe-server")
    books = [moved_book(app) for _ in range(3)]
    app.sign_in(path="/profil")
    reads = note_reads(app, "authors.list")
    app.move("/journal?fiche=books&action=update")
    main = app.page.get_by_role("main")
    for book, kept, gone in books:
        lines = main.get_by_role("listitem").filter(has_text=book["title"])
        expect(lines).to_have_count(2)
        expect(lines.first).to_contain_text(f"n°\u00a0{gone['id']}")
        expect(lines.first.get_by_role("link", name=kept["name"])).to_have_attribute("href", f"/bookshop/authors/{kept['id']}")
        expect(lines.first.get_by_role("link", name=book["title"])).to_have_attribute("href", f"/bookshop/books/{book['id']}")
    app.axe()
    expect(app.page.get_by_label("Fiches")).to_have_value("books")
    assert len(reads) <= 1, f"{len(reads)} requests for the names of authors"


@story("declared names", "what waits to be sent names what it refers to, also a record that waits itself", account=None)
def waiting(app):
    app.serve(*SERVED, program="probe-server")
    author, book = new_author(app), None
    book = new_book(app, new_author(app))
    page = app.sign_in(path="/bookshop/authors")
    app.wait_for_copy()
    expect(page.get_by_role("list", name="Auteurs", exact=True)).to_contain_text(author["name"])
    app.move(f"/bookshop/books/{book['id']}/modifier")
    heading(app, "Modifier le livre")
    app.settle()
    app.offline()
    choose(app, "Auteur", author["name"])
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, book["title"])
    app.move("/bookshop/authors/nouveau")
    heading(app, "Nouvel auteur")
    name, title = new_word().capitalize(), new_word().capitalize()
    page.get_by_label("Nom").fill(name)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, name)
    app.move("/bookshop/books/nouveau")
    heading(app, "Nouveau livre")
    page.get_by_label("Titre").fill(title)
    choose(app, "Auteur", name)
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, title)
    app.move(f"/bookshop/books/{book['id']}")
    heading(app, book["title"])
    page.get_by_role("button", name="Prêter").click()
    dialog = page.get_by_role("dialog", name="Prêter")
    dialog.get_by_role("textbox", name="Lecteur").fill("Nana")
    dialog.get_by_role("button", name="Prêter").click()
    expect(dialog).to_have_count(0)
    app.move("/attente")
    waits = page.get_by_role("list", name="Modifications en attente")
    expect(waits.get_by_role("link", name=author["name"])).to_have_attribute("href", re.compile(f"/authors/{author['id']}$"))
    expect(waits.get_by_role("listitem").filter(has_text=title)).to_contain_text(f"Auteur{name}")
    # What a command was given is what tells it from another.
    expect(waits.get_by_role("listitem").filter(has_text="Prêter")).to_contain_text("LecteurNana")
    app.axe()
    app.offline(False)
    expect(page.get_by_role("main")).to_contain_text("Tout ce que vous avez saisi est enregistré.", timeout=30_000)
