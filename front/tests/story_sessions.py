"""Sessions: the list, the record, the form, sharing, and what happens when two people change one."""
import datetime
import re
from urllib.parse import quote

from harness import expect, new_word, present_day, story

THIN = "\u202f"


def soon(days=3):
    """A day of this month, so that the list shows it without a filter."""
    today = present_day()
    day = today + datetime.timedelta(days=days)
    return day if day.month == today.month else today


def made(app, **values):
    """A session of its own for the story."""
    given = {
        "module": f"Histoire {new_word()}", "date": soon().isoformat(), "debut": "09:00", "fin": "12:30", "modalite": "P", **values}
    return app.rpc("sessions.create", {"values": given, "select": "{ id module date version }"})


def choose(page, label, text):
    """Chooses in a combobox as people do: some letters, then the option. A record that the device does not know yet is waited for:
    the way to make one of this name is not it."""
    field = page.get_by_role("combobox", name=label, exact=True)
    field.fill(text)
    page.get_by_role("option", name=re.compile(rf"^(?!Créer\s).*{re.escape(text)}", re.I)).first.click()


def filters(app):
    """The place of the filters: a dialog on a phone."""
    if not app.is_phone:
        return app.page
    app.page.get_by_role("button", name="Filtres…").click()
    return app.page.get_by_role("dialog", name="Filtres")


@story("US-10", "the list shows this month upwards, and leads to a session and back to its place")
def the_list(app):
    page = app.page
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    expect(page.get_by_role("status", name="Résultats")).to_have_text(re.compile(r"^\d+ sessions?$"))
    app.axe()
    app.assert_no_sideways_scrolling()
    days = [int(text) for text in rows.locator(".figure").all_text_contents()]
    assert days == sorted(days), days
    link = rows.nth(rows.count() - 1).get_by_role("link")
    sentence = link.get_attribute("aria-label")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(sentence.split(", ")[0])
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.go_back()
    expect(page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    expect(page.get_by_role("link", name=sentence, exact=True).first).to_be_in_viewport()


@story("US-11", "months and filters stand in the address; all months go downwards")
def months(app):
    page = app.page
    group = page.get_by_role("group", name="Mois")
    group.get_by_role("button", name="Mois suivant").click()
    expect(page).to_have_url(re.compile(r"mois=\d{4}-\d{2}"))
    group.get_by_role("button", name="Mois précédent").click()
    expect(page).not_to_have_url(re.compile("mois="))
    group.get_by_role("button", name="Tous les mois").click()
    expect(page).to_have_url(re.compile("mois=tous"))
    expect(page.get_by_role("list", name="Sessions").get_by_role("listitem").nth(60)).to_be_attached()
    place = filters(app)
    place.get_by_role("radio", name="Distanciel").check()
    choose(page, "Formateur", "Élodie")
    if app.is_phone:
        app.axe()
        place.get_by_role("button", name="Afficher les sessions").click()
    expect(page).to_have_url(re.compile(r"modalite=D.*formateur=\d+|formateur=\d+.*modalite=D"))
    rows = page.get_by_role("list", name="Sessions").get_by_role("link")
    expect(rows.first).to_have_attribute("aria-label", re.compile("Distanciel, Élodie"))
    page.reload()
    expect(rows.first).to_have_attribute("aria-label", re.compile("Distanciel, Élodie"))
    page.get_by_role("button", name="Effacer les filtres").click()
    expect(page).to_have_url(re.compile(r"/sessions$"))


@story("US-12", "a user finds a session by its module, accents aside")
def search(app):
    session = made(app, module=f"Théâtre {new_word()}")
    page = app.page
    page.get_by_role("searchbox", name="Rechercher une session").fill(session["module"].upper().replace("É", "E").replace("Â", "a"))
    rows = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text(session["module"])
    expect(page.get_by_role("status", name="Résultats")).to_have_text("1 session")
    page.get_by_role("searchbox", name="Rechercher une session").fill("rien de tel nulle part")
    expect(page.get_by_text(re.compile("^Aucune session"))).to_be_visible()
    app.axe()


@story("US-13", "a user plans a session after a call", account="user")
def create(app):
    page = app.page
    page.get_by_role("link", name="Nouvelle session").first.click()
    expect(page.get_by_role("heading", name="Nouvelle session", level=1)).to_be_visible()
    page.get_by_role("combobox", name="Module").fill("Photographie de nuit")
    page.get_by_label("Date", exact=True).fill(soon().isoformat())
    page.get_by_label("Début", exact=True).fill("09:00")
    page.get_by_label("Fin", exact=True).fill("08:00")
    page.get_by_role("radio", name="Présentiel").check()
    choose(page, "Formateur", "Élodie")
    choose(page, "Client", "Imprimerie")
    page.get_by_role("textbox", name="Tarif client").fill(f"1{THIN}200,50")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger")
    fin = page.get_by_label("Fin", exact=True)
    expect(fin).to_be_focused()
    expect(fin).to_have_attribute("aria-invalid", "true")
    app.axe()
    app.assert_no_sideways_scrolling()
    fin.fill("17:00")
    expect(page.get_by_role("status", name="Résumé")).to_contain_text(re.compile("8.h"))
    expect(page.get_by_role("status", name="Résumé")).to_contain_text(re.compile("Marge 1.200,50"))
    fin.press("Control+Enter")
    expect(page.get_by_role("status", name="Message")).to_have_text("Session enregistrée")
    expect(page.get_by_role("heading", name="Photographie de nuit", level=1)).to_be_visible()
    saved = app.rpc("sessions.get", {
        "id": int(page.url.rsplit("/", 1)[1]), "select": "{ debut fin tarif_client formateur { nom_complet } client { raison_sociale } }"})
    assert (saved["debut"], saved["fin"], saved["tarif_client"]) == ("09:00:00", "17:00:00", 1200.5), saved
    assert saved["formateur"] and saved["client"], saved


@story("US-13", "the messages of the service stand at their fields", devices=["desktop"])
def refused(app):
    page = app.page
    app.allow_console("400|422")
    page.get_by_role("link", name="Nouvelle session").first.click()
    page.get_by_role("combobox", name="Module").fill("Trop cher")
    page.get_by_label("Date", exact=True).fill(soon().isoformat())
    page.get_by_role("textbox", name="Tarif client").fill("-5")
    page.get_by_role("button", name="Enregistrer").click()
    field = page.get_by_role("textbox", name="Tarif client")
    expect(page.get_by_role("alert")).to_contain_text("1 champ à corriger")
    expect(field).to_be_focused()
    described = field.get_attribute("aria-describedby")
    expect(page.locator(f"[id='{described}']")).not_to_be_empty()


@story("US-14", "a user changes a session, and leaving half way asks first")
def change(app):
    session = made(app)
    page = app.page
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("link", name="Modifier", exact=True).click()
    expect(page.get_by_role("heading", name="Modifier la session", level=1)).to_be_visible()
    page.get_by_role("textbox", name="Référence du contrat").fill("CT-HISTOIRE")
    page.get_by_role("link", name="Clients", exact=True).first.click()
    question = page.get_by_role("alertdialog", name=re.compile("Abandonner les modifications"))
    app.axe()
    question.get_by_role("button", name="Continuer la saisie").click()
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Session enregistrée")
    expect(page.get_by_role("region", name="Tarifs")).to_contain_text("CT-HISTOIRE")
    expect(page.get_by_role("region", name="Historique")).to_contain_text(re.compile("a modifié la session"))
    app.axe()


@story("US-13", "a client who is new is made from within the form")
def from_within(app):
    page = app.page
    name = f"Nouvelle Maison {new_word()}"
    app.go("/sessions/nouveau")
    page.get_by_role("combobox", name="Client", exact=True).fill(name)
    page.get_by_role("option", name=f"Créer « {name} »").click()
    dialog = page.get_by_role("dialog", name="Nouveau client")
    expect(dialog.get_by_role("textbox", name="Raison sociale")).to_have_value(name)
    expect(dialog.get_by_role("textbox", name="Raison sociale")).to_be_focused()
    app.axe()
    dialog.get_by_role("button", name="Enregistrer").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("combobox", name="Client", exact=True)).to_have_value(name)
    assert app.rpc("clients.list", {"where": {"raison_sociale": name}, "select": "{ id }"})["items"]


@story("US-13", "who may not create a client is not offered it", devices=["desktop"], account="user")
def not_from_within(app):
    app.go("/sessions/nouveau")
    app.page.get_by_role("combobox", name="Client", exact=True).fill("Nulle part ailleurs")
    expect(app.page.get_by_role("option")).to_have_text(["Aucun résultat"])


@story("US-14", "what was typed survives a crash of the page", devices=["phone"])
def draft(app):
    page = app.page
    app.go("/sessions/nouveau")
    page.get_by_role("combobox", name="Module").fill("Brouillon de phare")
    page.wait_for_timeout(1_000)
    page.reload()
    expect(page.get_by_role("combobox", name="Module")).to_have_value("Brouillon de phare")
    page.get_by_role("button", name="Annuler").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Abandonner").click()
    expect(page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    app.go("/sessions/nouveau")
    expect(page.get_by_role("combobox", name="Module")).to_have_value("")


@story("conflict", "a form keeps what was typed when someone deletes the session, and makes a new one of it")
def deleted_meanwhile(app):
    session = made(app)
    page = app.page
    app.go(f"/sessions/{session['id']}/modifier")
    page.get_by_role("combobox", name="Lieu").fill("Salle des pas perdus")
    app.rpc("sessions.delete", {"id": session["id"]})
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("supprimée entre-temps", timeout=25_000)
    # Enregistrer is not below the alert, and changes nothing of what was typed.
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(page.get_by_role("combobox", name="Lieu")).to_have_value("Salle des pas perdus")
    app.axe()
    page.get_by_role("button", name="Créer à nouveau").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(session["module"])
    found = app.rpc("sessions.list", {"where": {"module": session["module"]}, "select": "{ id lieu }"})["items"]
    assert [one["lieu"] for one in found] == ["Salle des pas perdus"] and found[0]["id"] != session["id"], found


@story("conflict", "what only one side changed merges; for the rest a person decides")
def conflict(app):
    session = made(app, tarif_client=500)
    page = app.page
    app.allow_console("409")
    app.go(f"/sessions/{session['id']}/modifier")
    price = page.get_by_role("textbox", name="Tarif client")
    expect(price).to_have_value("500")
    app.rpc("sessions.update", {"id": session["id"], "values": {"tarif_client": 700, "ref_contrat": "AILLEURS"}}, "user")
    price.fill("800")
    page.get_by_role("combobox", name="Lieu").fill("Arles")
    page.get_by_role("button", name="Enregistrer").click()
    dialog = page.get_by_role("dialog", name="Modifiée entre-temps")
    expect(dialog).to_contain_text("Louis Utilisateur")
    expect(dialog.get_by_role("table").get_by_role("columnheader")).to_have_text(
        ["Champ", "Ma version", "Version enregistrée", "Version d’origine"])
    app.axe()
    choice = dialog.get_by_role("group", name="Tarif client")
    expect(choice.get_by_role("radio", name="Ma version")).to_be_checked()
    choice.get_by_role("radio", name="Version enregistrée").check()
    dialog.get_by_role("button", name="Enregistrer ce choix").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Session enregistrée")
    saved = app.rpc("sessions.get", {"id": session["id"], "select": "{ tarif_client lieu ref_contrat }"})
    assert saved == {"tarif_client": 700, "lieu": "Arles", "ref_contrat": "AILLEURS"}, saved


@story("US-15", "an administrator deletes a session, and is asked first")
def delete(app):
    session = made(app)
    page = app.page
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("button", name="Supprimer", exact=True).click()
    question = page.get_by_role("alertdialog", name=re.compile("Supprimer cette session"))
    expect(question.get_by_role("button", name="Annuler")).to_be_focused()
    app.axe()
    question.get_by_role("button", name="Supprimer").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Session supprimée")
    expect(page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(session["module"]))).to_have_count(0)


@story("US-15", "a deletion is taken back within ten seconds: the session was never gone")
def delete_undone(app):
    session = made(app)
    page, message = app.page, app.page.get_by_role("status", name="Message")

    def delete():
        app.go(f"/sessions/{session['id']}")
        page.get_by_role("button", name="Supprimer", exact=True).click()
        page.get_by_role("alertdialog").get_by_role("button", name="Supprimer").click()
        expect(message).to_have_text("Session supprimée")
        expect(page.get_by_role("main").get_by_role("link", name=re.compile(session["module"]))).to_have_count(0)

    delete()
    app.axe()
    # Another tab does not show it either, and has it again.
    other = app.new_page(app.contexts[0])
    app.go("/sessions", other)
    expect(other.get_by_role("list", name="Sessions")).to_be_visible()
    expect(other.get_by_role("link", name=re.compile(session["module"]))).to_have_count(0)
    page.get_by_role("button", name="Annuler", exact=True).click()
    expect(message).to_have_text("Suppression annulée")
    for one in (page, other):
        expect(one.get_by_role("main").get_by_role("link", name=re.compile(session["module"]))).to_have_count(1)
    expect(page.get_by_role("status", name="Synchronisation")).to_have_text("À jour")
    assert app.rpc("sessions.get", {"id": session["id"], "select": "{ version }"})["version"] == session["version"]
    delete()
    # What is left sends at once what could still be taken back.
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true }); document.dispatchEvent(new Event('visibilitychange'))")
    app.wait_until_gone("sessions", {"module": session["module"]})


@story("US-15", "a deletion of any record is taken back, sent by a page that is closed, and sent before signing out")
def any_deletion_undone(app):
    page, message = app.page, app.page.get_by_role("status", name="Message")
    name = f"Rétractée {new_word()}"
    values = {
        "formateurs": {"prenom": "Zoé", "nom": name}, "clients": {"raison_sociale": name}, "ecoles": {"nom": name},
        "prospects": {"raison_sociale": name}, "programmes": {"intitule": name}}
    ids = {entity: app.rpc(f"{entity}.create", {"values": one, "select": "{ id }"})["id"] for entity, one in values.items()}

    def delete(entity):
        app.move(f"/{entity}/{ids[entity]}")
        expect(page.get_by_role("heading", level=1)).to_contain_text(name)
        page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
        dialog = page.get_by_role("alertdialog")
        expect(dialog).not_to_contain_text("définitive")
        dialog.get_by_role("button", name="Supprimer", exact=True).click()
        expect(message).to_contain_text(re.compile("supprimée?$"))
        expect(page.get_by_role("status", name="Synchronisation")).to_have_text("À jour")
        expect(page.get_by_role("main").get_by_role("link", name=re.compile(name))).to_have_count(0)

    for entity, id in ids.items():
        delete(entity)
        page.get_by_role("button", name="Annuler", exact=True).click()
        expect(message).to_have_text("Suppression annulée")
        expect(page.get_by_role("main").get_by_role("link", name=re.compile(name))).to_have_count(1)
        assert app.rpc(f"{entity}.list", {"where": {"id": id}, "select": "{ id }"})["items"]
    app.wait_for_copy()
    for entity in ("clients", "prospects"):
        delete(entity)
        page.goto("about:blank")
        app.wait_until_gone(entity, {"id": ids[entity]})
        app.go("/profil")
    delete("ecoles")
    app.move("/profil")
    page.get_by_role("button", name="Se déconnecter").click()
    expect(page.get_by_role("heading", level=1, name="Connexion")).to_be_visible()
    assert app.rpc("ecoles.list", {"where": {"id": ids["ecoles"]}, "select": "{ id }"})["items"] == []


@story("US-15", "a deletion that others make impossible meanwhile brings the record back, and the alert names it", devices=["desktop"])
def deletion_refused_later(app):
    page, name = app.page, f"Encore là {new_word()}"
    client = app.rpc("clients.create", {"values": {"raison_sociale": name}, "select": "{ id }"})
    app.allow_console("409")
    app.move(f"/clients/{client['id']}")
    page.get_by_role("main").get_by_role("button", name="Supprimer", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Supprimer", exact=True).click()
    # The dialog asks the server once more before it closes, and hides the list meanwhile.
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("link", name=name)).to_have_count(0)
    app.rpc("sessions.create", {"values": {
        "module": name, "date": "2027-01-12", "debut": "09:00", "fin": "17:00", "modalite": "P", "client_id": client["id"]}})
    expect(page.get_by_role("alert")).to_contain_text(f"Suppression du client «\u00a0{name}\u00a0» refusée", timeout=20_000)
    expect(page.get_by_role("main").get_by_role("link", name=name)).to_have_count(1)
    app.shot("deletion-refused")


@story("US-10", "the list opens at today, below a head that leaves room for rows")
def opens_at_today(app):
    page = app.page
    today = present_day()
    mark = f"Ouverture {new_word()}"
    for day in (today.replace(day=1), today):
        for _ in range(15):
            app.rpc("sessions.create", {"values": {"module": mark, "date": str(day), "debut": "09:00", "fin": "12:00", "modalite": "P"}})
    heading = page.get_by_role("heading", name="Aujourd’hui", exact=True)
    app.move("/formateurs")
    expect(page.get_by_role("list", name="Formateurs")).to_be_visible()
    app.move("/sessions")
    expect(heading).to_be_in_viewport()
    page.wait_for_timeout(1_000)
    first = page.locator(f"main .row-item:has(h2) a.row")
    expect(first).to_be_in_viewport()
    if today.day > 1:
        # Half of what was above the first row: 292 and 264 pixels.
        assert heading.bounding_box()["y"] < (146 if app.is_phone else 132), heading.bounding_box()
        expect(page.get_by_role("main").get_by_role("link").filter(has_text=mark).first).not_to_be_in_viewport()
    expect(page.get_by_role("searchbox", name="Rechercher une session")).to_be_in_viewport()
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("today")
    # Who goes back comes back to where they were.
    page.evaluate("scrollTo(0, 60)")
    app.move("/formateurs")
    expect(page.get_by_role("list", name="Formateurs")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("list", name="Sessions")).to_be_visible()
    page.wait_for_timeout(800)
    assert page.evaluate("scrollY") < 120, page.evaluate("[scrollY, sessionStorage.left]")
    page.get_by_role("button", name="Mois suivant").click()
    expect(heading).to_have_count(0)
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Ce mois-ci").click()
    expect(heading).to_be_in_viewport()


# Notes whether today stands among the first rows that are seen, and since when they were there by then.
FIRST_ROWS = """() => {
    let began;
    const look = () => {
        const row = document.querySelector("main a.row");
        if (row) began ??= performance.now();
        if (!row?.checkVisibility({ visibilityProperty: true })) return requestAnimationFrame(look);
        window.firstRows = { hasToday: document.querySelector("main .row-mark") !== null, waited: performance.now() - began };
    };
    look();
}"""


@story("US-10", "a device without a copy paints no rows of a long month before today is among them", devices=["phone"], account=None)
def first_rows(app):
    # A server that shows sessions to no other story.
    app.serve("--domains", "crm,counting")
    today = present_day()
    values = {"module": f"Long mois {new_word()}", "debut": "09:00", "fin": "12:00", "modalite": "P"}
    ids = app.create_many("sessions", [{**values, "date": str(day)} for day in [today.replace(day=1)] * 620 + [today]])
    page = app.new_page()
    page.add_init_script(f"({FIRST_ROWS})()")
    app.sign_in(page=page, path="/sessions")
    expect(page.get_by_role("heading", name="Aujourd’hui", exact=True)).to_be_in_viewport()
    seen = page.evaluate("firstRows")
    # A slow device shows what it has after half a second.
    assert seen["hasToday"] or seen["waited"] > 300, seen
    app.delete_many("sessions", ids)


@story("US-15", "who may not delete a session is not offered it", devices=["phone"], account="user")
def no_delete(app):
    session = made(app)
    app.go(f"/sessions/{session['id']}")
    expect(app.page.get_by_role("button", name="Partager", exact=True)).to_be_visible()
    expect(app.page.get_by_role("button", name="Supprimer")).to_have_count(0)


@story("US-16", "a session is shared on Discord, without the client's price")
def share(app):
    session = made(app, tarif_client=4321, tarif_sous_traitant=450)
    page = app.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("button", name="Partager", exact=True).click()
    dialog = page.get_by_role("dialog", name="Partager la session")
    dialog.get_by_role("radio", name="Discord").check()
    text = dialog.get_by_role("textbox", name="Aperçu")
    wanted = app.rpc("sessions.share", {"id": session["id"], "format": "discord", "audience": "formateur"})["text"]
    expect(text).to_have_value(wanted)
    assert "4" + THIN + "321" not in wanted
    app.axe()
    dialog.get_by_role("button", name="Copier").click()
    expect(page.get_by_role("status", name="Message")).to_have_text("Texte copié")
    assert page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n") == wanted
    expect(dialog.get_by_role("button", name="Ouvrir Discord")).to_be_visible()
    dialog.get_by_role("radio", name="Interne").check()
    expect(text).to_have_value(re.compile("Marge"))


@story("US-17", "a session is shared by e-mail to its trainer", account="user")
def mail(app):
    trainer = app.rpc("formateurs.list", {"first": 1, "where": {"email": {"is_null": False}}, "select": "{ id email }"})["items"][0]
    session = made(app, formateur_id=trainer["id"])
    page = app.page
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("button", name="Partager", exact=True).click()
    dialog = page.get_by_role("dialog", name="Partager la session")
    expect(dialog.get_by_role("radio", name="Interne")).to_have_count(0)
    dialog.get_by_role("radio", name="E-mail").check()
    link = dialog.get_by_role("link", name="Ouvrir l’e-mail")
    expect(link).to_have_attribute("href", re.compile(f"^mailto:{re.escape(quote(trainer['email'], safe='@'))}\\?subject="))
    dialog.get_by_role("radio", name="SMS").check()
    expect(dialog.get_by_role("link", name="Ouvrir le SMS")).to_have_attribute("href", re.compile("^sms:"))
    # Nobody is known as the client: the links have no one to write to, and the dialog says so.
    dialog.get_by_role("radio", name="Client").check()
    expect(dialog.get_by_text(re.compile("^Aucun numéro de téléphone n’est connu"))).to_be_visible()
    dialog.get_by_role("radio", name="E-mail").check()
    expect(dialog.get_by_text(re.compile("^Aucune adresse e-mail n’est connue"))).to_be_visible()
    dialog.get_by_role("radio", name="Formateur").check()
    expect(dialog.get_by_role("link", name="Ouvrir l’e-mail")).to_have_attribute("href", re.compile("^mailto:[^?]"))
    expect(dialog.get_by_text(re.compile("^Aucune adresse"))).to_have_count(0)


@story("SESS-10", "a session like another", devices=["desktop"])
def duplicate(app):
    session = made(app, ref_contrat="UNIQUE", tarif_client=300)
    page = app.page
    app.go(f"/sessions/{session['id']}")
    page.get_by_role("link", name="Dupliquer").click()
    expect(page.get_by_role("heading", name="Dupliquer la session", level=1)).to_be_visible()
    expect(page.get_by_label("Date", exact=True)).to_be_focused()
    expect(page.get_by_role("combobox", name="Module")).to_have_value(session["module"])
    expect(page.get_by_role("textbox", name="Référence du contrat")).to_have_value("")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("heading", name=session["module"], level=1)).to_be_visible()
    expect(page).not_to_have_url(re.compile(f"/{session['id']}$"))


@story("print", "a session is one page of A4", devices=["desktop"])
def one_page(app):
    session = made(app, lieu="12 rue de la Paix, 75002 Paris", tarif_client=900)
    app.go(f"/sessions/{session['id']}")
    expect(app.page.get_by_role("region", name="Tarifs")).to_be_visible()
    pdf = app.page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


@story("layout", "no sideways scrolling in a narrow window with large text", devices=["phone"])
def narrow(app):
    session = made(
        app, module="Un intitulé particulièrement long pour une petite fenêtre, avec anticonstitutionnellement", ref_contrat="CT-2027-261")
    page = app.new_page(viewport={"width": 320, "height": 640})
    app.sign_in(page=page)
    for path in ("/sessions", f"/sessions/{session['id']}", f"/sessions/{session['id']}/modifier", "/sessions/nouveau"):
        app.go(path, page)
        expect(page.get_by_role("heading", level=1)).not_to_have_text("…")
        page.wait_for_timeout(300)
        app.assert_no_sideways_scrolling(page)
        if path.endswith(str(session["id"])):
            # The actions stand in full lines, and the number of the contract in one.
            tops = page.locator(".record-actions > *").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
            assert min(tops.count(top) for top in tops) > 1, tops
            lines = "one => { const all = document.createRange(); all.selectNodeContents(one); return all.getClientRects().length; }"
            assert page.get_by_text("CT-2027-261", exact=True).evaluate(lines) == 1
        page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
        page.wait_for_timeout(100)
        app.assert_no_sideways_scrolling(page)
        if path == "/sessions":
            # Nothing floats on what is below it, and what narrows the list leaves room for it.
            expect(page.locator("main .filters")).to_have_css("position", "static")
            assert page.get_by_role("link", name="Nouvelle session").evaluate("one => getComputedStyle(one).position") == "static"
            app.shot("large-text", page)


# The words that stand in two lines, without a place where a line may end.
BROKEN = r"""places => places.filter(place => place.checkVisibility()).flatMap(place => {
    const words = document.createTreeWalker(place, NodeFilter.SHOW_TEXT), found = [];
    while (words.nextNode()) {
        for (const { 0: word, index } of words.currentNode.data.matchAll(/[\p{L}\p{N}]+/gu)) {
            const range = document.createRange();
            range.setStart(words.currentNode, index);
            range.setEnd(words.currentNode, index + word.length);
            if (new Set([...range.getClientRects()].filter(box => box.width > 1).map(box => Math.round(box.top))).size > 1) found.push(word);
        }
    }
    return found;
})"""


@story("layout", "large text in a narrow window keeps its words whole, where the window is wide enough for them", devices=["phone"])
def whole_words(app):
    client = app.rpc("clients.create", {"values": {"raison_sociale": "Garage du Centre"}, "select": "{ id }"})
    app.rpc("ecoles.create", {"values": {"nom": "Lycée maritime"}})
    session = made(app, module="Cybersécurité des réseaux", client_id=client["id"], tarif_client=1200)
    page = app.new_page(viewport={"width": 320, "height": 640})
    app.sign_in(page=page)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for path, places, longest in (
            ("/sessions", ".session-row .row-title, .session-row .badge, .new", 13), ("/calendrier", ".new", 13),
            (f"/sessions/{session['id']}", ".price dt", 13), (f"/clients/{client['id']}", ".session-row .row-title, .session-row .badge", 10),
            ("/clients?q=garage", ".directory .row-title, .new", 8), ("/ecoles?q=maritime", ".directory .row-title, .new", 8),
            ("/formateurs", ".new", 13), ("/tableau-de-bord", ".reminders", 13)):
        app.move(path, page)
        expect(page.locator(places).first).to_be_visible()
        app.settle(page)
        broken = [word for word in page.locator(places).evaluate_all(BROKEN) if len(word) <= longest]
        assert broken == [], f"{path}: {broken}"
        app.assert_no_sideways_scrolling(page)
        page.locator(places).first.scroll_into_view_if_needed()
        app.shot("whole" + path.split("?")[0].replace("/", "-"), page)


@story("layout", "on a phone a number stays in its badge, a search shows what it is for, and buttons to share do not break", devices=["phone"])
def fits(app):
    page = app.page
    app.move("/sessions")
    search = page.get_by_role("searchbox", name="Rechercher une session")
    room = """one => {
        const words = document.createElement("canvas").getContext("2d"), style = getComputedStyle(one);
        words.font = style.font;
        return one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - words.measureText(one.placeholder).width;
    }"""
    expect(search).to_be_visible()
    assert search.evaluate(room) >= 0, "the search cuts its words"
    app.go("/sessions?modalite=P")
    badge = page.locator(".filters-count")
    badge.evaluate("one => { one.textContent = '804'; }")
    assert badge.evaluate("one => { const all = document.createRange(); all.selectNodeContents(one);"
                          " return one.clientWidth - all.getBoundingClientRect().width; }") >= 4
    session = made(app)
    app.move(f"/sessions/{session['id']}")
    page.get_by_role("button", name="Partager").click()
    dialog = page.get_by_role("dialog", name="Partager la session")
    for kind, name in (("E-mail", "Ouvrir l’e-mail"), ("Discord", "Ouvrir Discord")):
        dialog.get_by_role("radio", name=kind).check()
        # The text of the new format brings buttons of its own.
        app.settle()
        button = dialog.get_by_text(name)
        expect(button).to_be_visible()
        boxes = button.evaluate("one => { const all = document.createRange(); all.selectNodeContents(one);"
                                " return [...all.getClientRects()].map(({ top, width, height }) => ({ top, width, height })); }")
        # The icon is 20 px wide, and a fraction more while the dialog comes in.
        assert len({round(box["top"]) for box in boxes if box["width"] > 24}) == 1, boxes
        app.shot(f"share-{kind}")


@story("layout", "beside a new session the list begins at today", devices=["desktop"])
def beside_new(app):
    page = app.page
    app.go("/sessions/nouveau")
    aside = page.get_by_role("complementary", name="Liste")
    expect(aside.get_by_role("heading", name="Aujourd’hui")).to_be_in_viewport()


@story("dark", "the screens of sessions are readable in the dark", theme="dark")
def dark(app):
    session = made(app, tarif_client=100)
    for path in ("/sessions", f"/sessions/{session['id']}", "/sessions/nouveau"):
        app.go(path)
        expect(app.page.get_by_role("heading", level=1)).not_to_have_text("…")
        app.page.wait_for_timeout(400)
        app.axe()


@story("states", "a list that fails says so, and tries again", devices=["phone"])
def failing(app):
    page = app.page
    app.allow_console("Failed to load|503|ERR_FAILED")
    month = "2031-02"
    page.route("**/rpc", lambda route: route.abort() if '"sessions.list"' in (route.request.post_data or "") else route.continue_())
    app.go(f"/sessions?mois={month}")
    retry = page.get_by_role("button", name="Réessayer")
    expect(retry).to_be_visible()
    app.axe()
    page.unroute("**/rpc")
    app.try_again(page)
    expect(page.get_by_text("Aucune session en février 2031")).to_be_visible()
    app.axe()
