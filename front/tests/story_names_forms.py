"""The names of front.md, from outside: the forms of a session, what is refused, conflicts and sharing."""
import re
import uuid

from harness import expect, new_word, present_day, story
from names import NARROW, THIN, Names, made, people


@story("names", "the forms of a session: fields, summary, errors, leaving")
def forms(app):
    page, names = app.page, Names(app)
    main = page.get_by_role("main")
    busy = people(app)
    trainer = app.rpc("formateurs.get", {"id": busy["formateur_id"], "select": "{ nom_complet }"})["nom_complet"]
    one = made(app, lieu="Arles", tarif_client=1200.5, tarif_sous_traitant=400, ref_contrat="CT-NOMS", **busy)
    for path, heading in (
            ("nouveau", "Nouvelle session"), (f"{one['id']}/modifier", "Modifier la session"),
            (f"{one['id']}/dupliquer", "Dupliquer la session")):
        app.go(f"/sessions/{path}")
        names.heading(heading)
        names.there(main, "combobox", "Module", "Lieu", "Formateur", "Client", "École")
        names.there(main, "textbox", "Tarif client", "Tarif sous-traitant", "Frais à rembourser", "Référence du contrat")
        names.choice(main, "Modalité", "Présentiel", "Distanciel")
        names.there(main, "button", "Enregistrer", "Annuler")
        names.there(main, "status", "Résumé")
        for label, kind in (("Date", "date"), ("Début", "time"), ("Fin", "time")):
            names.check(label, expect(main.get_by_label(label, exact=True)).to_have_attribute, "type", kind)
        names.check("keyboard", expect(main.get_by_role("textbox", name="Tarif client")).to_have_attribute, "inputmode", "decimal")
    # The duplicate keeps what the session has, but not its contract.
    names.check("module", expect(main.get_by_role("combobox", name="Module")).to_have_value, one["module"])
    names.check("amount", expect(main.get_by_role("textbox", name="Tarif client")).to_have_value, "1200,50")
    names.check("contract", expect(main.get_by_role("textbox", name="Référence du contrat")).to_have_value, "")
    summary = main.get_by_role("status", name="Résumé")
    names.check("length", expect(summary).to_contain_text, re.compile(f"3{NARROW}h{NARROW}30"))
    names.check("margin", expect(summary).to_contain_text, f"800,50{THIN}€")
    names.check("same day", expect(summary).to_contain_text, f"{trainer} a déjà une session ce jour-là")
    main.get_by_role("button", name="Enregistrer").click()
    names.check("message", expect(page.get_by_role("status", name="Message")).to_have_text, "Session enregistrée")

    app.go("/sessions/nouveau")
    module = main.get_by_role("combobox", name="Module")
    module.click()
    used = app.rpc("sessions.aggregate", {"group_by": ["module"], "order_by": ["-count"], "first": 1, "select": "{ count }"})
    names.check("most used", expect(page.get_by_role("option").first).to_have_text, used["items"][0]["module"])
    module.press("Escape")
    main.get_by_label("Date", exact=True).fill("")
    main.get_by_label("Début", exact=True).fill("10:00")
    main.get_by_label("Fin", exact=True).fill("10:00")
    main.get_by_role("button", name="Enregistrer").click()
    alert = main.get_by_role("alert")
    names.check("alert", expect(alert).to_contain_text, "3 champs à corriger")
    names.there(alert, "link", "Module", "Date", "Fin")
    names.check("focus", expect(module).to_be_focused)
    for field in (module, main.get_by_label("Date", exact=True), main.get_by_label("Fin", exact=True)):
        names.check("invalid", expect(field).to_have_attribute, "aria-invalid", "true")
        names.check("described", expect(field).to_have_accessible_description, re.compile("."))
    alert.get_by_role("link", name="Fin").click()
    names.check("link to the field", expect(main.get_by_label("Fin", exact=True)).to_be_focused)
    module.fill("Noms abandonnés")
    main.get_by_role("button", name="Annuler").click()
    question = page.get_by_role("alertdialog", name=f"Abandonner les modifications{THIN}?", exact=True)
    names.there(question, "button", "Abandonner", "Continuer la saisie")
    names.check("harmless", expect(question.get_by_role("button", name="Continuer la saisie")).to_be_focused)
    question.get_by_role("button", name="Continuer la saisie").click()
    names.check("kept", expect(module).to_have_value, "Noms abandonnés")
    main.get_by_role("button", name="Annuler").click()
    question.get_by_role("button", name="Abandonner").click()
    names.heading("Sessions")

    app.go(f"/sessions/{one['id']}/modifier")
    amount = main.get_by_role("textbox", name="Frais à rembourser")
    amount.fill("1 200,5")
    main.get_by_role("combobox", name="Client", exact=True).fill("Maison Inconnue")
    names.there(page, "option", "Créer « Maison Inconnue »")
    main.get_by_role("combobox", name="Client", exact=True).press("Escape")
    amount.press("Control+Enter")
    names.check("message", expect(page.get_by_role("status", name="Message")).to_have_text, "Session enregistrée")
    saved = app.rpc("sessions.get", {"id": one["id"], "select": "{ frais_rembourser client { id } }"})
    names.true(f"saved {saved}", saved["frais_rembourser"] == 1200.5 and saved["client"]["id"] == busy["client_id"])
    names.done()


@story("names", "what the service refuses stands at the fields", devices=["desktop"])
def refused(app):
    page, names = app.page, Names(app)
    app.allow_console("400|422")
    app.go("/sessions/nouveau")
    page.get_by_role("combobox", name="Module").fill("Trop bas")
    page.get_by_label("Date", exact=True).fill("2026-11-23")
    page.get_by_role("textbox", name="Tarif client").fill("-5")
    page.get_by_role("textbox", name="Frais à rembourser").fill("-6")
    page.get_by_role("button", name="Enregistrer").click()
    alert = page.get_by_role("alert")
    names.check("alert", expect(alert).to_contain_text, "2 champs à corriger")
    names.there(alert, "link", "Tarif client", "Frais à rembourser")
    for label in ("Tarif client", "Frais à rembourser"):
        field = page.get_by_role("textbox", name=label)
        names.check(label, expect(field).to_have_attribute, "aria-invalid", "true")
        names.check(label, expect(field).to_have_accessible_description, re.compile("."))
    names.done()


@story("names", "two people change one session: the dialog, its table, its choices")
def conflict(app):
    page, names = app.page, Names(app)
    app.allow_console("409")
    one = made(app, tarif_client=500, modalite="P")
    app.go(f"/sessions/{one['id']}/modifier")
    price = page.get_by_role("textbox", name="Tarif client")
    expect(price).to_have_value("500")
    app.rpc("sessions.update", {"id": one["id"], "values": {"tarif_client": 700, "fin": "13:00"}}, "user")
    price.fill("800")
    page.get_by_label("Fin", exact=True).fill("14:00")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps", exact=True)
    names.check("by whom", expect(dialog).to_contain_text, "Louis Utilisateur")
    table = dialog.get_by_role("table")
    names.check("columns", expect(table.get_by_role("columnheader")).to_have_text,
                ["Champ", "Ma version", "Version enregistrée", "Version d’origine"])
    names.there(table, "rowheader", "Fin", "Tarif client")
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Tarif client"))
    names.check("cells", expect(row.get_by_role("cell")).to_have_text, [f"{amount},00{THIN}€" for amount in (800, 700, 500)])
    for field in ("Fin", "Tarif client"):
        names.there(dialog, "group", field)
        names.there(dialog.get_by_role("group", name=field, exact=True), "radio", "Ma version", "Version enregistrée")
    names.there(dialog, "button", "Enregistrer ce choix", "Annuler")
    dialog.get_by_role("button", name="Annuler").click()
    names.check("closed", expect(dialog).to_have_count, 0)
    names.check("kept", expect(price).to_have_value, "800")
    page.get_by_role("button", name="Enregistrer").click()
    dialog.get_by_role("group", name="Fin").get_by_role("radio", name="Version enregistrée").check()
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    names.check("message", expect(page.get_by_role("status", name="Message")).to_have_text, "Session enregistrée")
    saved = app.rpc("sessions.get", {"id": one["id"], "select": "{ tarif_client fin }"})
    names.true(f"saved {saved}", saved == {"tarif_client": 800, "fin": "13:00:00"})
    names.done()


@story("names", "the versions of a conflict are words: people, days, hours and modalities", devices=["phone"])
def words_of_conflict(app):
    page, names = app.page, Names(app)
    app.allow_console("409")
    mine, theirs = people(app), people(app)
    one = made(app, date="2026-11-01")
    trainers = [app.rpc("formateurs.get", {"id": who["formateur_id"], "select": "{ nom_complet }"})["nom_complet"] for who in (mine, theirs)]
    app.go(f"/sessions/{one['id']}/modifier")
    field = page.get_by_role("combobox", name="Formateur", exact=True)
    field.fill(trainers[0])
    page.get_by_role("option", name=trainers[0]).click()
    app.rpc("sessions.update", {
        "id": one["id"],
        "values": {"formateur_id": theirs["formateur_id"], "modalite": "D", "date": "2026-12-01", "debut": "10:00"}}, "user")
    page.get_by_label("Date", exact=True).fill("2026-11-03")
    page.get_by_label("Début", exact=True).fill("08:30")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps", exact=True)
    for label, cells in {
            "Formateur": [trainers[0], trainers[1], "vide"],
            "Date": [re.compile("mardi 3 novembre 2026"), re.compile("mardi 1er décembre 2026"), re.compile("dimanche 1er novembre 2026")],
            "Début": [re.compile(f"^8{NARROW}h{NARROW}30$"), re.compile(f"^10{NARROW}h$"), re.compile(f"^9{NARROW}h$")]}.items():
        row = dialog.get_by_role("row").filter(has=page.get_by_role("rowheader", name=label, exact=True))
        names.check(label, expect(row.get_by_role("cell")).to_have_text, cells)
    for role in ("rowheader", "group"):
        names.absent(dialog, role, "Modalité")
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    names.check("message", expect(page.get_by_role("status", name="Message")).to_have_text, "Session enregistrée")
    saved = app.rpc("sessions.get", {"id": one["id"], "select": "{ date modalite debut formateur { id } }"})
    names.true(f"saved {saved}", saved == {
        "date": "2026-11-03", "modalite": "D", "debut": "08:30:00", "formateur": {"id": mine["formateur_id"]}})
    names.done()


@story("names", "a session at a distance has no way on a map; its form proposes known addresses")
def remote(app):
    page, names = app.page, Names(app)
    main = page.get_by_role("main")
    address = f"{uuid.uuid4().int % 900} chemin des Noms, 30000 Nîmes"
    made(app, lieu=address)
    one = made(app, modalite="D", lieu="https://visio.exemple.fr/noms")
    app.go(f"/sessions/{one['id']}")
    names.there(main, "region", "Lieu")
    names.check("word", expect(main.get_by_text("Distanciel", exact=True).first).to_be_visible)
    names.absent(main, "link", "Ouvrir dans Plans")
    main.get_by_role("link", name="Modifier", exact=True).click()
    names.heading("Modifier la session")
    names.check("focus", expect(page.get_by_role("heading", level=1)).to_be_focused)
    place = main.get_by_role("combobox", name="Lieu")
    place.fill(address[:14].upper())
    names.there(page, "option", address)
    page.get_by_role("option", name=address, exact=True).click()
    main.get_by_role("radio", name="Présentiel").check()
    module = main.get_by_role("combobox", name="Module")
    module.fill(f"Libre {one['module']}")
    module.press("Tab")
    main.get_by_role("button", name="Enregistrer").click()
    names.check("message", expect(page.get_by_role("status", name="Message")).to_have_text, "Session enregistrée")
    names.heading(f"Libre {one['module']}")
    names.there(main, "link", "Ouvrir dans Plans")
    names.done()


def check_sharing(app, account, audiences):
    page, names = app.page, Names(app)
    one = made(app, lieu="Arles", tarif_client=4321, tarif_sous_traitant=450, frais_rembourser=21.5, **people(app))
    app.go(f"/sessions/{one['id']}")
    page.get_by_role("button", name="Partager", exact=True).click()
    dialog = page.get_by_role("dialog", name="Partager la session", exact=True)
    names.choice(dialog, "Destinataire", *audiences)
    names.choice(dialog, "Format", "Texte", "Discord", "E-mail", "SMS")
    names.there(dialog, "textbox", "Aperçu")
    names.there(dialog, "button", "Copier")
    text = dialog.get_by_role("textbox", name="Aperçu")
    readers = []
    for audience in audiences:
        dialog.get_by_role("radio", name=audience, exact=True).check()
        for name, format in (("Texte", "text"), ("Discord", "discord"), ("E-mail", "email"), ("SMS", "sms")):
            dialog.get_by_role("radio", name=name, exact=True).check()
            shared = app.rpc("sessions.share", {"id": one["id"], "audience": audience.lower(), "format": format}, account)
            names.check(f"{audience} {name}", expect(text).to_have_value, shared["text"])
            for kind, label, here in (
                    ("button", "Ouvrir Discord", name == "Discord"), ("link", "Ouvrir l’e-mail", name == "E-mail"),
                    ("link", "Ouvrir le SMS", name == "SMS")):
                (names.there if here else names.absent)(dialog, kind, label)
                if here and kind == "link":
                    names.check(f"{audience} {label}", expect(dialog.get_by_role("link", name=label)).to_have_attribute, "href", shared["url"])
        readers.append(text.evaluate("text => document.getElementById(text.getAttribute('aria-describedby')).textContent"))
    names.true(f"which prices each sees: {readers}", len(set(readers)) == len(audiences) and all(re.search("voit", one) for one in readers))
    names.done()


@story("names", "sharing shows what the service phrases, for each reader in each format")
def sharing(app):
    check_sharing(app, "admin", ["Formateur", "Client", "Interne"])


@story("names", "members share with two readers", account="user", devices=["phone"])
def sharing_of_members(app):
    check_sharing(app, "user", ["Formateur", "Client"])


@story("names", "the system's own sheet is offered where there is one", devices=["phone"])
def system_sheet(app):
    one = made(app)
    app.page.add_init_script("navigator.share = async given => { window.given = given; };")
    app.go(f"/sessions/{one['id']}")
    app.page.get_by_role("button", name="Partager", exact=True).click()
    dialog = app.page.get_by_role("dialog", name="Partager la session")
    expect(dialog.get_by_role("textbox", name="Aperçu")).not_to_have_value("")
    dialog.get_by_role("button", name="Partager…", exact=True).click()
    assert app.page.evaluate("window.given.text") == dialog.get_by_role("textbox", name="Aperçu").input_value()


@story("names", "a client that is typed and not chosen is neither lost nor guessed")
def typed_client(app):
    page, main, word = app.page, app.page.get_by_role("main"), new_word()
    wanted = app.rpc("clients.create", {"values": {"raison_sociale": f"Garage {word}"}, "select": "{ id }"})["id"]
    other = app.rpc("clients.create", {"values": {"raison_sociale": f"Garage {word.upper()}"}, "select": "{ id }"})["id"]
    app.go("/sessions/nouveau")
    main.get_by_role("combobox", name="Module").fill(f"Saisie {word}")
    main.get_by_label("Date", exact=True).fill(present_day().isoformat())
    client = main.get_by_role("combobox", name="Client", exact=True)
    client.fill("Garage qui n’existe pas")
    main.get_by_label("Début", exact=True).fill("09:00")
    main.get_by_label("Fin", exact=True).fill("12:00")
    expect(client).to_have_value("Garage qui n’existe pas")
    main.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(client).to_have_attribute("aria-invalid", "true")
    expect(main.locator(".field-message")).to_contain_text("n’est pas dans la liste")
    expect(client).to_be_focused()
    app.shot("typed-client")
    # Of two that differ by case alone, the one that is spelt like it.
    client.fill(f"Garage {word}")
    client.press("Tab")
    main.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Saisie {word}")
    found = app.rpc("sessions.list", {"where": {"module": f"Saisie {word}"}, "select": "{ id client_id }"})["items"]
    assert [one["client_id"] for one in found] == [wanted], (found, wanted, other)
    app.rpc("sessions.delete", {"id": found[0]["id"]})
    app.delete_many("clients", [wanted, other])
