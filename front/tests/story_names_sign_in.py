"""The names of front.md, from outside: signing in."""
import re

from harness import expect, story
from names import THIN, Names


@story("names", "signing in: the page, its dialog, and the two links", account=None)
def connexion(app):
    page, names = app.page, Names(app)
    app.go("/connexion")
    names.heading("Connexion")
    names.there(page, "textbox", "Adresse e-mail", "Mot de passe")
    names.there(page, "checkbox", "Rester connecté sur cet appareil")
    names.check("on", expect(page.get_by_role("checkbox")).to_be_checked)
    names.there(page, "button", "Se connecter", "Utiliser une clé d’accès", f"Mot de passe oublié{THIN}?")
    page.get_by_role("button", name="Mot de passe oublié").click()
    dialog = page.get_by_role("dialog", name=f"Mot de passe oublié{THIN}?", exact=True)
    names.there(dialog, "textbox", "Adresse e-mail")
    names.there(dialog, "button", "Envoyer le lien")
    dialog.get_by_role("textbox", name="Adresse e-mail").fill("inconnue@exemple.fr")
    dialog.get_by_role("button", name="Envoyer le lien").click()
    names.check("the answer", expect(page.get_by_text(re.compile("^Si ce compte existe"))).to_be_visible)
    page.keyboard.press("Escape")
    names.check("closed", expect(dialog).to_have_count, 0)
    app.go("/#reset=jeton")
    names.heading("Choisir un nouveau mot de passe")
    names.there(page, "textbox", "Nouveau mot de passe")
    names.there(page, "button", "Enregistrer")
    app.go("/#setup=jeton")
    names.heading("Créer le premier administrateur")
    names.there(page, "textbox", "Adresse e-mail", "Mot de passe")
    names.there(page, "button", "Enregistrer")
    names.done()


@story("names", "after the links of mails and of the setup one signs in", devices=["phone"], account=None)
def links(app):
    page, names = app.page, Names(app)

    def accept(route):
        call = route.request.post_data_json
        if isinstance(call, dict) and call["method"] in ("auth.reset_password", "auth.create_first_admin"):
            return route.fulfill(json={"jsonrpc": "2.0", "id": call["id"], "result": {}})
        return route.continue_()

    page.route("**/rpc", accept)
    for fragment, password in (("reset", "Nouveau mot de passe"), ("setup", "Mot de passe")):
        app.go("/connexion")
        app.go(f"/#{fragment}=jeton")
        if fragment == "setup":
            page.get_by_role("textbox", name="Adresse e-mail").fill("premiere@exemple.fr")
        page.get_by_role("textbox", name=password, exact=True).fill("un mot de passe assez long")
        page.get_by_role("button", name="Enregistrer", exact=True).click()
        names.heading("Connexion")
        names.there(page, "button", "Se connecter")
    names.done()
