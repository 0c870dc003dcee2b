import DomainKit
import JSON
import TestPostgres
import Testing

/// The field picker and the display of responses.
extension ExplorerTests {
    @Test func `ticking a field changes only that field in the selection’s text`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        /// A selection, the fields to tick or untick, and the selection afterwards; nil when the picker cannot edit it.
        let picks: [(String, [String], String?)] = [
            ("{ module id __typename }", ["date"], "{ module id __typename date }"),
            ("{ id modul }", ["module"], "{ id modul module }"),
            ("{ id, date, lieu }", ["date"], "{ id, lieu }"),
            ("{ id, date, lieu }", ["id"], "{ date, lieu }"),
            ("{\n  id\n  date\n}", ["module"], "{\n  id\n  date\n  module\n}"),
            ("", ["id", "module"], "{ id module }"),
            ("{ id }", ["id"], ""),
            (
                "{ inconnu client { __typename nom_contact } id }", ["client.nom_contact", "client.ville"],
                "{ inconnu client { __typename ville } id }"
            ),
            ("{ client { ville } id }", ["client.ville"], "{ client { id } id }"),
            ("{ client { id } date }", ["client.id"], "{ date }"),
            ("{ client date }", ["client.ville"], "{ client { ville } date }"),
            (
                "{ client { sessions(first: 3) { id } } }", ["client.sessions.date"],
                "{ client { sessions(first: 3) { id date } } }"
            ),
            ("{ date }", ["client", "client.sessions"], "{ date client { id sessions(first: 10) { id } } }"),
            ("{ le: date }", ["id"], nil), ("{ ...Carte } fragment Carte on sessions { id }", ["id"], nil),
            ("{ client { sessions(where: {id: 1}) { id } } }", ["id"], nil), ("{ id # date\n }", ["date"], nil),
            ("{ id", ["date"], nil), ("{ id id }", ["date"], nil),
        ]
        let told = try await script(
            browser,
            """
            return given[0].map(([text, fields]) => {
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
            });
            """, .array(picks.map { [.string($0.0), .array($0.1.map { .string($0) })] }))
        for (pick, text) in zip(picks, told.array) {
            #expect(text == pick.2.map { .string($0) } ?? .null, "\(pick.0) \(pick.1)")
        }
        let bounded = try await script(
            browser,
            """
            await open('formateurs.list');
            document.querySelector('[data-field=sessions]').click();
            const input = document.querySelector('.first input'), told = [input.value];
            for (const first of ['3', '']) { change(input, first); told.push(at('/select').value); }
            return told;
            """)
        #expect(bounded == ["10", "{ sessions(first: 3) { id } }", "{ sessions { id } }"])
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    @Test func `only the last call’s result is shown, with lists that unfold and the operators of its fields`()
        async throws
    {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let formateur = try await rows.formateur([("email", "zoe@test.example")])
        for tariff in ["1200.50", "80.00"] {
            _ = try await rows.session([("formateur_id", JSONValue(formateur)), ("tarif_client", .number(tariff))])
        }
        _ = try await rows.formateur([("prenom", "Zoé")])
        let browser = try await Browser()
        try await opened("formateurs.list", in: browser, at: server)
        try await signIn(browser)
        let shown = try await script(
            browser,
            """
            let release;
            window.answering = body => body.includes('lente') ? new Promise(done => { release = () => done(); }) : undefined;
            set('/search', 'lente');
            document.querySelector('#call [type=submit]').click();
            await until('a first call', () => release);
            set('/search', given[0]);
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
            """, .string(rows.mark))
        #expect(
            shown == [
                true, 1, "tarif_client\tclient\tformateur.nom", .string("80.00\t–\tDupré \(rows.mark)"),
                .string("1200.50\t–\tDupré \(rows.mark)"),
            ])
        let reference = try await script(
            browser,
            """
            by('tab-reference').click();
            const panel = by('panel-reference');
            for (const one of panel.querySelectorAll('details')) one.open = true;
            const named = name => [...panel.querySelectorAll('dt')].find(one => one.textContent === name);
            await until('columns', () => named('taux_horaire'));
            const condition = named('taux_horaire').nextElementSibling;
            return [panel.textContent.includes('$ref'), condition.textContent.trim()];
            """)
        #expect(reference == [false, "nombre\u{202F}: eq ne lt lte gt gte in nin is_null"])
        #expect(try await browser.console() == [])
        try await browser.close()
    }
}
