"""Programmes: what contracts say of a training, and what a contract lacks before it is sent to be signed."""
import re

from harness import expect, new_word, story

THIN = "\u202f"


@story("programmes", "an administrator writes a programme, and the sessions of its module have it")
def write(app):
    page, name = app.page, f"Élagage {new_word()}"
    session = app.rpc("sessions.create", {"values": {
        "module": name, "date": "2026-12-01", "debut": "09:00", "fin": "17:00", "modalite": "P"}})
    app.move("/programmes")
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("link", name="Nouveau programme").click()
    page.get_by_label(re.compile("^Intitulé")).fill(name)
    page.get_by_label("Objectifs").fill("- Tailler sans blesser\n- Choisir ses outils")
    page.get_by_label("Durée conseillée, en heures").fill("7,5")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Programme enregistré")
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Programme")).to_contain_text("Choisir ses outils")
    expect(page.get_by_role("region", name="Programme")).to_contain_text("7,5 h")
    app.axe()
    app.assert_no_sideways_scrolling()
    app.move("/programmes")
    page.get_by_role("button", name="Rattacher les sessions").click()
    expect(page.get_by_role("status", name="Message")).to_contain_text("avec un programme de plus")
    app.move(f"/sessions/{session['id']}")
    # The list beside the record and the history have links of this name, too.
    expect(page.locator("main a.record-link", has_text=name)).to_be_visible()
    app.move(f"/sessions/{session['id']}/modifier")
    expect(page.get_by_role("combobox", name="Programme")).to_have_value(name)
    page.get_by_label("Effectif").fill("huit")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_text("Donnez un nombre entier.")).to_be_visible()
    page.get_by_label("Effectif").fill("8")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    assert app.rpc("sessions.get", {"id": session["id"]})["effectif"] == 8


@story("programmes", "the form of a session proposes the programme of its module, and says how long it should take")
def proposed(app):
    page, name = app.page, f"Greffe {new_word()}"
    app.rpc("programmes.create", {"values": {"intitule": name, "duree_conseillee": 10.5}})
    app.move("/sessions/nouveau")
    page.get_by_role("combobox", name="Module").fill(name.upper())
    page.keyboard.press("Tab")
    expect(page.get_by_text(f"Durée conseillée{THIN}: 10,5\u00a0h")).to_be_visible()
    page.get_by_role("button", name=f"Choisir «\u00a0{name}\u00a0»").click()
    expect(page.get_by_role("combobox", name="Programme")).to_have_value(name)
    expect(page.get_by_role("button", name=f"Choisir «\u00a0{name}\u00a0»")).to_have_count(0)
    expect(page.get_by_text(f"Durée conseillée{THIN}: 10,5\u00a0h")).to_be_visible()
    app.axe()
    app.shot("programme-proposed")


@story("programmes", "a user reads programmes and changes none", devices=["desktop"], account="user")
def read(app):
    app.move("/programmes")
    expect(app.page.get_by_role("heading", level=1)).to_have_text("Programmes")
    expect(app.page.get_by_role("link", name="Nouveau programme")).to_have_count(0)
    app.page.get_by_role("link", name=re.compile("SwiftUI avancé")).click()
    expect(app.page.get_by_role("region", name="Programme")).to_contain_text("Développeurs iOS")
    expect(app.page.get_by_role("link", name="Modifier")).to_have_count(0)
