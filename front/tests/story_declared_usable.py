"""What strangers stumbled over on screens that are made from a declaration."""
import re

from harness import expect, story
from story_declared import begin, heading

# A small phone, and a desktop whose window is enlarged to 200 %.
SHORT = ((320, 568), (640, 360))


@story("declared usable", "in a short window the buttons of forms and dialogs cover nothing, and stand at the end", devices=["phone"], account=None)
def short(app):
    page = begin(app)
    for width, height in SHORT:
        page.set_viewport_size({"width": width, "height": height})
        app.move("/bookshop/books/nouveau")
        heading(app, "Nouveau livre")
        save = page.get_by_role("main").get_by_role("button", name="Enregistrer")
        expect(save).not_to_be_in_viewport()
        page.get_by_label("Date de parution").focus()
        expect(save).not_to_be_in_viewport()
        save.scroll_into_view_if_needed()
        assert save.bounding_box()["height"] >= 44
        app.axe()
        app.move("/bookshop/books")
        page.get_by_role("button", name=re.compile("^Filtres…")).click()
        dialog = page.get_by_role("dialog", name="Filtres")
        shown = dialog.get_by_role("button", name=re.compile("^Voir"))
        # It opens at its beginning.
        expect(dialog.get_by_role("heading", name="Filtres")).to_be_in_viewport()
        expect(shown).not_to_be_in_viewport()
        app.axe()
        shown.scroll_into_view_if_needed()
        assert shown.bounding_box()["height"] >= 44
        shown.click()
    # Where there is room they stay in sight.
    page.set_viewport_size({"width": 390, "height": 844})
    app.move("/bookshop/books/nouveau")
    page.set_viewport_size({"width": 390, "height": 600})
    expect(page.get_by_role("main").get_by_role("button", name="Enregistrer")).to_be_in_viewport()
