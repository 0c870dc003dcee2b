"""The explorer: the field picker, what a call answers, and the documents and files among it."""
from explorer_page import is_equal, opened, records, script
from harness import story

# A selection, the fields to tick or untick, and the selection afterwards; None when the picker cannot edit it.
PICKS = [
    ("{ module id __typename }", ["date"], "{ module id __typename date }"),
    ("{ id modul }", ["module"], "{ id modul module }"),
    ("{ id, date, lieu }", ["date"], "{ id, lieu }"),
    ("{ id, date, lieu }", ["id"], "{ date, lieu }"),
    ("{\n  id\n  date\n}", ["module"], "{\n  id\n  date\n  module\n}"),
    ("", ["id", "module"], "{ id module }"),
    ("{ id }", ["id"], ""),
    ("{ inconnu client { __typename nom_contact } id }", ["client.nom_contact", "client.ville"],
     "{ inconnu client { __typename ville } id }"),
    ("{ client { ville } id }", ["client.ville"], "{ client { id } id }"),
    ("{ client { id } date }", ["client.id"], "{ date }"),
    ("{ client date }", ["client.ville"], "{ client { ville } date }"),
    ("{ client { sessions(first: 3) { id } } }", ["client.sessions.date"], "{ client { sessions(first: 3) { id date } } }"),
    ("{ date }", ["client", "client.sessions"], "{ date client { id sessions(first: 10) { id } } }"),
    ("{ le: date }", ["id"], None), ("{ ...Carte } fragment Carte on sessions { id }", ["id"], None),
    ("{ client { sessions(where: {id: 1}) { id } } }", ["id"], None), ("{ id # date\n }", ["date"], None),
    ("{ id", ["date"], None), ("{ id id }", ["date"], None),
]


@story("explorer", "ticking a field changes only that field in the selection’s text", devices=["desktop"], account=None)
def picker(app):
    page = opened(app, "sessions.list", account=None)
    told = script(page, """
        return given.map(([text, fields]) => {
          set('/select', text);
          for (const path of fields) {
            const names = path.split('.');
            const start = '.picker > div > ul';
            const where = names.map(name => ` > li:has(> label [data-field="${name}"])`).join(' > ul');
            const box = document.querySelector(`${start}${where} > label [data-field]`);
            if (!box) return null;
            box.click();
          }
          return at('/select').value;
        });""", [pick[:2] for pick in PICKS])
    for (text, fields, after), found in zip(PICKS, told, strict=True):
        is_equal(found, after, f"{text} {fields}:")
    bounded = script(page, """
        await open('formateurs.list');
        document.querySelector('[data-field=sessions]').click();
        const input = document.querySelector('.first input'), told = [input.value];
        for (const first of ['3', '']) { change(input, first); told.push(at('/select').value); }
        return told;""")
    is_equal(bounded, ["10", "{ sessions(first: 3) { id } }", "{ sessions { id } }"])


@story("explorer", "only the last call’s result is shown, with lists that unfold and the operators of its fields", devices=["desktop"], account=None)
def answers(app):
    with records(app) as own:
        trainer = own.trainer(email="zoe@test.example")
        for tariff in (1200.5, 80):
            own.session(formateur_id=trainer, tarif_client=tariff)
        own.trainer(prenom="Zoé")
        page = opened(app, "formateurs.list")
        shown = script(page, """
            let release;
            window.answering = body => body.includes('lente') ? new Promise(done => { release = () => done(); }) : undefined;
            set('/search', 'lente');
            document.querySelector('#call [type=submit]').click();
            await until('a first call', () => release);
            set('/search', given);
            set('/select', '{ prenom sessions(order_by: ["tarif_client"]) { tarif_client client { ville } formateur { nom } } }');
            await execute();
            const table = by('table').innerText, outcome = by('outcome').textContent;
            release();
            await until('both calls', () => document.querySelectorAll('#history li').length === 2);
            window.answering = undefined;
            const same = by('table').innerText === table && by('outcome').textContent === outcome;
            const details = [...document.querySelectorAll('#table details')];
            for (const one of details) one.open = true;
            await until('an unfolded list', () => document.querySelector('#table details table'));
            return [same, details.length, ...[...document.querySelectorAll('#table details tr')].map(row => row.innerText)];
            """, own.mark)
        is_equal(shown, [True, 1, "tarif_client\tclient\tformateur.nom", f"80.00\t–\tDupré {own.mark}", f"1200.50\t–\tDupré {own.mark}"])
        reference = script(page, """
            by('tab-reference').click();
            const panel = by('panel-reference');
            for (const one of panel.querySelectorAll('details')) one.open = true;
            const named = name => [...panel.querySelectorAll('dt')].find(one => one.textContent === name);
            await until('columns', () => named('taux_horaire'));
            const condition = named('taux_horaire').nextElementSibling;
            return [panel.textContent.includes('$ref'), condition.textContent.trim()];""")
        is_equal(reference, [False, "nombre\u202f: eq ne lt lte gt gte in nin is_null"])


@story("explorer", "a document that a call answers is opened by a link and shown in the page, a PDF too; other calls show none",
       devices=["desktop"], account=None)
def documents(app):
    page = opened(app, "sessions.calendrier")
    told = script(page, """
        await execute();
        const link = by('document');
        const shown = [!link.hidden, link.textContent, link.getAttribute('rel')];
        const response = await fetch(link.href);
        const text = await response.text();
        await until('the text', () => !by('shown').hidden);
        const inside = by('shown').querySelector('pre').textContent.slice(0, 15);
        await open('ecoles.list');
        await execute();
        return [...shown, response.status, text.slice(0, 15), inside, by('document').hidden, by('shown').hidden];""")
    is_equal(told, [True, "Ouvrir Sessions.ics", "noopener noreferrer", 200, "BEGIN:VCALENDAR", "BEGIN:VCALENDAR", True, True])
    told = script(page, """
        await open('sessions.liste');
        set('/du', '2031-01-01');
        set('/au', '2031-01-31');
        await execute();
        await until('the PDF', () => !by('shown').hidden);
        const frame = by('shown').querySelector('iframe');
        return [frame.src === by('document').href, frame.title];""")
    is_equal(told, [True, "Planning 2031-01-01 2031-01-31.pdf"])


@story("explorer", "a file is given beside the column that names it, and its refusals are told there", devices=["desktop"], account=None)
def files(app):
    organisation = app.rpc("organisme.ouvrir")
    page = opened(app, "organisme.update")
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="3" height="4"/></svg>'
    app.allow_console("status of 4")
    told = script(page, """
        const box = at('/values/logo').closest('.field');
        const note = box.querySelector('[role=status]');
        const give = async (bytes, word) => {
          const list = new DataTransfer();
          list.items.add(new File([bytes], 'logo', { type: 'image/svg+xml' }));
          const choice = box.querySelector('[type=file]');
          choice.files = list.files;
          choice.dispatchEvent(new Event('change', { bubbles: true }));
          await until(word, () => note.textContent.includes(word));
          return [at('/values/logo').value, note.classList.contains('bad')];
        };
        const large = await give(new Uint8Array(600_000), 'trop grand');
        const strange = await give('<html></html>', 'PNG, JPEG, PDF ou SVG');
        window.answering = body => body instanceof File
          ? new Response(JSON.stringify({ error: { code: 429, message: 'Patientez une heure.' } }), { status: 429 })
          : undefined;
        const crowded = await give(given[0], 'Patientez');
        window.answering = undefined;
        const kept = await give(given[0], 'image/svg+xml');
        set('/id', String(given[1]));
        await execute();
        return [large, strange, crowded, kept[1], /^[0-9]+$/.test(kept[0]), by('outcome').className, kept[0]];
        """, [svg, organisation["id"]])
    logo = told.pop()
    is_equal(told, [["", True], ["", True], ["", True], False, True, "good"])
    is_equal(str(app.rpc("organisme.get", {"id": organisation["id"], "select": "{ logo }"})["logo"]), logo)
    shown = script(page, """
        await open('files.lien');
        set('/id', given);
        await execute();
        await until('the picture', () => !by('shown').hidden);
        const picture = by('shown').querySelector('img');
        await until('its size', () => picture.complete && picture.naturalWidth > 0);
        return [picture.alt, (await fetch(by('document').href)).headers.get('Content-Type')];""", logo)
    assert shown[0].endswith(".svg") and shown[1].startswith("image/svg+xml"), shown
    app.rpc("organisme.update", {"id": organisation["id"], "values": {"logo": organisation.get("logo")}})
