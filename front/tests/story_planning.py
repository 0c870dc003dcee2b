"""What follows a planned session: repeating and moving it, trainers who are free, and its documents."""
import datetime
import re
import time

from harness import expect, new_word, present_day, story
from story_sessions import choose, made


@story("planning", "a session is repeated and moved; its trainer's other session is shown")
def planning(app):
    trainer = app.rpc("formateurs.create", {"values": {"prenom": "Zoé", "nom": f"Double {new_word()}"}, "select": "{ id }"})
    made(app, formateur_id=trainer["id"], module="Déjà prise")
    session = made(app, formateur_id=trainer["id"], debut="14:00", fin="17:00")
    page = app.page
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("button", name="Décaler…").click()
    dialog = page.get_by_role("dialog", name="Décaler la session")
    dialog.get_by_label("Nouveau début").fill("10:00")
    app.axe()
    dialog.get_by_role("button", name="Décaler", exact=True).click()
    place = page.get_by_role("region", name="Date et horaires")
    expect(place).to_contain_text(re.compile("10.h – 13.h"))
    expect(place.get_by_role("link", name="Déjà prise")).to_be_visible()
    page.get_by_role("button", name="Annuler", exact=True).click()
    expect(place).to_contain_text(re.compile("14.h – 17.h"))
    page.get_by_role("button", name="Répéter…").click()
    dialog = page.get_by_role("dialog", name="Répéter la session")
    dialog.get_by_role("button", name="Une semaine plus tard").click()
    dialog.get_by_role("button", name="Deux semaines plus tard").click()
    app.axe()
    dialog.get_by_role("button", name="Créer 2 sessions").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("2 sessions créées")
    found = app.rpc("sessions.list", {"where": {"module": session["module"]}, "count": True, "select": "{ id }"})
    assert found["total"] == 3, found


@story("planning", "where overlaps are forbidden, the refusal stands at the trainer and leads to the other session", devices=["desktop"])
def forbidden(app):
    page = app.page
    app.allow_console("409")
    trainer = app.rpc("formateurs.create", {"values": {"prenom": "Ida", "nom": f"Prise {new_word()}"}, "select": "{ id nom_complet }"})
    other = made(app, formateur_id=trainer["id"])
    session = made(app, debut="10:00", fin="11:00")
    organisation = app.rpc("organisme.list", {"select": "{ id }"})["items"][0]["id"]
    app.rpc("organisme.update", {"id": organisation, "values": {"conflits_interdits": True}})
    try:
        app.go(f"/sessions/{session['id']}/modifier")
        choose(page, "Formateur", trainer["nom_complet"])
        expect(page.get_by_role("status", name="Résumé")).to_contain_text("a déjà une session ce jour-là")
        page.get_by_role("button", name="Enregistrer").click()
        expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger")
        expect(page.get_by_role("alert").get_by_role("link", name=other["module"])).to_have_attribute("href", f"/sessions/{other['id']}")
        expect(page.get_by_role("combobox", name="Formateur", exact=True)).to_be_focused()
    finally:
        app.rpc("organisme.update", {"id": organisation, "values": {"conflits_interdits": False}})


@story("planning", "another session of the trainer at that time stands at the fields where it arises")
def conflict_at_fields(app):
    page = app.page
    trainer = app.rpc("formateurs.create", {"values": {"prenom": "Ida", "nom": f"Double {new_word()}"}, "select": "{ id nom_complet }"})
    other = made(app, formateur_id=trainer["id"])
    app.go(f"/sessions/nouveau?date={other['date']}")
    choose(page, "Formateur", trainer["nom_complet"])
    words = re.compile(rf"{trainer['nom_complet']} a déjà une session ce jour-là.*{other['module']}")
    for field in (page.get_by_label("Date", exact=True), page.get_by_role("combobox", name="Formateur", exact=True)):
        expect(field).to_have_accessible_description(words)
    expect(page.get_by_role("status", name="Résumé")).to_contain_text(words)
    app.axe()
    app.assert_no_sideways_scrolling()
    # A free hour of the same day is none.
    page.get_by_label("Début", exact=True).fill("14:00")
    expect(page.get_by_label("Date", exact=True)).not_to_have_accessible_description(words)


@story("planning", "free trainers are found from Formateurs and Calendrier, who has taught it first, and lead to a session")
def free_from_lists(app):
    page = app.page
    day = (present_day() + datetime.timedelta(401)).isoformat()
    app.go("/formateurs")
    page.get_by_role("button", name="Formateurs disponibles…").click()
    dialog = page.get_by_role("dialog", name="Formateurs disponibles")
    dialog.get_by_label("Date", exact=True).fill(day)
    choose(page, "Module", "SwiftUI avancé")
    rows = dialog.get_by_role("list").get_by_role("listitem")
    expect(rows.first).to_contain_text("A déjà enseigné ce module")
    expect(dialog.get_by_text(re.compile(r"\b0 session"))).to_have_count(0)
    app.axe()
    app.assert_no_sideways_scrolling()
    name = rows.first.locator(".free-name").inner_text()
    rows.first.get_by_role("button").click()
    expect(page.get_by_role("heading", name="Nouvelle session", level=1)).to_be_visible()
    expect(page.get_by_role("combobox", name="Formateur", exact=True)).to_have_value(name)
    expect(page.get_by_role("combobox", name="Module")).to_have_value("SwiftUI avancé")
    expect(page.get_by_label("Date", exact=True)).to_have_value(day)
    app.go(f"/calendrier?jour={day}")
    page.get_by_role("button", name="Formateurs disponibles…").click()
    expect(dialog.get_by_label("Date", exact=True)).to_have_value(day)


@story("planning", "trainers who are free are proposed, those who have taught the module first", devices=["desktop"])
def free(app):
    page = app.page
    app.go("/sessions/nouveau")
    choose(page, "Module", "SwiftUI avancé")
    page.get_by_label("Date", exact=True).fill((present_day() + datetime.timedelta(days=400)).isoformat())
    page.get_by_role("button", name="Formateurs disponibles…").click()
    dialog = page.get_by_role("dialog", name="Formateurs disponibles")
    first = dialog.get_by_role("listitem").first
    expect(first).to_contain_text("A déjà enseigné ce module")
    app.axe()
    name = first.locator(".free-name").inner_text()
    first.get_by_role("button").click()
    expect(page.get_by_role("combobox", name="Formateur", exact=True)).to_have_value(name)


@story("documents", "a session's documents open, and are given to others", devices=["desktop"])
def documents(app):
    page = app.page
    session = made(app, tarif_client=900)
    app.go(f"/sessions/{session['id']}")
    place = page.get_by_role("region", name="Documents")
    with page.expect_download() as download:
        place.get_by_role("button", name=re.compile("^Télécharger.*Convention")).click()
    assert download.value.suggested_filename.endswith(".pdf"), download.value.suggested_filename
    page.get_by_role("button", name="Attribuer une référence de contrat").click()
    expect(page.get_by_role("region", name="Tarifs")).to_contain_text(re.compile(r"CT-\d{4}-\d{3}"))
    app.axe()


@story("documents", "hints before: what a contract lacks, a second request to sign, no subcontract for an employee", devices=["desktop"])
def hints(app):
    page, place = app.page, app.page.get_by_role("region", name="Documents")
    word = new_word()
    client = app.rpc("clients.create", {"values": {"raison_sociale": f"Indice {word}"}, "select": "{ id }"})
    trainers = [
        app.rpc("formateurs.create", {"values": {"prenom": "Zoé", "nom": f"Indice {word}", "exterieur": exterieur}, "select": "{ id }"})
        for exterieur in (0, 1)]
    session = made(app, tarif_client=900, client_id=client["id"], formateur_id=trainers[0]["id"])
    app.go(f"/sessions/{session['id']}")
    expect(place.get_by_role("listitem").filter(has_text="Convention")).to_have_count(1)
    # Who is employed has a contract already.
    expect(place.get_by_role("listitem").filter(has_text="Contrat du formateur")).to_have_count(0)
    app.rpc("sessions.update", {"id": session["id"], "values": {"formateur_id": trainers[1]["id"]}})
    expect(place.get_by_role("listitem").filter(has_text="Contrat du formateur")).to_have_count(1)
    expect(place).to_contain_text("Sans programme, la convention ne dit ni les objectifs")
    organisation = app.rpc("organisme.ouvrir", {"select": "{ id siret }"})
    expect(place.get_by_text(re.compile("complétez l’organisme"))).to_have_count(0)
    app.rpc("organisme.update", {"id": organisation["id"], "values": {"siret": None}})
    expect(place).to_contain_text("complétez l’organisme\u202f: SIRET.")
    app.rpc("organisme.update", {"id": organisation["id"], "values": {"siret": organisation["siret"]}})
    expect(place.get_by_text(re.compile("complétez l’organisme"))).to_have_count(0)
    app.rpc("signatures.demander", {
        "document": {"methode": "sessions.convention", "params": {"id": session["id"]}},
        "signataires": [{"nom": "Gérard Rouge", "email": f"{word}@exemple.fr", "pour": "client"}]})
    place.get_by_role("button", name=re.compile("^Faire signer.*Convention")).click()
    dialog = page.get_by_role("dialog", name="Demander une signature")
    expect(dialog.get_by_role("status")).to_contain_text("Une demande attend déjà d’être signée par Gérard Rouge")
    app.axe()


@story("documents", "who signs is seen at once; a refused form keeps the drawing; a request that is withdrawn leaves the focus", devices=["desktop"])
def signatures(app):
    page = app.page
    client = app.rpc("clients.create", {"values": {"raison_sociale": f"Signe {new_word()}"}, "select": "{ id }"})
    # The demo data have a programme of this title.
    session = made(app, tarif_client=900, client_id=client["id"], module="SwiftUI avancé")
    app.allow_console("400")
    app.go(f"/sessions/{session['id']}")
    place = page.get_by_role("region", name="Documents")

    def ask(name):
        place.get_by_role("button", name=re.compile("^Faire signer.*Convention")).click()
        dialog = page.get_by_role("dialog", name="Demander une signature")
        dialog.get_by_label("Nom du signataire").fill(name)
        dialog.get_by_label("Adresse e-mail du signataire").fill(f"{new_word()}@exemple.fr")
        dialog.get_by_role("button", name="Envoyer le lien").click()
        expect(place.get_by_role("list", name="Signatures")).to_contain_text(name)
        end = time.monotonic() + 20
        while True:
            links = re.findall(rf"Bonjour {name},.*?/signatures/([\w-]+)", app.server.log())
            if links:
                return f"/signatures/{links[-1]}"
            assert time.monotonic() < end, "no mail was written to the log"
            page.wait_for_timeout(100)

    link = ask("Gérard Blanc")
    other = app.new_page(app.contexts[0])
    app.go(link, other)
    pad = other.locator("#pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    other.mouse.move(box["x"] + 30, box["y"] + 30)
    other.mouse.down()
    other.mouse.move(box["x"] + 150, box["y"] + 60, steps=8)
    other.mouse.up()
    other.locator("#name").fill("   ")
    other.locator("#consent").check()
    other.get_by_role("button", name="Signer le document").click()
    expect(other.get_by_role("alert")).to_contain_text("Donnez votre nom")
    expect(other.locator("#consent")).to_be_checked()
    ink = "() => [...document.getElementById('pad').getContext('2d').getImageData(0, 0, 600, 200).data].filter(Boolean).length"
    other.wait_for_function(f"({ink})() > 100")
    other.locator("#name").fill("Gérard Blanc")
    other.get_by_role("button", name="Signer le document").click()
    expect(other.get_by_role("heading", level=1)).to_contain_text("Merci")
    expect(place.get_by_role("list", name="Signatures")).to_contain_text("a signé")
    expect(place.get_by_role("button", name="Relancer Gérard Blanc")).to_have_count(0)

    ask("Claire Noir")
    place.get_by_role("button", name="Retirer la demande").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Retirer la demande").click()
    expect(place.get_by_role("button", name="Retirer la demande")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_focused()
