"""What makes lists, forms and the way to records of any declared entity pleasant to use."""
import re

from harness import expect, new_word, story
from story_declared import SERVED, choose, heading, new_author, new_book, rows
from story_odd import fits


@story("declared small", "Enter chooses the one match of a field, also where another record could be made", account=None)
def enter(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    page = app.sign_in(path="/bookshop/books/nouveau")
    heading(app, "Nouveau livre")
    field = page.get_by_role("combobox", name="Auteur")
    field.fill(author["name"][:-1])
    expect(page.get_by_role("option", name=author["name"], exact=True)).to_be_visible()
    expect(page.get_by_role("option")).to_have_count(2)
    field.press("Enter")
    expect(field).to_have_value(author["name"])
    expect(page.get_by_role("dialog")).to_have_count(0)


@story("declared small", "a page shows ten of many records that refer to it, further ones, and the list of them all", account=None)
def related(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    app.create_many("books", [{"title": f"{new_word()} {at}", "author_id": author["id"]} for at in range(23)])
    page = app.sign_in(path=f"/bookshop/authors/{author['id']}")
    heading(app, author["name"])
    region = page.get_by_role("region", name="Livres")
    books = region.get_by_role("list", name="Livres").get_by_role("listitem")
    expect(books).to_have_count(10)
    more = region.get_by_role("button", name="Afficher la suite")
    more.click()
    expect(books).to_have_count(20)
    more.click()
    expect(books).to_have_count(23)
    expect(more).to_have_count(0)
    app.axe()
    region.get_by_role("link", name="Voir dans la liste").click()
    heading(app, "Livres")
    expect(page.get_by_role("main").get_by_role("status", name="Résultats")).to_have_text("23 livres")


@story("declared small", "a list says the order that was chosen, and goes back to the usual one", account=None)
def order(app):
    app.serve(*SERVED, program="probe-server")
    new_book(app, new_author(app))
    page = app.sign_in(path="/bookshop/books?ordre=-price")
    heading(app, "Livres")
    status = page.get_by_role("main").get_by_role("status", name="Ordre")
    expect(status).to_have_text("Ordre\u202f: Prix hors taxes, décroissant")
    app.axe()
    fits(app)
    app.shot("list-order")
    page.get_by_role("button", name="Retirer l’ordre choisi").click()
    expect(status).to_have_text("")
    expect(page).not_to_have_url(re.compile("ordre"))


@story("declared small", "a number that no record has is a record that does not exist", account=None)
def missing(app):
    app.serve(*SERVED, program="probe-server")
    page = app.sign_in(path="/bookshop/books")
    for number in ("0", "999999999", "99999999999999999999", "9007199254740992"):
        for path in (f"/bookshop/books/{number}", f"/bookshop/books/{number}/modifier"):
            app.move(path)
            expect(page.get_by_role("main")).to_contain_text("Ce livre n’existe pas, ou a été supprimé.")
            expect(page.get_by_role("alert")).to_have_count(0)


@story("declared small", "Aller à finds lists, views and records of any domain", account=None)
def palette(app):
    app.serve(*SERVED, program="probe-server")
    book = new_book(app, new_author(app))
    page = app.sign_in(path="/bookshop")
    heading(app, "Librairie")
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Aller à")
    field = dialog.get_by_role("combobox", name="Aller à")
    field.fill("publicat")
    expect(dialog.get_by_role("option").first).to_contain_text("Publications")
    field.fill("nouveau liv")
    expect(dialog.get_by_role("option").first).to_contain_text("Nouveau livre")
    field.fill(book["title"])
    expect(dialog.get_by_role("option")).to_have_count(1)
    expect(dialog.get_by_role("option").first).to_contain_text(f"{book['title']}Livre")
    app.axe()
    app.shot("palette")
    field.press("Enter")
    heading(app, book["title"])


@story("declared small", "a table that is wider than the page scrolls by itself, says so, and keeps its first column", account=None)
def wide(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    new_book(app, author, published="1687-03-02")
    page = app.sign_in(path="/bookshop/publications?since=1687-01-01&until=1687-12-31")
    heading(app, "Publications")
    expect(page.get_by_role("table", name="Publications")).to_contain_text(author["name"])
    page.set_viewport_size({"width": 320, "height": 700})
    frame = page.get_by_role("region", name="Publications")
    expect(page.get_by_role("main")).to_contain_text("Le tableau défile de gauche à droite.")
    fits(app)
    page.set_viewport_size({"width": 320, "height": 700})
    app.settle()
    frame.focus()
    expect(frame).to_be_focused()
    first = frame.get_by_role("rowheader", name=author["name"])
    before = first.bounding_box()["x"]
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    expect(frame).not_to_have_js_property("scrollLeft", 0)
    assert abs(first.bounding_box()["x"] - before) < 2, "the first column has gone"
    app.axe()
    app.shot("wide-table")
