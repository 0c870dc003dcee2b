"""Prospects: their stages, their reminders, and their way to a client."""
import datetime
import re

from harness import expect, new_word, present_day, story

THIN = "\u202f"


def prospect(app, **values):
    given = {"raison_sociale": f"Prospect {new_word()}", **values}
    return app.rpc("prospects.create", {"values": given, "select": "{ id raison_sociale }"})


@story("V1.2", "a user notes a prospect, moves it on, and it becomes a client", account="user")
def pipeline(app):
    page, name = app.page, f"Prospect {new_word()}"
    app.move("/clients")
    tabs = page.get_by_role("navigation", name="Clients et prospects").get_by_role("link")
    expect(tabs).to_have_text(["Clients", "Prospects"])
    expect(tabs.first).to_have_attribute("aria-current", "page")
    app.axe()
    tabs.last.click()
    expect(page.get_by_role("heading", name="Prospects", level=1)).to_be_visible()
    expect(tabs.last).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("status", name="Résultats")).to_have_text(re.compile(r"^\d+ prospects$"))
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("link", name="Nouveau prospect").click()
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger")
    page.get_by_label("Raison sociale", exact=True).fill(name)
    page.get_by_label("Téléphone", exact=True).fill("06 12 34 56 78")
    page.get_by_label("Montant estimé", exact=True).fill("1 500,50")
    page.get_by_label(re.compile("^Probabilité")).fill("40")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Prospect enregistré")
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    expect(page.get_by_role("region", name="Affaire")).to_contain_text(re.compile(r"1.500,50.€"))
    expect(page.get_by_role("main").get_by_role("link", name="Appeler")).to_have_attribute("href", "tel:+33612345678")
    app.axe()
    app.assert_no_sideways_scrolling()
    expect(page.locator("main button.primary")).to_have_text(["Passer à « Contacté »"])
    page.get_by_role("button", name=re.compile("Passer à .*Contacté")).click()
    expect(page.get_by_role("status", name="Message")).to_have_text(f"Étape{THIN}: Contacté")
    page.get_by_role("button", name="Prévoir une relance…").click()
    dialog = page.get_by_role("dialog", name="Prévoir une relance")
    dialog.get_by_label("Note").fill("Envoyer le programme")
    app.axe()
    dialog.get_by_role("button", name="Enregistrer").click()
    reminder = page.get_by_role("list", name="Relances").get_by_role("listitem")
    expect(reminder).to_contain_text("Envoyer le programme")
    reminder.get_by_role("checkbox").check()
    expect(page.get_by_role("status", name="Message")).to_have_text("Relance faite")
    page.get_by_role("button", name="Convertir en client…").click()
    page.get_by_role("dialog", name="Convertir en client").get_by_role("button", name="Convertir", exact=True).click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Prospect converti en client")
    expect(page).to_have_url(re.compile(r"/clients/\d+$"))
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    row = app.rpc("prospects.list", {"where": {"raison_sociale": name}})["items"][0]
    assert (row["etape"], row["client_id"]) == ("gagne", int(page.url.rsplit("/", 1)[1])), row


@story("V1.2", "a conversion that would double a client proposes the one that exists", devices=["desktop"])
def doubled(app):
    page, one = app.page, prospect(app)
    client = app.rpc("clients.create", {"values": {"raison_sociale": one["raison_sociale"].upper()}, "select": "{ id }"})
    app.move(f"/prospects/{one['id']}")
    page.get_by_role("button", name=re.compile("^Convertir")).click()
    dialog = page.get_by_role("dialog", name="Convertir en client")
    expect(dialog.get_by_role("status")).to_contain_text("Ce client existe peut-être déjà")
    # A name that is typed and in no list makes no client without a word.
    dialog.get_by_role("combobox", name="Client existant").fill("Nulle part")
    dialog.get_by_role("combobox", name="Client existant").press("Tab")
    dialog.get_by_role("button", name="Convertir", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("n’est pas dans la liste")
    dialog.get_by_role("button", name=one["raison_sociale"].upper()).click()
    expect(dialog.get_by_role("combobox", name="Client existant")).to_have_value(one["raison_sociale"].upper())
    dialog.get_by_role("button", name="Convertir", exact=True).click()
    expect(page).to_have_url(f"{app.url}/clients/{client['id']}")


@story("V1.2", "a loss needs a reason; an administrator removes a prospect")
def lost(app):
    page, one = app.page, prospect(app)
    app.move(f"/prospects/{one['id']}")
    page.get_by_role("button", name="Marquer comme perdu…").click()
    dialog = page.get_by_role("dialog", name="Marquer comme perdu")
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog.get_by_label("Motif")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Motif").fill("Projet reporté")
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("region", name="Affaire")).to_contain_text("Projet reporté")
    page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
    page.get_by_role("alertdialog", name=f"Supprimer ce prospect{THIN}?").get_by_role("button", name="Supprimer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Prospect supprimé")
    expect(page.get_by_role("heading", name="Prospects", level=1)).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(one["raison_sociale"]))).to_have_count(0)


@story("V1.2", "a row of the prospects is one link, a sentence, also among those to be contacted today")
def rows(app):
    page = app.page
    app.move("/prospects")
    one = page.get_by_role("list", name="Contacté").get_by_role("listitem").first
    expect(one.get_by_role("link")).to_have_count(1)
    expect(one.get_by_role("link", name=re.compile(r"^[^,]+, .*Contacté"))).to_be_visible()
    due = page.get_by_role("region", name="À relancer aujourd’hui").get_by_role("listitem").first
    expect(due.get_by_role("link")).to_have_count(1)
    expect(due.get_by_role("link", name=re.compile(r"^[^,]+, .*(de retard|aujourd’hui)$"))).to_be_visible()


@story("V1.2", "the next reminder of a prospect is the first of its list, on the record and on its card; ticking it names the next one")
def next_reminder(app):
    page = app.page
    day = present_day()
    later = day + datetime.timedelta(30)
    one = prospect(app, prochaine_relance=str(later))
    app.rpc("relances.create", {"values": {"prospect_id": one["id"], "date": str(day), "canal": "telephone"}})
    app.move("/prospects")
    card = page.get_by_role("list", name="À contacter").get_by_role("link", name=re.compile(one["raison_sociale"]))
    expect(card).to_have_attribute("aria-label", re.compile(rf"relance le {day.day}(er)? "))
    card.click()
    facts = page.get_by_role("region", name="Affaire")
    expect(facts).to_contain_text(re.compile(rf"Prochaine relance\D*{day.day}(er)? "))
    page.get_by_role("list", name="Relances").get_by_role("checkbox", checked=False).first.check()
    expect(facts).to_contain_text(re.compile(rf"Prochaine relance\D*{later.day}(er)? "))


@story("V1.2", "a reminder that is ticked stays where it is until the page is left")
def ticked(app):
    page, one = app.page, prospect(app)
    for after, note in ((1, "Rappeler"), (2, "Écrire"), (3, "Passer")):
        app.rpc("relances.create", {"values": {
            "prospect_id": one["id"], "date": str(present_day() + datetime.timedelta(after)), "canal": "telephone", "note": note}})
    app.move(f"/prospects/{one['id']}")
    rows = page.get_by_role("list", name="Relances").get_by_role("listitem")
    expect(rows).to_have_count(3)
    facts = page.get_by_role("region", name="Affaire")
    rows.last.scroll_into_view_if_needed()
    for at in range(3):
        before = rows.nth(at).bounding_box()
        rows.nth(at).get_by_role("checkbox").check()
        expect(page.get_by_role("status", name="Message")).to_have_text("Relance faite")
        if at < 2:
            expect(facts).not_to_contain_text("Aucune")
        app.settle()
        expect(rows).to_contain_text(["Rappeler", "Écrire", "Passer"])
        assert rows.nth(at).bounding_box() == before
        expect(rows.nth(at).get_by_role("checkbox")).to_be_checked()
    expect(facts).to_contain_text("Aucune")
    app.shot("reminders-ticked")
    rows.first.get_by_role("checkbox").uncheck()
    expect(facts).not_to_contain_text("Aucune")
    app.move("/prospects")
    expect(page.get_by_role("heading", name="Prospects", level=1)).to_be_visible()
    app.move(f"/prospects/{one['id']}")
    expect(rows.last).to_contain_text("Passer")
    expect(rows.first).to_contain_text("Rappeler")


@story("V1.2", "the form says what its next day does to the reminders before it is saved")
def consequence(app):
    page, one = app.page, prospect(app)
    day = present_day()
    for after in (2, 4, 30):
        app.rpc("relances.create", {"values": {"prospect_id": one["id"], "date": str(day + datetime.timedelta(after)), "canal": "telephone"}})
    app.move(f"/prospects/{one['id']}/modifier")
    field = page.get_by_label("Prochaine relance")
    expect(field).to_have_value(str(day + datetime.timedelta(2)))
    field.fill(str(day + datetime.timedelta(10)))
    expect(field).to_have_accessible_description("2 relances prévues avant ce jour y seront déplacées.")
    field.fill("")
    expect(field).to_have_accessible_description("3 relances prévues seront cochées comme faites.")
    app.axe()
    app.shot("prospect-consequence")
    field.fill(str(day + datetime.timedelta(1)))
    expect(field).to_have_accessible_description("")
    field.fill("")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Prospect enregistré")
    found = app.rpc("relances.list", {"where": {"prospect_id": one["id"], "faite": False}})["items"]
    assert found == [], found


@story("V1.2", "a card goes to another stage by the mouse, or by Alt and arrows, and where it may not go it stays", devices=("desktop",))
def dragged(app):
    page, one = app.page, prospect(app)
    app.move("/prospects")

    def card(stage):
        return page.get_by_role("list", name=stage, exact=True).get_by_role("link", name=re.compile(one["raison_sociale"]))

    def drag(stage, to):
        card(stage).scroll_into_view_if_needed()
        box, place = card(stage).bounding_box(), page.get_by_role("region", name=to, exact=True).bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        page.mouse.move(place["x"] + 40, place["y"] + 40, steps=6)
        page.mouse.up()

    drag("À contacter", "Contacté")
    expect(card("Contacté")).to_be_visible()
    message, undo = page.get_by_role("status", name="Message"), page.get_by_role("button", name="Annuler", exact=True)
    expect(message).to_have_text(f"{one['raison_sociale']}, étape{THIN}: Contacté")
    # The service has no way back to the first stage.
    expect(undo).to_have_count(0)
    drag("Contacté", "Proposition")
    expect(message).to_have_text(f"{one['raison_sociale']}, étape{THIN}: Proposition")
    undo.click()
    expect(card("Contacté")).to_be_visible()
    expect(message).to_have_text(f"{one['raison_sociale']}, étape{THIN}: Contacté")
    expect(page.get_by_role("heading", name="Prospects", level=1)).to_be_visible()
    drag("Contacté", "Gagné")
    expect(card("Contacté")).to_be_visible()
    card("Contacté").focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(card("Proposition")).to_be_focused()
    drag("Proposition", "Perdu")
    dialog = page.get_by_role("dialog", name="Marquer comme perdu")
    dialog.get_by_label("Motif").fill("Budget")
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(card("Perdu")).to_be_visible()
    assert app.rpc("prospects.list", {"where": {"id": one["id"]}})["items"][0]["motif"] == "Budget"
    app.axe()


@story("prospects", "a draft that comes back writes nothing over what another person has changed since", devices=["desktop"])
def returned(app):
    page, word = app.page, new_word()
    app.allow_console("409")
    made = app.rpc("prospects.create", {"values": {"raison_sociale": f"Retour {word}", "email": f"a-{word}@exemple.fr"}, "select": "{ id }"})
    app.go(f"/prospects/{made['id']}/modifier")
    page.get_by_label("Raison sociale").fill(f"Retour typé {word}")
    # What is typed becomes a draft after a pause.
    page.wait_for_timeout(1_000)
    app.rpc("prospects.update", {
        "id": made["id"], "values": {"raison_sociale": f"Retour écrit {word}", "email": f"b-{word}@exemple.fr"}}, "user")
    app.go(f"/prospects/{made['id']}/modifier")
    expect(page.get_by_role("main")).to_contain_text("Votre saisie précédente a été reprise.")
    expect(page.get_by_label("Raison sociale")).to_have_value(f"Retour typé {word}")
    expect(page.get_by_label("E-mail")).to_have_value(f"b-{word}@exemple.fr")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps")
    expect(dialog.get_by_role("rowheader")).to_have_count(1)
    expect(dialog.get_by_role("table")).to_contain_text(f"Retour écrit {word}")
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Prospect enregistré")
    stored = app.rpc("prospects.get", {"id": made["id"], "select": "{ raison_sociale email }"})
    assert stored == {"raison_sociale": f"Retour typé {word}", "email": f"b-{word}@exemple.fr"}, stored
