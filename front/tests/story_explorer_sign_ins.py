"""The explorer: signing in and out, tokens that the service no longer accepts, links to a password, and the feed of changes."""
import json
import re
import time
import uuid

from explorer_page import is_equal, opened, records, run, script
from harness import ACCOUNTS, PASSWORD, expect, story

NEW_PASSWORD = "un tout nouveau mot de passe"


def sign_in(page, email, password=PASSWORD):
    """Fills in the dialog that is open."""
    page.locator("#email").fill(email)
    page.locator("#password").fill(password)
    page.locator("#password").press("Enter")


@story("explorer", "a user signs in, picks fields, runs a call and finds it in the history, and no secret is stored", devices=["desktop"], account=None)
def use(app):
    with records(app) as own:
        trainer = own.trainer()
        for tariff in (1200.5, 80):
            own.session(formateur_id=trainer, tarif_client=tariff)
        page = opened(app, "sessions.list", account=None)
        expect(page.locator("#methods button")).to_have_count(len(app.rpc("rpc.discover", account=None)["methods"]))
        is_equal(page.evaluate("document.documentElement.lang"), "fr")

        # The message about a wrong password is beside its input.
        page.locator("#sign-in").click()
        sign_in(page, "personne@test.example", "pas le bon")
        expect(page.locator("#login-error")).not_to_be_empty()
        page.keyboard.press("Escape")
        expect(page.locator("#login")).to_be_hidden()
        expect(page.locator("#password")).to_have_value("")
        page.locator("#sign-in").click()
        sign_in(page, ACCOUNTS["admin"])
        expect(page.locator("#who")).to_have_text(f"{ACCOUNTS['admin']} (admin)")

        for name in ("module", "tarif_client", "formateur"):
            page.locator(f"[data-field='{name}']").first.click()
        page.locator("li.relation li [data-field='nom']").first.click()
        expect(page.locator("[data-path='/select']")).to_have_value("{ module tarif_client formateur { id nom } }")
        page.locator("[data-path='/order_by']").fill("-tarif_client, id")
        page.locator("[data-path='/search']").fill(own.mark)
        run(page)
        expect(page.locator("#outcome")).to_have_text(re.compile("^Réussi · "))
        is_equal(page.locator("#table tr").all_inner_texts(), [
            "module\ttarif_client\tformateur.id\tformateur.nom",
            f"Module {own.mark}\t1200.50\t{trainer}\tDupré {own.mark}",
            f"Module {own.mark}\t80.00\t{trainer}\tDupré {own.mark}"])
        page.locator("#views label:last-child").click()
        expect(page.locator("#answer")).to_contain_text('"tarif_client": 1200.50')

        # Calls are in the history after a reload, without secrets, and can be sent again.
        kept = page.evaluate("JSON.stringify(localStorage)")
        assert own.mark in kept
        for secret in (PASSWORD, "access_token", "refresh_token", "eyJ"):
            assert secret not in kept, secret
        page.reload()
        expect(page.locator("#name")).to_have_text("sessions.list")
        page.locator("#tab-history").click()
        page.locator("#history button").first.click()
        expect(page.locator("[data-path='/search']")).to_have_value(own.mark)
        page.locator("#tab-history").click()
        page.locator("#forget").click()
        expect(page.locator("#history button")).to_have_count(0)
        page.locator("#sign-out").click()
        expect(page.locator("#sign-in")).to_be_visible()
        is_equal(page.evaluate("sessionStorage.getItem('explorer.tokens')"), None)


@story("explorer", "an expired token is renewed silently, and only a refused renewal signs out", devices=["desktop"], account=None)
def renewal(app):
    page = opened(app, "auth.me")
    refreshes = "sent.filter(body => body.includes('auth.refresh')).length"
    renewed = script(page, f"""
        tokens.access_token = 'aucun.jeton.valable';
        await execute();
        return [by('outcome').className, {refreshes}, tokens.access_token.length > 40];""")
    is_equal(renewed, ["good", 1, True])
    # Any other error of the renewal is shown, and the user stays signed in.
    told = script(page, """
        const told = [];
        const answers = [
          () => { throw new TypeError('Failed to fetch'); }, () => new Response('<html>', { status: 502 }),
          ...[503, 429].map(code => () => new Response(JSON.stringify({
            jsonrpc: '2.0', id: 1, error: { code, message: `Cause ${code}.`, data: {} } }))),
        ];
        for (const answer of answers) {
          window.answering = body => body.includes('auth.refresh') ? answer() : undefined;
          tokens.access_token = 'aucun.jeton.valable';
          await execute();
          told.push([by('outcome').textContent, by('sign-out').hidden, by('login').open]);
        }
        window.answering = undefined;
        return told;""")
    is_equal(told, [[f"La connexion n’a pas pu être renouvelée. {cause}", False, False] for cause in (
        "Le serveur n’a pas répondu\u202f: il est arrêté, ou la connexion est coupée.", "La réponse ne se lit pas (HTTP 502).",
        "Cause 503.", "Cause 429.")])
    # A token refused by a method that is open to everyone was among the params.
    own = script(page, f"""
        const before = {refreshes};
        await open('auth.refresh');
        set('/refresh_token', 'autre');
        await execute();
        return [{refreshes} - before, by('sign-out').hidden];""")
    is_equal(own, [1, False])

    # The sign-in is ended from another client.
    refresh = script(page, "await open('auth.me'); await execute(); return tokens.refresh_token;")
    app.rpc("auth.logout", {"refresh_token": refresh}, None)
    ended = script(page, """
        await execute();
        await until('the login', () => by('login').open);
        return [by('who').textContent, by('login-note').textContent, by('email').value, tokens];""")
    is_equal(ended, ["Non connecté", "Votre connexion a pris fin\u202f: reconnectez-vous.", ACCOUNTS["admin"], None])
    page.locator("#password").fill(PASSWORD)
    page.locator("#password").press("Enter")
    expect(page.locator("#sign-out")).to_be_visible()


def mailed_token(app, email):
    """The token of the link to a new password, from the mail that the server writes to its log."""
    app.rpc("auth.request_password_reset", {"email": email}, None)
    end = time.monotonic() + 20
    while True:
        tokens = re.findall(r"#reset=([\w-]+)", app.server.log())
        if tokens:
            return tokens[-1]
        assert time.monotonic() < end, "no mail was written to the log"
        time.sleep(0.1)


@story("explorer", "a mailed link opens a form for a new password once and leaves its token nowhere", devices=["desktop"], account=None)
def mailed_link(app):
    email = f"{uuid.uuid4().hex[:10]}@test.example"
    app.rpc("users.create", {"values": {"email": email}})
    link = f"{app.url}/explorer#reset={mailed_token(app, email)}"
    page = opened(app, "sessions.list", account=None)
    length = page.evaluate("history.length")
    choose, error = page.locator("#choose-password"), page.locator("#choose-error")
    # In a page that is open, as when the link is pasted into the address bar.
    page.evaluate("link => location.replace(link)", link)
    expect(page.locator("#choose")).to_be_visible()
    is_equal(page.evaluate("[location.href, history.length]"), [f"{app.url}/explorer", length])
    expect(page.locator("#choose-email-field")).to_be_hidden()
    choose.fill("court")
    choose.press("Enter")
    expect(error).to_contain_text("10")
    choose.fill(NEW_PASSWORD)
    choose.press("Enter")
    expect(page.locator("#login")).to_be_visible()
    expect(page.locator("#login-note")).to_contain_text("connectez-vous")
    sign_in(page, email, NEW_PASSWORD)
    expect(page.locator("#sign-out")).to_be_visible()
    assert NEW_PASSWORD not in page.evaluate("JSON.stringify([localStorage, history.state])")
    # The link from the mail opens the page, and has been used already.
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#choose")).to_be_visible()
    choose.fill(NEW_PASSWORD)
    choose.press("Enter")
    expect(error).to_contain_text("nouveau lien")
    page.keyboard.press("Escape")
    expect(choose).to_have_value("")


@story("setup", "the link printed at the start leads to a form that creates an administrator; the service has no demo accounts",
       devices=["desktop"], account=None)
def first_administrator(app):
    app.serve(demo=False, front="none")
    page = app.page
    printed = re.search(r"No administrator yet.* (\S+#setup=\S+)", app.server.printed())
    page.goto(printed[1])
    expect(page.locator("#choose")).to_be_visible()
    assert "setup" not in page.url, page.url
    expect(page.locator("#choose-title")).to_have_text("Créer le premier administrateur")
    page.locator("#choose-email").fill("anne@test.example")
    page.locator("#choose-password").fill(NEW_PASSWORD)
    page.locator("#choose-password").press("Enter")
    expect(page.locator("#login")).to_be_visible()
    expect(page.locator("#email")).to_have_value("anne@test.example")
    page.locator("#password").fill(NEW_PASSWORD)
    page.locator("#password").press("Enter")
    expect(page.locator("#who")).to_have_text("anne@test.example (admin)")
    page.locator("#sign-out").click()

    # A refused call offers to sign in, and is sent again then. The accounts of the demo data are not those of this server.
    opened(app, "auth.me", account=None)
    run(page)
    expect(page.locator("#refused")).to_have_text("Se connecter")
    is_equal(page.evaluate("document.getElementById('demo').textContent"), "")
    expect(page.locator("#demo-accounts")).to_be_hidden()
    page.locator("#refused button").click()
    expect(page.locator("#demo-accounts")).to_be_hidden()
    sign_in(page, "anne@test.example", NEW_PASSWORD)
    expect(page.locator("#outcome")).to_have_class("good")
    expect(page.locator("#refused")).to_be_hidden()


# The cells of each row but the time, joined by spaces. The records of other stories may still change.
ROWS = """() => [...document.querySelectorAll('#events-rows tr')]
    .map(row => [...row.cells].slice(1).map(cell => cell.textContent).join(' ')).filter(text => /^(ecoles|prêt|t) ?/.test(text))"""


@story("explorer", "a change made in another call appears among the events, and following continues where it was stopped",
       devices=["desktop"], account=None)
def events(app):
    page = opened(app, "ecoles.list", account=None)
    state = page.locator("#events-state")
    # A token that is refused is logged by the browser.
    app.allow_console("401")

    def received(*rows):
        page.wait_for_function(f"rows => JSON.stringify(({ROWS})()) === rows", arg=json.dumps(rows, ensure_ascii=False, separators=(",", ":")))

    with records(app) as own:
        page.locator("#tab-events").click()
        expect(page.locator("#events-path")).to_have_text("GET /events")
        page.locator("#follow").click()
        expect(page.locator("#login")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#login")).to_be_hidden()
        page.locator("#sign-in").click()
        sign_in(page, ACCOUNTS["admin"])
        expect(page.locator("#sign-out")).to_be_visible()

        page.locator("#follow").click()
        expect(state).to_have_text("Connecté.")
        received("prêt")
        first = app.rpc("ecoles.create", {"values": {"nom": own.mark}})["id"]
        received(f"ecoles {first} création 1", "prêt")
        app.rpc("ecoles.delete", {"id": first})
        received(f"ecoles {first} suppression 1", f"ecoles {first} création 1", "prêt")
        expect(page.locator("#events-last")).to_have_text(re.compile(r"^\d+\.\d+\.\d+$"))

        page.locator("#stop").click()
        expect(state).to_have_text("Arrêté.")
        expect(page.locator("#follow")).to_be_focused()
        page.locator("#forget-events").click()
        second = own.create("ecoles", {"nom": own.mark})
        # The token is renewed as that of a call is.
        page.evaluate("() => { tokens.access_token = 'aucun.jeton.valable'; }")
        page.locator("#follow").click()
        received(f"ecoles {second} création 1", "prêt")

        page.evaluate("""() => {
            const event = { name: 'change', id: '1.2.3', data: '{"table":"t","id":1,"op":"update","version":null}' };
            showReceived(Array(450).fill(event));
        }""")
        expect(page.locator("#events-rows tr")).to_have_count(200)
        expect(page.locator("#events-count")).to_have_text("· 452 reçus, les 200 derniers sont affichés")

        page.set_viewport_size({"width": 360, "height": 740})
        app.assert_no_sideways_scrolling()
        seen = page.evaluate("""() => ['tab-events', 'stop', 'events-table'].map(id =>
            document.getElementById(id).getBoundingClientRect()).map(box => box.width > 0 && box.right <= innerWidth)""")
        is_equal(seen, [True, True, True])

        # What one account has received is not for the next.
        page.locator("#sign-out").click()
        received()
        expect(page.locator("#events-rows tr")).to_have_count(0)
        expect(state).to_have_text("Arrêté\u202f: vous êtes déconnecté.")
        expect(page.locator("#events-last")).to_have_text("–")
