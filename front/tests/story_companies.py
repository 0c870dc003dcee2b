"""One person in several companies: which one a page shows, and where what is written goes."""
import json
import re

import companies
from companies import BASILE, PORT, rpc
from harness import ACCOUNTS, PASSWORD, expect, new_word, story
from story_offline import fill_session

FOREIGN = "Vous n’avez pas accès à cette société"


def switcher(page):
    return page.get_by_role("combobox", name="Société")


def heading(page, name):
    return page.get_by_role("heading", name=name, level=1)


def schools(page):
    return page.get_by_role("main").get_by_role("list", name="Écoles").get_by_role("listitem")


def wait_for_copy(app):
    """Waits until the service worker has the page, and the device what it keeps of the company. The demo company alone has rows of each
    kind."""
    page = app.page
    page.wait_for_function("() => navigator.serviceWorker.controller !== null", timeout=30_000)
    page.wait_for_timeout(1_500)
    app.settle(page)
    page.wait_for_timeout(500)


def own_address(app, company, path):
    return re.compile(re.escape(f"{app.url}/s/{company}{path}") + "$")


@story("companies", "who has several companies changes between them, and sees nothing of the other", account=None)
def switch(app):
    digue = companies.serve(app)
    page = app.sign_in()
    # The first by name.
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    expect(heading(page, "Sessions")).to_be_visible()
    expect(switcher(page).get_by_role("option", selected=True)).to_have_text("Digue · Utilisateur")
    assert switcher(page).get_by_role("option").all_text_contents() == ["Digue · Utilisateur", "Port · Administrateur"]
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("navigation", name="Navigation principale").get_by_role("link", name="Écoles").click()
    expect(schools(page)).to_have_count(1)
    expect(schools(page).first).to_contain_text("École de la Digue")
    expect(page).to_have_url(own_address(app, digue, "/ecoles"))
    # The addresses of links name the company, for another tab.
    assert schools(page).first.get_by_role("link").get_attribute("href").startswith(f"/s/{digue}/ecoles/")
    app.shot("companies-list")
    schools(page).first.get_by_role("link").click()
    expect(heading(page, "École de la Digue")).to_be_visible()
    page.go_back()
    expect(schools(page).first.get_by_role("link")).to_be_focused()

    switcher(page).select_option(label="Port · Administrateur")
    expect(page).to_have_url(own_address(app, PORT, "/sessions"))
    expect(page.get_by_role("main").get_by_role("listitem").first).to_be_visible()
    app.move("/ecoles", page)
    expect(page).to_have_url(own_address(app, PORT, "/ecoles"))
    expect(schools(page).first).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("École de la Digue")
    if not app.is_phone:
        expect(page.get_by_role("link", name="Utilisateurs")).to_be_visible()
    app.shot("companies-port")
    page.reload()
    expect(page).to_have_url(own_address(app, PORT, "/ecoles"))
    expect(switcher(page).get_by_role("option", selected=True)).to_have_text("Port · Administrateur")
    # An address without a company is in the one that was shown last.
    app.go("/clients")
    expect(page).to_have_url(own_address(app, PORT, "/clients"))
    # Back leads to the other company again.
    switcher(page).select_option(label="Digue · Utilisateur")
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    page.go_back()
    expect(page).to_have_url(own_address(app, PORT, "/clients"))
    expect(page.get_by_role("main").get_by_role("list", name="Clients").get_by_role("listitem").first).to_be_visible()


@story("companies", "two tabs show two companies at once", account=None)
def two_tabs(app):
    digue = companies.serve(app)
    one = app.sign_in(path=f"/s/{digue}/ecoles")
    other = app.new_page(one.context)
    app.go(f"/s/{PORT}/ecoles", other)
    expect(schools(other).first).to_be_visible()
    for _ in range(3):
        for page in (one, other):
            page.reload()
        expect(schools(one)).to_have_count(1)
        expect(schools(other).first).to_be_visible()
        expect(other.get_by_role("main")).not_to_contain_text("École de la Digue")
    # What others change comes to the tab of its company.
    name = f"École {new_word()}"
    made = rpc(app, digue, "ecoles.create", {"values": {"nom": name}}, BASILE)
    expect(one.get_by_role("main")).to_contain_text(name)
    expect(other.get_by_role("main")).not_to_contain_text(name)
    app.settle(one)
    own = f"École {new_word()}"
    app.move("/ecoles/nouveau", other)
    other.get_by_role("textbox", name="Nom", exact=True).fill(own)
    other.get_by_role("button", name="Enregistrer").click()
    expect(heading(other, own)).to_be_visible()
    where = {"where": {"nom": own}, "select": "{ id }"}
    found, = rpc(app, PORT, "ecoles.list", where)["items"]
    assert rpc(app, digue, "ecoles.list", where)["items"] == []
    rpc(app, PORT, "ecoles.delete", {"id": found["id"]})
    rpc(app, digue, "ecoles.delete", {"id": made["id"]}, BASILE)
    expect(schools(one)).to_have_count(1)
    # Signing out ends both.
    app.allow_console("401")
    app.move("/profil", one)
    one.get_by_role("button", name="Se déconnecter").click()
    for page in (one, other):
        expect(heading(page, "Connexion")).to_be_visible()
    kept = one.evaluate("async () => (await indexedDB.databases()).map(({ name }) => name)")
    assert kept == [], kept
    assert "Digue" not in one.evaluate("JSON.stringify(localStorage)")


@story("companies", "a company of others says that one has no access, with the way to one's own", account=None)
def foreign(app):
    digue = companies.serve(app)
    page = app.sign_in()
    expect(heading(page, "Sessions")).to_be_visible()
    app.allow_console("40[0-9]")
    app.go("/s/999/clients/5")
    expect(heading(page, FOREIGN)).to_be_visible()
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("companies-foreign")
    switcher(page).select_option(label="Digue · Utilisateur")
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    expect(heading(page, "Sessions")).to_be_visible()

    # With one company, its address works as those without one.
    member = app.new_page()
    app.sign_in(BASILE, member)
    expect(member).to_have_url(app.url + "/sessions")
    expect(switcher(member)).to_have_count(0)
    app.go(f"/s/{digue}/ecoles", member)
    expect(schools(member).first).to_contain_text("École de la Digue")
    expect(member).to_have_url(app.url + "/ecoles")
    app.go(f"/s/{PORT}/ecoles", member)
    expect(heading(member, FOREIGN)).to_be_visible()
    expect(member.get_by_role("main")).not_to_contain_text("Port")
    member.get_by_role("link", name="Ouvrir Digue").click()
    expect(heading(member, "Sessions")).to_be_visible()


@story("companies", "who signs in at the address of a company comes there", account=None)
def wanted(app):
    companies.serve(app)
    page = app.page
    app.allow_console("401")
    app.go(f"/s/{PORT}/clients?q=a")
    expect(heading(page, "Connexion")).to_be_visible()
    page.get_by_role("textbox", name="Adresse e-mail").fill(ACCOUNTS["admin"])
    page.get_by_role("textbox", name="Mot de passe").fill(PASSWORD)
    page.get_by_role("button", name="Se connecter").click()
    expect(heading(page, "Clients")).to_be_visible()
    expect(page).to_have_url(own_address(app, PORT, "/clients?q=a"))


@story("companies", "without a network, one changes between companies of which the device has a copy", account=None)
def offline(app):
    digue = companies.serve(app)
    page = app.sign_in(path=f"/s/{digue}/ecoles")
    expect(schools(page).first).to_contain_text("École de la Digue")
    wait_for_copy(app)
    app.offline()
    # Nothing of it was shown here yet.
    switcher(page).select_option(label="Port · Administrateur")
    expect(heading(page, "Société indisponible hors connexion")).to_be_visible()
    app.axe()
    app.shot("companies-unreached")
    app.offline(False)
    expect(heading(page, "Sessions")).to_be_visible(timeout=20_000)
    expect(page.get_by_role("main").get_by_role("listitem").first).to_be_visible()
    app.move("/ecoles", page)
    expect(schools(page).first).to_be_visible()
    wait_for_copy(app)
    app.offline()
    page.reload()
    expect(schools(page).first).to_be_visible()
    switcher(page).select_option(label="Digue · Utilisateur")
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    app.move("/ecoles", page)
    expect(schools(page)).to_have_count(1)
    expect(schools(page).first).to_contain_text("École de la Digue")
    switcher(page).select_option(label="Port · Administrateur")
    expect(page).to_have_url(own_address(app, PORT, "/sessions"))
    app.move("/ecoles", page)
    expect(schools(page).first).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("École de la Digue")
    app.offline(False)


@story("companies", "what was written without a network goes where it was made, also while another company is shown", account=None)
def queued(app):
    digue = companies.serve(app)
    page = app.sign_in(path=f"/s/{digue}/ecoles")
    expect(schools(page).first).to_be_visible()
    wait_for_copy(app)
    app.go(f"/s/{PORT}/ecoles/nouveau")
    expect(heading(page, "Nouvelle école")).to_be_visible()
    wait_for_copy(app)
    app.offline()
    name = f"École {new_word()}"
    page.get_by_role("textbox", name="Nom", exact=True).fill(name)
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("1 modification en attente")
    switcher(page).select_option(label="Digue · Utilisateur")
    expect(heading(page, "Sessions")).to_be_visible()
    # It is not this company's.
    expect(page.get_by_role("status", name="Synchronisation")).not_to_contain_text("en attente")
    # Signing out would lose it.
    app.move("/profil", page)
    page.get_by_role("button", name="Se déconnecter").click()
    expect(page.get_by_role("alertdialog")).to_contain_text("n’est pas encore envoyée")
    page.get_by_role("alertdialog").get_by_role("button", name="Annuler").click()
    app.offline(False)
    where = {"where": {"nom": name}, "select": "{ id }"}
    for _ in range(200):
        found = rpc(app, PORT, "ecoles.list", where)["items"]
        if found:
            break
        page.wait_for_timeout(200)
    assert len(found) == 1, found
    expect(page).to_have_url(own_address(app, digue, "/profil"))
    assert rpc(app, digue, "ecoles.list", where)["items"] == []
    switcher(page).select_option(label="Port · Administrateur")
    expect(heading(page, "Sessions")).to_be_visible()
    expect(page.get_by_role("status", name="Synchronisation")).not_to_contain_text("en attente")
    app.move("/ecoles", page)
    expect(page.get_by_role("main")).to_contain_text(name)
    rpc(app, PORT, "ecoles.delete", {"id": found[0]["id"]})


@story("companies", "a phone that had one company keeps its copy, its writes and its drafts", account=None)
def earlier(app):
    companies.serve(app)
    page = app.sign_in("user")
    expect(page).to_have_url(app.url + "/sessions")
    app.wait_for_copy()
    app.settle()
    app.offline()
    name = f"Module {new_word()}"
    app.move("/sessions/nouveau", page)
    fill_session(page, name)
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("1 modification en attente")
    names = page.evaluate("async () => (await indexedDB.databases()).map(({ name }) => name)")
    member = re.fullmatch(r"learntrack-(\d+)", names[0])[1]
    # The device as an earlier version has left it.
    page.evaluate("member => localStorage.setItem('learntrack.compte', member)", member)
    page.reload()
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("1 modification en attente")
    app.move("/sessions", page)
    expect(page.get_by_role("main")).to_contain_text(name)
    app.offline(False)
    expect(page.get_by_role("status", name="Synchronisation")).to_have_text("À jour")
    row, = rpc(app, PORT, "sessions.list", {"where": {"module": name}, "select": "{ id }"})["items"]
    rpc(app, PORT, "sessions.delete", {"id": row["id"]})


def invite(app, company, email, before=None):
    """Invites an address, and returns the secret of the mail, which is not the one of `before`."""
    rpc(app, company, "users.create", {"values": {"email": email, "username": "Invitée", "role": "user"}}, BASILE)
    return companies.mails().token_for(email, before)


@story("companies", "a person without an account joins by the link of a mail", account=None)
def join_new(app):
    digue = companies.serve(app)
    email = f"{new_word()}@exemple.fr"
    token = invite(app, digue, email)
    page = app.page
    app.allow_console("40[0-9]")
    app.go(f"/#invitation={token}")
    expect(heading(page, "Rejoindre une société")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(f"L’adresse {email} est invitée à rejoindre Digue")
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("companies-invitation")
    page.get_by_role("textbox", name="Choisissez un mot de passe").fill("un mot de passe assez long")
    page.get_by_role("button", name="Rejoindre").click()
    expect(heading(page, "Sessions")).to_be_visible()
    app.go("/ecoles")
    expect(schools(page).first).to_contain_text("École de la Digue")
    other = app.new_page()
    app.go(f"/#invitation={token}", other)
    expect(other.get_by_role("alert")).to_contain_text("Cette invitation a déjà servi")


@story("companies", "who has an account joins with its password, or without where they are signed in", account=None)
def join_known(app):
    digue = companies.serve(app)
    app.allow_console("40[0-9]")
    page = app.sign_in("user")
    expect(switcher(page)).to_have_count(0)
    token = invite(app, digue, ACCOUNTS["user"])
    app.go(f"/#invitation={token}")
    expect(page.get_by_role("main")).to_contain_text("est invitée à rejoindre Digue")
    expect(page.get_by_role("textbox")).to_have_count(0)
    page.get_by_role("button", name="Rejoindre").click()
    expect(page.get_by_role("main")).to_contain_text("Vous avez rejoint Digue.")
    app.axe()
    app.shot("companies-joined")
    page.get_by_role("link", name="Ouvrir Digue").click()
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    expect(switcher(page).get_by_role("option", selected=True)).to_have_text("Digue · Utilisateur")
    # Out again, for the next one.
    gone, = rpc(app, digue, "users.list", {"where": {"email": ACCOUNTS["user"]}, "select": "{ id }"}, BASILE)["items"]
    companies.psql(app.server, f"DELETE FROM users WHERE company_id = {digue} AND id = {gone['id']}")
    token = invite(app, digue, ACCOUNTS["user"], token)
    other = app.new_page()
    app.go(f"/#invitation={token}", other)
    field = other.get_by_role("textbox", name="Mot de passe")
    field.fill("pas le bon mot de passe")
    other.get_by_role("button", name="Rejoindre").click()
    expect(other.get_by_role("alert")).to_be_visible()
    field.fill(PASSWORD)
    other.get_by_role("button", name="Rejoindre").click()
    expect(other).to_have_url(own_address(app, digue, "/sessions"))
    expect(heading(other, "Sessions")).to_be_visible()
    gone, = rpc(app, digue, "users.list", {"where": {"email": ACCOUNTS["user"]}, "select": "{ id }"}, BASILE)["items"]
    companies.psql(app.server, f"DELETE FROM users WHERE company_id = {digue} AND id = {gone['id']}")


@story("companies", "an administrator invites to the company, and sees who has not joined yet", account=None)
def inviting(app):
    companies.serve(app)
    page = app.sign_in(path=f"/s/{PORT}/utilisateurs")
    expect(heading(page, "Utilisateurs")).to_be_visible()
    page.get_by_role("button", name="Inviter", exact=True).click()
    dialog = page.get_by_role("dialog", name="Inviter")
    app.axe()
    app.shot("companies-invite")
    email = f"{new_word()}@exemple.fr"
    dialog.get_by_role("textbox", name="Adresse e-mail").fill(email)
    dialog.get_by_role("textbox", name="Nom d’utilisateur").fill("Nora")
    dialog.get_by_role("button", name="Inviter", exact=True).click()
    expect(page.get_by_role("status", name="Message")).to_contain_text("Invitation enregistrée")
    row = page.get_by_role("main").get_by_role("listitem").filter(has_text=email)
    expect(row).to_contain_text("Invité")
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("companies-users")
    first = companies.mails().token_for(email)
    row.get_by_role("link").click()
    page.get_by_role("button", name="Renvoyer l’invitation").click()
    expect(page.get_by_role("main")).to_contain_text("Un nouveau lien pour la rejoindre lui est envoyé.")
    assert companies.mails().token_for(email, first)
    app.shot("companies-invited")


@story("companies", "a suspended company says so, and the others are there", account=None)
def suspended(app):
    digue = companies.serve(app)
    page = app.sign_in(path=f"/s/{PORT}/ecoles")
    expect(schools(page).first).to_be_visible()
    app.settle(page)
    error = {"code": 403, "message": "Cette société est suspendue.", "data": {"code": "forbidden", "reason": "suspended", "request_id": "x"}}

    def refuse(route):
        call = json.loads(route.request.post_data)
        if call["method"].startswith("auth."):
            return route.continue_()
        route.fulfill(status=200, content_type="application/json", body=json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}))

    page.route("**/rpc", refuse)
    app.move("/clients?q=a", page)
    expect(heading(page, "Cette société est suspendue")).to_be_visible()
    expect(page.get_by_role("list", name="Écoles")).to_have_count(0)
    app.axe()
    app.shot("companies-suspended")
    page.unroute("**/rpc")
    switcher(page).select_option(label="Digue · Utilisateur")
    expect(page).to_have_url(own_address(app, digue, "/sessions"))
    switcher(page).select_option(label="Port · Administrateur")
    expect(heading(page, "Sessions")).to_be_visible()


@story("companies", "a company that has moved shows its new address", account=None)
def moved(app):
    companies.serve(app)
    page = app.sign_in(path=f"/s/{PORT}/ecoles")
    expect(schools(page).first).to_be_visible()
    app.settle(page)
    data = {"code": "forbidden", "reason": "moved", "moved_to": "https://port.exemple.fr", "request_id": "x"}
    error = {"code": 403, "message": "Cette société a déménagé.", "data": data}

    def refuse(route):
        call = json.loads(route.request.post_data)
        if call["method"].startswith("auth."):
            return route.continue_()
        body = json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}, separators=(",", ":"))
        route.fulfill(status=200, content_type="application/json", body=body)

    page.route("**/rpc", refuse)
    app.move("/clients?q=a", page)
    expect(heading(page, "Votre société a déménagé")).to_be_visible()
    expect(page.get_by_role("link", name="https://port.exemple.fr")).to_have_attribute("href", "https://port.exemple.fr")
    expect(page.get_by_role("list", name="Écoles")).to_have_count(0)
    app.axe()
    app.shot("companies-moved")
    page.unroute("**/rpc")


@story("companies", "an administrator removes a member and withdraws an invitation", account=None)
def removing(app):
    companies.serve(app)
    page = app.sign_in(path=f"/s/{PORT}/utilisateurs")
    email = f"{new_word()}@exemple.fr"
    rpc(app, PORT, "users.create", {"values": {"email": email, "username": "Nora", "role": "user"}})
    page.get_by_role("main").get_by_role("listitem").filter(has_text=email).get_by_role("link").click()
    page.get_by_role("button", name="Retirer", exact=True).click()
    dialog = page.get_by_role("alertdialog", name="Retirer cet utilisateur")
    expect(dialog).to_contain_text("ne sera plus valable")
    dialog.get_by_role("button", name="Retirer").click()
    expect(page.get_by_role("status", name="Message")).to_contain_text("Utilisateur retiré")
    expect(heading(page, "Utilisateurs")).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text(email)


@story("companies", "an operator sees the companies and what they use, and makes, suspends and resumes them", account=None)
def operating(app):
    digue = companies.serve(app)
    companies.learntrack(app.server, "user", "operator", ACCOUNTS["admin"])
    page = app.sign_in(path=f"/s/{PORT}/profil")
    page.get_by_role("link", name="Sociétés").click()
    expect(heading(page, "Sociétés")).to_be_visible()
    main = page.get_by_role("main")
    row = main.get_by_role("listitem").filter(has_text="Digue")
    expect(row).to_contain_text("fiche")
    page.get_by_role("button", name="Mois précédent").click()
    row.get_by_role("button", name="Suspendre").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Suspendre").click()
    expect(row).to_contain_text("Suspendue")
    app.axe()
    app.assert_no_sideways_scrolling()
    app.shot("companies-operator")
    app.allow_console("403")
    other = app.new_page(page.context)
    app.go(f"/s/{digue}/ecoles", other)
    expect(heading(other, "Cette société est suspendue")).to_be_visible()
    row.get_by_role("button", name="Rétablir").click()
    expect(row).not_to_contain_text("Suspendue")
    other.get_by_role("button", name="Réessayer").click()
    expect(schools(other).first).to_contain_text("École de la Digue")
    name = new_word().capitalize()
    page.get_by_role("button", name="Nouvelle société").click()
    dialog = page.get_by_role("dialog", name="Nouvelle société")
    dialog.get_by_role("textbox", name="Nom", exact=True).fill(name)
    dialog.get_by_role("textbox", name="Adresse e-mail de l’administrateur").fill(f"{name.lower()}@exemple.fr")
    dialog.get_by_role("button", name="Créer").click()
    expect(main).to_contain_text(name)
    assert companies.mails().token_for(f"{name.lower()}@exemple.fr")
    companies.learntrack(app.server, "user", "operator", ACCOUNTS["admin"], "--remove")
