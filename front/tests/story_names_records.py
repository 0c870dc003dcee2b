"""The names by which front.md lets others find things: directories, calendar, dashboard, profile, administration, serving, live."""
import json
import re
import urllib.error
import urllib.request

from harness import expect, new_word, story

THIN = "\u202f"
ADDRESS = ["Rue", "Code postal", "Ville"]
CONTACT = ["Adresse e-mail", "Téléphone"]
DIRECTORIES = {
    "formateurs": dict(
        heading="Formateurs", search="Rechercher un formateur", new="Nouveau formateur", edit="Modifier le formateur", one="formateur",
        fields=["Prénom", "Nom", *CONTACT, "Spécialité", "Taux horaire", "SIRET", "Numéro de déclaration d’activité", *ADDRESS],
        links=["Appeler", "E-mail", "SMS", "Nouvelle session", "Modifier"], ask=f"Supprimer ce formateur{THIN}?",
        regions=["Coordonnées", "Informations professionnelles", "Société", "Adresse", "Sessions"],
        values={"prenom": "Zélie", "specialite": "Vannerie", "exterieur": 1, "societe": "Les Écorces"}, row="Zélie {}, Vannerie, Externe"),
    "clients": dict(
        heading="Clients", search="Rechercher un client", new="Nouveau client", edit="Modifier le client", one="client",
        fields=["Raison sociale", "Nom du contact", *CONTACT, *ADDRESS, "SIRET", "Numéro de TVA"],
        links=["Appeler", "E-mail", "Nouvelle session", "Modifier"], ask=f"Supprimer ce client{THIN}?",
        regions=["Contact", "Adresse", "Sessions", "Informations fiscales", "Statistiques"], values={}, row="{}, Tours"),
    "ecoles": dict(
        heading="Écoles", search="Rechercher une école", new="Nouvelle école", edit="Modifier l’école", one="école",
        fields=["Nom", "Nom du contact", *CONTACT, *ADDRESS],
        links=["Appeler", "E-mail", "Nouvelle session", "Modifier"], ask=f"Supprimer cette école{THIN}?",
        regions=["Contact", "Adresse", "Sessions"], values={}, row="{}, Tours"),
}
NAMES = {"formateurs": "nom", "clients": "raison_sociale", "ecoles": "nom"}


class Names:
    """What is not found is gathered, so that one run says all that is missing."""

    def __init__(self):
        self.missing = []

    def check(self, words, locator):
        try:
            expect(locator.first).to_be_visible(timeout=3_000)
        except AssertionError:
            self.missing.append(words)

    def have(self, where, role, *names):
        for name in names:
            self.check(f"{role} {name}", where.get_by_role(role, name=name, exact=True))

    def labels(self, where, *names):
        for name in names:
            self.check(f"field {name}", where.get_by_label(name, exact=True))

    def radios(self, where, name, *choices):
        group = where.get_by_role("radiogroup", name=name, exact=True)
        for choice in choices:
            # The radio itself has no size where its label looks like a button.
            if group.get_by_role("radio", name=choice, exact=True).count() != 1:
                self.missing.append(f"radiogroup {name}: radio {choice}")

    def finish(self):
        assert not self.missing, "missing: " + "; ".join(self.missing)


def made(app, entity, **values):
    name = new_word().capitalize()
    given = {
        NAMES[entity]: name, "email": "zelie@exemple.fr", "telephone": "06 12 34 56 78", "rue": "3 rue des Osiers",
        "code_postal": "37000", "ville": "Tours", **DIRECTORIES[entity]["values"], **values}
    return app.rpc(f"{entity}.create", {"values": given, "select": "{ id version }"}), name


def title(app, heading):
    expect(app.page.get_by_role("heading", level=1)).to_have_text(heading)
    expect(app.page).to_have_title(f"{heading} · LearnTrack")


def main(app):
    return app.page.get_by_role("main")


@story("names", "directories, their records and forms have the names of the specification")
def directories(app):
    page, names = app.page, Names()
    for entity, given in DIRECTORIES.items():
        row, name = made(app, entity)
        app.move(f"/{entity}")
        title(app, given["heading"])
        names.have(main(app), "searchbox", given["search"])
        names.have(main(app), "list", given["heading"])
        names.have(main(app), "navigation", "Index alphabétique")
        names.have(main(app), "link", given["new"])
        names.have(main(app), "button", "Actualiser")
        if entity == "formateurs":
            names.radios(main(app), "Type", "Tous", "Internes", "Externes")
        results = page.get_by_role("status", name="Résultats", exact=True)
        expect(results).to_have_text(re.compile(rf"^\d+ {given['one']}s?$"))
        page.get_by_role("searchbox", name=given["search"]).fill(name.upper())
        expect(results).to_have_text(f"1 {given['one']}")
        page.get_by_role("list", name=given["heading"]).get_by_role("link", name=given["row"].format(name), exact=True).click()
        title(app, f"Zélie {name}" if entity == "formateurs" else name)
        names.have(main(app), "link", *given["links"])
        names.have(main(app), "region", *given["regions"])
        names.have(main(app), "button", "Supprimer")
        for path, heading in ((f"/{entity}/nouveau", given["new"]), (f"/{entity}/{row['id']}/modifier", given["edit"])):
            app.move(path)
            title(app, heading)
            expect(main(app).get_by_label("Ville", exact=True)).to_have_value("" if "nouveau" in path else "Tours")
            names.labels(main(app), *given["fields"])
            names.have(main(app), "button", "Enregistrer", "Annuler")
            if entity == "formateurs":
                names.radios(main(app), "Type", "Interne", "Externe")
                main(app).get_by_role("radio", name="Externe", exact=True).check()
                names.labels(main(app), "Société")
                main(app).get_by_role("radio", name="Interne" if "nouveau" in path else "Externe", exact=True).check()
    names.finish()


@story("names", "a record with sessions is not deleted, and the pickers of a session make a record", devices=("desktop",))
def pickers(app):
    page, fields = app.page, {"formateurs": ("Formateur", "Nom"), "clients": ("Client", "Raison sociale"), "ecoles": ("École", "Nom")}
    app.allow_console("409")
    for entity, (label, field) in fields.items():
        given = DIRECTORIES[entity]
        row, _ = made(app, entity)
        app.rpc("sessions.create", {"values": {
            "module": "Vannerie", "date": "2026-03-02", "debut": "09:00", "fin": "17:00", "modalite": "P",
            {"formateurs": "formateur_id", "clients": "client_id", "ecoles": "ecole_id"}[entity]: row["id"]}})
        app.move(f"/{entity}/{row['id']}")
        main(app).get_by_role("button", name="Supprimer", exact=True).click()
        dialog = page.get_by_role("alertdialog", name=given["ask"], exact=True)
        expect(dialog.get_by_role("button", name="Annuler", exact=True)).to_be_focused()
        dialog.get_by_role("button", name="Supprimer", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("1 session")
        expect(dialog.get_by_role("alert").get_by_role("link")).to_have_count(1)
        dialog.get_by_role("button", name="Annuler", exact=True).click()
        name = f"Zélie {new_word()}" if entity == "formateurs" else new_word().capitalize()
        app.move("/sessions/nouveau")
        page.get_by_role("combobox", name=label, exact=True).fill(name)
        page.get_by_role("option", name=f"Créer « {name} »", exact=True).click()
        dialog = page.get_by_role("dialog", name=given["new"], exact=True)
        expect(dialog.get_by_role("heading", name=given["new"], exact=True)).to_be_visible()
        expect(dialog.get_by_label(field, exact=True)).to_have_value(name.split()[-1])
        dialog.get_by_role("button", name="Enregistrer", exact=True).click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(name)
        main(app).get_by_role("button", name="Annuler", exact=True).click()
        page.get_by_role("alertdialog", name=f"Abandonner les modifications{THIN}?").get_by_role("button", name="Abandonner").click()


@story("names", "the calendar, the dashboard, the profile and the administration have the names of the specification")
def places(app):
    page, names = app.page, Names()
    app.move("/calendrier?jour=2026-11-24&affichage=semaine")
    title(app, "Calendrier")
    names.radios(main(app), "Affichage", "Mois", "Semaine")
    names.have(main(app), "button", "Précédent", "Aujourd’hui", "Suivant")
    names.have(main(app), "grid", "semaine du 23 novembre 2026")
    names.check("gridcell", main(app).get_by_role("gridcell", name=re.compile(r"^mardi 24 novembre 2026(, \d+ sessions?)?$")))
    app.move("/calendrier?mois=2026-11")
    names.have(main(app), "grid", "novembre 2026")
    names.check("gridcell 11", main(app).get_by_role("gridcell", name=re.compile(r"^mercredi 11 novembre 2026")).filter(has_text="Armistice"))
    app.move("/tableau-de-bord?mois=2026-10")
    title(app, "Tableau de bord")
    names.have(main(app), "group", "Mois", "Chiffre d’affaires", "Sessions", "Marge", "Taux de marge")
    expect(main(app).get_by_role("group", name="Mois", exact=True)).to_contain_text("octobre 2026")
    names.have(main(app), "figure", "Chiffre d’affaires et marge par mois")
    names.have(main(app), "table", "Chiffre d’affaires et marge par mois", "Meilleurs formateurs")
    app.move("/profil")
    title(app, "Profil")
    names.have(main(app), "region", "Compte")
    names.radios(main(app), "Thème", "Système", "Clair", "Sombre")
    names.radios(main(app), "Densité", "Confortable", "Compacte")
    names.have(main(app), "button", "Changer le mot de passe", "Ajouter une clé d’accès", "Se déconnecter")
    names.have(main(app), "switch", "Copie hors connexion", "Avertir des changements", "Raccourcis à une touche")
    names.have(main(app), "list", "Appareils connectés")
    names.have(main(app), "link", "Calendrier", "Tableau de bord", "Utilisateurs", "Journal")
    options = main(app).get_by_label("Déconnexion après inactivité", exact=True).get_by_role("option").all_text_contents()
    assert (options[0], options[-1]) == ("15 min", "30 jours"), options
    app.move("/utilisateurs")
    title(app, "Utilisateurs")
    names.have(main(app), "list", "Utilisateurs")
    main(app).get_by_role("link", name="Nouvel utilisateur", exact=True).click()
    title(app, "Nouvel utilisateur")
    names.labels(main(app), "Adresse e-mail", "Nom d’utilisateur")
    names.radios(main(app), "Rôle", "Utilisateur", "Administrateur")
    names.have(main(app), "checkbox", "Compte actif")
    names.have(main(app), "button", "Enregistrer", "Annuler")
    app.move("/journal")
    title(app, "Journal")
    app.move("/attente")
    title(app, "Modifications en attente")
    names.finish()


@story("names", "a passkey is added from the profile, and removed", devices=("desktop",), account=None)
def passkey(app):
    # A passkey belongs to a name, not to a number.
    app.url = app.url.replace("127.0.0.1", "localhost")
    app.sign_in()
    devtools = app.page.context.new_cdp_session(app.page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}})
    app.move("/profil")
    main(app).get_by_role("button", name="Ajouter une clé d’accès", exact=True).click()
    expect(app.page.get_by_role("status", name="Message", exact=True)).to_have_text("Clé d’accès ajoutée")
    keys = main(app).get_by_role("list", name="Clés d’accès", exact=True).get_by_role("listitem")
    expect(keys).to_have_count(1)
    keys.get_by_role("button", name=re.compile("^Supprimer")).click()
    app.page.get_by_role("alertdialog", name=f"Supprimer cette clé d’accès{THIN}?").get_by_role("button", name="Supprimer").click()
    expect(keys).to_have_count(0)


@story("names", "a page whose address has no passkeys names the address that has them", devices=("desktop",), account=None)
def passkey_elsewhere(app):
    words = f"Les clés d’accès de ce service ne marchent qu’à l’adresse localhost{THIN}: ouvrez-le à cette adresse."
    app.go("/connexion")
    app.page.get_by_role("button", name="Utiliser une clé d’accès", exact=True).click()
    expect(app.page.get_by_role("alert")).to_have_text(words)
    app.sign_in()
    app.move("/profil")
    main(app).get_by_role("button", name="Ajouter une clé d’accès", exact=True).click()
    expect(app.page.get_by_role("alert")).to_contain_text(words)


@story("names", "the status says what is being sent, and records changed elsewhere change here")
def live(app):
    page, sync = app.page, app.page.get_by_role("status", name="Synchronisation", exact=True)
    row, name = made(app, "ecoles")
    app.go(f"/ecoles/{row['id']}")
    title(app, name)
    expect(sync).to_have_text("À jour")
    page.wait_for_timeout(2_000)
    other = new_word().capitalize()
    app.rpc("ecoles.update", {"id": row["id"], "values": {"nom": other}})
    expect(page.get_by_role("heading", level=1)).to_have_text(other)
    app.rpc("ecoles.delete", {"id": row["id"]})
    expect(page.get_by_role("heading", level=1)).to_have_text("École introuvable")
    app.move("/ecoles")
    expect(page.get_by_role("list", name="Écoles").get_by_role("link", name=f"{other}, Tours")).to_have_count(0)
    made(app, "ecoles", nom=other)
    expect(page.get_by_role("list", name="Écoles").get_by_role("link", name=f"{other}, Tours")).to_have_count(1)
    app.allow_console("404")


@story("names", "without a network a record is changed, deleted and read after a reload; its row says that it waits")
def waiting(app):
    page, sync = app.page, app.page.get_by_role("status", name="Synchronisation", exact=True)
    (row, name), (gone, gone_name) = made(app, "clients"), made(app, "clients")
    app.go("/clients")
    expect(page.get_by_role("link", name=f"{name}, Tours")).to_have_count(1)
    app.wait_for_copy()
    app.allow_console("ERR_|Failed to load")
    app.offline()
    app.move(f"/clients/{row['id']}/modifier")
    page.get_by_label("Ville", exact=True).fill("Angers")
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(sync).to_have_text("Hors connexion · 1 modification en attente")
    title(app, name)
    app.move(f"/clients/{gone['id']}")
    title(app, gone_name)
    main(app).get_by_role("button", name="Supprimer", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Supprimer", exact=True).click()
    expect(sync).to_have_text("Hors connexion · 2 modifications en attente")
    # The record that is deleted is left, which would end the opening of another page.
    title(app, "Clients")
    app.go("/clients")
    page.get_by_role("searchbox", name="Rechercher un client").fill(name)
    waiting = page.get_by_role("list", name="Clients").get_by_role("listitem")
    expect(waiting).to_have_count(1)
    expect(waiting).to_contain_text("En attente d’envoi")
    expect(waiting.get_by_role("link")).to_have_accessible_name(re.compile(f"^{name}, Angers"))
    page.get_by_role("searchbox", name="Rechercher un client").fill(gone_name)
    expect(main(app).get_by_text(f"Aucun client ne correspond à « {gone_name} ».")).to_be_visible()
    expect(main(app).get_by_role("alert")).to_have_count(0)
    app.go("/attente")
    title(app, "Modifications en attente")
    expect(main(app).get_by_role("list", name="Modifications en attente").get_by_role("listitem")).to_have_count(2)
    expect(main(app).get_by_role("button", name="Réessayer", exact=True)).to_have_count(2)
    expect(main(app).get_by_role("button", name="Abandonner", exact=True)).to_have_count(2)
    app.axe()
    app.offline(False)
    expect(sync).to_have_text("À jour", timeout=30_000)
    assert app.rpc("clients.get", {"id": row["id"], "select": "{ ville }"}) == {"ville": "Angers"}
    assert app.rpc("clients.list", {"where": {"raison_sociale": gone_name}})["items"] == []


@story("names", "the status says that a change is being sent", devices=("desktop",))
def sending(app):
    page, sync = app.page, app.page.get_by_role("status", name="Synchronisation", exact=True)
    held = []

    def hold(route):
        if '"ecoles.create"' in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    app.go("/ecoles/nouveau")
    page.route("**/rpc", hold)
    page.get_by_label("Nom", exact=True).fill(new_word().capitalize())
    page.get_by_role("button", name="Enregistrer", exact=True).click()
    expect(sync).to_have_text("Envoi…")
    # The status changes before the request is there.
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(25)
    held[0].continue_()
    expect(sync).to_have_text("À jour")


@story("serving", "each path, its headers and its policy are those of the specification", devices=("desktop",), account=None)
def serving(app):
    def get(path, **headers):
        try:
            answer = urllib.request.urlopen(urllib.request.Request(app.url + path, headers=headers))
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, {key.lower(): value for key, value in answer.headers.items()}, answer.read()

    shell = get("/")
    parts = {part.split()[0]: part.split()[1:] for part in shell[1]["content-security-policy"].split(";") if part.strip()}
    for name in ("default-src", "base-uri", "form-action", "frame-ancestors"):
        assert parts.pop(name) == ["'none'"], name
    for name in ("script-src", "style-src", "connect-src", "manifest-src", "worker-src"):
        assert parts.pop(name) == ["'self'"], name
    assert sorted(parts.pop("img-src")) == ["'self'", "blob:", "data:"]
    assert parts.pop("require-trusted-types-for") == ["'script'"]
    assert not parts.keys() - {"trusted-types"}, parts
    assert shell[1]["x-content-type-options"] == "nosniff" and shell[1]["cross-origin-opener-policy"] == "same-origin", shell[1]
    assert get("/", **{"If-None-Match": shell[1]["etag"]})[0] == 304
    lists = ("sessions", "formateurs", "clients", "ecoles")
    forms = [f"/{one}{path}" for one in lists for path in ("", "/nouveau", "/12", "/12/modifier")]
    for path in [*forms, "/sessions/12/dupliquer", "/connexion", "/calendrier", "/tableau-de-bord", "/utilisateurs",
                 "/utilisateurs/nouveau", "/utilisateurs/1", "/journal", "/attente", "/profil"]:
        assert get(path)[2] == shell[2], path
    for path in ("/clients/12/dupliquer", "/sessions/douze", "/nulle-part", "/app/main.js", "/app/../index.html"):
        status, headers, body = get(path)
        assert status == 404 and body != shell[2] and "json" in headers["content-type"], (path, status, headers["content-type"])
    for path in ("/sw.js", "/manifest.webmanifest"):
        status, headers, _ = get(path)
        assert status == 200 and headers["cache-control"] == "no-cache" and headers["etag"], (path, headers)
    manifest = json.loads(get("/manifest.webmanifest")[2])
    assert (manifest["name"], manifest["lang"], manifest["display"]) == ("LearnTrack", "fr", "standalone"), manifest
    for path in re.findall(rb'/app/[^"]+', shell[2]):
        assert re.fullmatch(rb"/app/[\w-]+-[\w]+\.\w+", path), path
        cache = get(path.decode())[1]["cache-control"]
        assert "max-age=31536000" in cache and "immutable" in cache, (path, cache)


@story("serving", "the explorer has its page", devices=("phone", "desktop"), account=None)
def explorer(app):
    app.go("/explorer")
    expect(app.page.get_by_role("heading", level=1)).to_be_visible()
    app.settle()
    app.axe()
    app.assert_no_sideways_scrolling()
