"""Figures about related records: how many books an author has, and when the last one appeared. See Examples/Bookshop/Authors.swift."""
import re

from harness import expect, story
from story_declared import SERVED, heading, new_author, new_book, rows

BOTH = ["phone", "desktop"]
COUNT = "Nombre de livres"


def line(app, author):
    return rows(app, "Auteurs").filter(has_text=author["name"])


@story("declared figures", "a book that another account adds changes the count of its author in the open list", devices=BOTH, account=None)
def figures(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    new_book(app, author, published="2020-05-01")
    page = app.sign_in(path="/bookshop/authors")
    expect(line(app, author)).to_contain_text(f"{COUNT}\u202f: 1")
    expect(line(app, author)).to_contain_text("1er mai 2020")
    app.wait_for_copy()
    app.settle()
    page.evaluate("window.isSamePage = true")
    new_book(app, author, published="2023-02-03")
    expect(line(app, author)).to_contain_text(f"{COUNT}\u202f: 2", timeout=5_000)
    expect(line(app, author)).to_contain_text("3 févr. 2023")
    app.axe()
    app.shot("figures-list")
    # The page of the author, too.
    line(app, author).get_by_role("link").click()
    heading(app, author["name"])
    facts = page.get_by_role("region", name="Fiche")
    expect(facts).to_contain_text(f"{COUNT}2")
    book = new_book(app, author)
    expect(facts).to_contain_text(f"{COUNT}3", timeout=5_000)
    app.rpc("books.delete", {"id": book["id"]})
    expect(facts).to_contain_text(f"{COUNT}2", timeout=5_000)
    assert page.evaluate("window.isSamePage") is True
    app.shot("figures-page")
    app.settle()
    # Without a network nobody knows what has been added since: the author is there, and says no number.
    app.offline()
    app.move("/bookshop/authors")
    expect(line(app, author)).to_be_visible()
    expect(line(app, author)).not_to_contain_text(COUNT)
    new_book(app, author)
    app.go("/bookshop/authors")
    expect(line(app, author)).to_be_visible()
    expect(line(app, author)).not_to_contain_text(COUNT)
    app.move(f"/bookshop/authors/{author['id']}")
    heading(app, author["name"])
    expect(facts).to_contain_text(f"Connu en ligne seulement\u202f: {COUNT}, Dernière parution.")
    expect(facts).not_to_contain_text(re.compile(r"\b[123]\b"))
    app.shot("figures-offline")
    app.offline(False)
    expect(facts).to_contain_text(f"{COUNT}3", timeout=30_000)


@story("declared figures", "the count of a list follows what is written here, also when the list comes back", account=None)
def written(app):
    app.serve(*SERVED, program="probe-server")
    author = new_author(app)
    page = app.sign_in(path="/bookshop/authors")
    expect(line(app, author)).to_contain_text(f"{COUNT}\u202f: 0")
    app.move(f"/bookshop/books/nouveau?author_id={author['id']}")
    heading(app, "Nouveau livre")
    page.get_by_label("Titre").fill("Nadja")
    page.get_by_role("button", name="Enregistrer").click()
    heading(app, "Nadja")
    app.move("/bookshop/authors")
    expect(line(app, author)).to_contain_text(f"{COUNT}\u202f: 1")
