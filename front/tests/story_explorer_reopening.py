"""The explorer: params are passed between form, JSON, next page and history unchanged, and mistakes in them are told."""
import pathlib
import subprocess
import tempfile

from explorer_page import is_equal, last_sent, opened, records, script
from harness import expect, present_day, story

# The params sent, whether the form can hold them, and how they are sent again if that differs.
CALLS = [
    ('{"id": 999999999, "values": {"module": "ligne 1\\nligne 2", "lieu": null}}', True, None),
    ('{"values": {"tarif_client": 12.50}, "id": 9007199254740993}', True, '{"id": 9007199254740993, "values": {"tarif_client": 12.50}}'),
    ('{"id": 999999999, "values": {}}', True, None),
    ('{"id": 999999999, "select": null}', True, None),
    ('{"id": 999999999, "variables": {"n": 9007199254740993, "n2": 1.0}}', True, None),
    ('{"id": 999999999, "inconnu": 12.50}', False, None),
    ('{"id": 999999999, "values": {"inconnu": null}}', False, None),
    ('{"id": 999999999, "values": {"module": ""}}', False, None),
    ('{"id": 999999999, "values": {"ref_contrat": "a\\nb"}}', False, None),
    ('{"id": "12"}', False, None),
    ('{"id": 999999998, "id": 999999999}', False, None),
    ("[12.50]", False, None),
    ("null", False, None),
]
# A text that is no JSON, and what is said of it.
MISTAKES = [
    ('{"id": 1,}', "ligne 1, colonne 10\u202f: la virgule qui précède est de trop."),
    ('{"id": 1\n "first": 2}', "ligne 2, colonne 2\u202f: une virgule ou } est attendue."),
    ('{"id": 1', "ligne 1, colonne 9\u202f: il manque }."),
    ("{'id': 1}", "ligne 1, colonne 2\u202f: un nom entre guillemets doubles est attendu."),
    ('{"é": 01}', "ligne 1, colonne 7\u202f: ce nombre est mal écrit."),
    ("{} x", "ligne 1, colonne 4\u202f: rien n’est attendu après la valeur."),
    ('{"a": "b\nc"}', "ligne 1, colonne 9\u202f: dans un texte, un retour à la ligne s’écrit \\n, une tabulation \\t."),
]
NO_JSON = "Les paramètres ne sont pas du JSON\u202f: "


@story("explorer", "a call reopens exactly as it was sent, as a form only if the form can express it", devices=["desktop"], account=None)
def reopening(app):
    page = opened(app, "sessions.update")
    for sent, is_form, again in CALLS:
        told = script(page, """
            setJSON(given);
            await execute();
            const outcome = by('outcome').textContent;
            by('tab-history').click();
            document.querySelector('#history button').click();
            const isForm = by('as-form').checked, note = by('entry-note')?.textContent;
            await execute();
            return [outcome, isForm, note, ...sent.slice(-2).map(body => body.replace(/^.*?"params": /, '').slice(0, -1))];""", sent)
        is_equal([told[1], told[2] == "", told[3], told[4]], [is_form, is_form, sent, again or sent])
        assert sent != "null" or told[0].startswith("Erreur −32600 · "), told[0]
    # Params are also passed between form and JSON, to the form only if it can hold them.
    ways = script(page, """
        const told = [];
        for (const text of given) {
          setJSON(text);
          by('as-form').click();
          told.push([by('as-form').checked, by('entry-note').textContent]);
          by('as-json').click();
          told.at(-1).push(by('params').value.replace(/\\s+/g, ' '));
        }
        return told;""", ['{"id": 9007199254740993, "values": {"tarif_client": 12.50}}', '{"id": 12.50, "idd": 1}'])
    is_equal(ways, [
        [True, "", '{ "id": 9007199254740993, "values": { "tarif_client": 12.50 } }'],
        [False, "Gardé en JSON\u202f: le formulaire n’a pas de champ pour «\u00a0idd\u00a0».", '{"id": 12.50, "idd": 1}']])

    # A password is not kept, and a message says that it is missing.
    login = script(page, """
        await open('auth.login');
        set('/email', 'personne@test.example');
        set('/password', 'un secret à taire');
        await execute();
        by('tab-history').click();
        document.querySelector('#history button').click();
        return [formParams(), by('entry-note').textContent, localStorage.getItem('explorer.history').includes('à taire')];""")
    is_equal(login, [
        '{"email": "personne@test.example"}', "Mots de passe et jetons ne sont pas gardés\u202f: donnez-les à nouveau.", False])
    # The history names the day of older calls.
    year = script(page, """
        const old = new Date(Date.now() - 3 * 86_400_000);
        localStorage.setItem('explorer.history', JSON.stringify(
          [new Date(), old].map(at => ({ name: 'auth.me', text: '{}', good: true, at: at.toISOString() }))));
        return String(old.getFullYear());""")
    assert year in (str(present_day().year), str(present_day().year - 1))
    page.reload()
    listed = page.locator("#history li")
    expect(listed).to_have_count(2)
    is_equal([year in text for text in listed.all_text_contents()], [False, True])


@story("explorer", "null, words and long numbers in the form are sent unchanged by the next page and the JavaScript code",
       devices=["desktop"], account=None)
def unchanged(app):
    with records(app) as own:
        for _ in range(3):
            own.session()
        page = opened(app, "sessions.update")
        page.locator(".field:has(> [data-path='/values/lieu']) .or-null").click()
        script(page, "set('/id', '999999999'); await execute();")
        is_equal(last_sent(page), '{"id": 999999999, "values": {"lieu": null}}')
        page.locator("[data-path='/values/lieu']").press_sequentially("Lyon")
        script(page, "set('/values/tarif_client', '12.50'); await execute();")
        is_equal(last_sent(page), '{"id": 999999999, "values": {"lieu": "Lyon", "tarif_client": 12.50}}')

        # The next page works in the form and in JSON, and the focus stays near.
        script(page, """
            await open('sessions.list');
            set('/search', given);
            set('/order_by', '-date, debut');
            set('/where', '{"id": {"lt": 9007199254740993}, "tarif_client": null}');
            set('/first', '1');
            await execute();""", own.mark)
        params = ('{"where": {"id": {"lt": 9007199254740993}, "tarif_client": null}, '
                  f'"search": "{own.mark}", "order_by": ["-date","debut"], "first": 1')
        is_equal(last_sent(page), params + "}")
        outcome, following = page.locator("#outcome"), page.locator("#next")
        following.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("() => sent.at(-1).includes('after')")
        expect(outcome).to_have_class("good")
        expect(following).to_be_focused()
        assert last_sent(page).startswith(params + ', "after": "'), last_sent(page)
        broken = script(page, """
            by('as-json').click();
            const kept = by('params').value, told = [];
            for (const text of ['{', kept]) {
              change(by('params'), text);
              if (text === '{') by('next').click();
              told.push(by('form-error').textContent);
            }
            return told;""")
        is_equal(broken, [f"{NO_JSON}ligne 1, colonne 2\u202f: il manque }}.", ""])
        following.focus()
        page.keyboard.press("Enter")
        # There is no further page.
        expect(following).to_be_hidden()
        expect(outcome).to_have_class("good")
        expect(outcome).to_be_focused()
        assert "9007199254740993" in last_sent(page)

        text = '{"id": 9007199254740993, "select": "{ id # ` ${1} \\\\ \\n }"}'
        code = script(page, """
            await open('sessions.get');
            setJSON(given);
            by('tab-code').click();
            document.querySelector('[value=JavaScript]').click();
            return by('code').textContent;""", text)
        stub = "globalThis.fetch = async (_, { body }) => { console.log(body); return { json: () => ({}) }; };"
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder) / "call.mjs"
            module.write_text(f"{stub}\n{code}")
            node = subprocess.run(["node", module], capture_output=True, text=True, timeout=60)
        assert f'"params": {text}}}' in node.stdout, node.stdout + node.stderr


@story("explorer", "a mistake is shown in French beside its field until it is corrected", devices=["desktop"], account=None)
def mistakes(app):
    page = opened(app, "sessions.get", account=None)
    told, marked, mended, outcome = script(page, """
        const told = [];
        for (const text of given) { setJSON(text); await execute(); told.push(by('form-error').textContent); }
        const marked = by('params').getAttribute('aria-invalid');
        by('tab-code').click();
        change(by('params'), '{"id": 1}');
        const mended = [by('form-error').textContent, by('params').getAttribute('aria-invalid'), by('code').textContent.includes('"id": 1')];
        window.answering = () => { throw new TypeError('Failed to fetch'); };
        await execute();
        return [told, marked, mended, by('outcome').textContent];""", [text for text, _ in MISTAKES])
    is_equal(told, [NO_JSON + sentence for _, sentence in MISTAKES])
    is_equal([marked, mended], ["true", ["", None, True]])
    is_equal(outcome, "Le serveur n’a pas répondu\u202f: il est arrêté, ou la connexion est coupée.")
