"""Signing in, staying signed in, and the links that lead to a new password."""
import re

from harness import ACCOUNTS, PASSWORD, expect, story


def fill(page, email, password):
    page.get_by_role("textbox", name="Adresse e-mail").fill(email)
    page.get_by_role("textbox", name="Mot de passe").fill(password)


@story("US-01", "a user signs in with an address and a password", account=None)
def sign_in(app):
    page = app.page
    app.go("/")
    expect(page.get_by_role("heading", name="Connexion", level=1)).to_be_visible()
    expect(page).to_have_title("Connexion · LearnTrack")
    expect(page.get_by_role("checkbox", name="Rester connecté sur cet appareil")).to_be_checked()
    app.axe()
    app.assert_no_sideways_scrolling()
    page.get_by_role("button", name="Se connecter").click()
    expect(page.get_by_role("alert")).to_contain_text("2 champs à corriger")
    expect(page.get_by_role("textbox", name="Adresse e-mail")).to_be_focused()
    app.allow_console("401")
    fill(page, ACCOUNTS["user"], "pas le bon")
    page.get_by_role("button", name="Se connecter").click()
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).not_to_contain_text("champs à corriger")
    fill(page, ACCOUNTS["user"], PASSWORD)
    page.get_by_role("textbox", name="Mot de passe").press("Enter")
    expect(page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()


@story("US-01", "signing in leads to the page that was wanted", devices=["desktop"], account=None)
def wanted(app):
    app.go("/clients?q=a")
    fill(app.page, ACCOUNTS["admin"], PASSWORD)
    app.page.get_by_role("button", name="Se connecter").click()
    expect(app.page.get_by_role("heading", name="Clients", level=1)).to_be_visible()
    expect(app.page).to_have_url(re.compile(r"/clients\?q=a$"))


@story("US-02", "a user stays signed in after a reload and in a new tab")
def stays(app):
    app.page.reload()
    expect(app.page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    tab = app.new_page(app.page.context)
    app.go("/formateurs", tab)
    expect(tab.get_by_role("heading", name="Formateurs", level=1)).to_be_visible()


@story("AUTH-05", "a forgotten password: the answer does not tell whether the account exists", account=None)
def forgotten(app):
    page = app.page
    app.go("/connexion")
    page.get_by_role("button", name="Mot de passe oublié").click()
    dialog = page.get_by_role("dialog", name="Mot de passe oublié")
    dialog.get_by_role("textbox", name="Adresse e-mail").fill("personne@exemple.fr")
    dialog.get_by_role("button", name="Envoyer le lien").click()
    expect(dialog).to_contain_text("Si ce compte existe")
    app.axe()


@story("AUTH-05", "the link of a mail leads to a new password, and says when it is not valid", devices=["desktop"], account=None)
def reset(app):
    page = app.page
    app.allow_console("40[0-9]")
    app.go("/#reset=jeton-inconnu")
    expect(page.get_by_role("heading", name="Choisir un nouveau mot de passe")).to_be_visible()
    page.get_by_role("textbox", name="Nouveau mot de passe").fill("un mot de passe assez long")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("alert")).to_have_text("Ce lien a déjà servi, ou n’est plus valable.")
    expect(page.get_by_role("textbox")).to_have_count(0)
    app.axe()
    app.shot("used-link")
    page.get_by_role("button", name="Demander un nouveau lien").click()
    expect(page.get_by_role("dialog").get_by_role("textbox", name="Adresse e-mail")).to_be_focused()


@story("links", "an invitation that is not valid says so, and what else stands behind the address leaves it and the history", devices=["desktop"], account=None)
def invited(app):
    page = app.page
    app.go("/#invitation=jeton")
    expect(page.get_by_role("heading", name="Rejoindre une société", exact=True)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Cette invitation a déjà servi")
    expect(page.get_by_role("textbox")).to_have_count(0)
    app.go("/connexion#jeton=tres-secret")
    expect(page.get_by_role("heading", name="Connexion", level=1)).to_be_visible()
    expect(page).to_have_url(f"{app.url}/connexion")


@story("setup", "the link of the setup makes the first administrator", devices=["desktop"], account=None)
def setup(app):
    app.go("/#setup=jeton")
    expect(app.page.get_by_role("heading", name="Créer le premier administrateur")).to_be_visible()
    expect(app.page.get_by_role("textbox", name="Adresse e-mail")).to_be_visible()
    expect(app.page.get_by_role("textbox", name="Mot de passe")).to_be_visible()
    app.axe()


@story("links", "the secret of a link is neither in the address nor in the history, and a reload asks for the link", devices=["desktop"], account=None)
def secrets(app):
    page, sent = app.page, []
    app.allow_console("40[0-9]")
    page.on("request", lambda request: sent.append(request.post_data) if request.url.endswith("/rpc") else None)
    # Every address that the page has, from its first statement on.
    page.add_init_script("""(() => {
        const replace = history.replaceState;
        window.addresses = [];
        history.replaceState = function (...given) { replace.apply(history, given); window.addresses.push(location.href); };
    })()""")
    for purpose, heading in (
            ("reset", "Choisir un nouveau mot de passe"), ("invitation", "Rejoindre une société"), ("setup", "Créer le premier administrateur")):
        app.go("/connexion")
        app.go(f"/#{purpose}=jeton%2Dsecret")
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        expect(page).to_have_url(f"{app.url}/connexion#{purpose}")
        assert not any("secret" in address for address in page.evaluate("window.addresses")), page.evaluate("window.addresses")
        assert "secret" not in page.evaluate("JSON.stringify([history.state, { ...sessionStorage }, { ...localStorage }])")
        if purpose == "setup":
            page.get_by_role("textbox", name="Adresse e-mail").fill("premiere@exemple.fr")
        # Whom an invitation is for is asked at once.
        if purpose != "invitation":
            page.get_by_role("textbox", name=re.compile("ot de passe$")).fill("un mot de passe assez long")
            page.get_by_role("button", name="Enregistrer").click()
        expect(page.get_by_role("alert")).to_be_visible()
        assert any('"jeton-secret"' in text for text in sent), sent
        sent.clear()
        page.reload()
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text("Ouvrez-le à nouveau")
        expect(page.get_by_role("textbox")).to_have_count(0)
        app.axe()
        # The link again, in the same page.
        page.evaluate(f"location.hash = '{purpose}=jeton-secret'")
        expect(page.get_by_role("alert") if purpose == "invitation" else page.get_by_role("button", name="Enregistrer")).to_be_visible()
        expect(page).to_have_url(f"{app.url}/connexion#{purpose}")
    page.go_back()
    assert "secret" not in page.url


def sign_in_again(page, account):
    fill(page, ACCOUNTS[account], PASSWORD)
    page.get_by_role("button", name="Se connecter").click()


@story("US-02", "another person who signs in on the same page finds the service’s data, and nothing of the one before", devices=["desktop"])
def handed_over(app):
    page = app.page
    app.go("/clients?q=atelier")
    expect(page.get_by_role("list", name="Clients").get_by_role("listitem").first).to_be_visible()
    app.move("/formateurs")
    expect(page.get_by_role("list", name="Formateurs").get_by_role("listitem").first).to_be_visible()
    # The copy of the records is complete.
    page.wait_for_timeout(3_000)
    app.move("/profil")
    page.get_by_role("button", name="Se déconnecter").click()
    expect(page).to_have_url(re.compile("/connexion$"))
    calls = []
    page.on("request", lambda request: calls.append(request.post_data) if request.url.endswith(("/rpc", "/events")) else None)
    page.wait_for_timeout(4_000)
    assert calls == [], calls
    sign_in_again(page, "user")
    expect(page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    for path, name in (("/formateurs", "Formateurs"), ("/clients", "Clients")):
        app.move(path)
        expect(page.get_by_role("list", name=name).get_by_role("listitem").first).to_be_visible()
    page.get_by_role("listitem").first.get_by_role("link").click()
    expect(page.get_by_role("navigation", name="Navigation principale").get_by_role("link", name="Clients")).to_have_attribute("href", "/clients")
    kept = page.evaluate("sessionStorage.getItem('left')") or ""
    assert "atelier" not in kept, kept


@story("US-02", "signing in in one tab signs in the others", devices=["desktop"], account=None)
def together(app):
    app.go("/connexion")
    other = app.new_page(app.page.context)
    app.go("/clients", other)
    expect(other.get_by_role("heading", name="Connexion", level=1)).to_be_visible()
    sign_in_again(app.page, "user")
    expect(app.page.get_by_role("heading", name="Sessions", level=1)).to_be_visible()
    expect(other.get_by_role("heading", name="Clients", level=1)).to_be_visible()
