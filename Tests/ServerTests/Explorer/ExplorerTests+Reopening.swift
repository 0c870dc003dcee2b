import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// Params are passed between form, JSON, next page and history unchanged.
extension ExplorerTests {
    @Test func `a call reopens exactly as it was sent, as a form only if the form can express it`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.update", in: browser, at: server)
        try await signIn(browser)
        /// The params sent, whether the form can hold them, and how they are sent again if that differs.
        let calls: [(sent: String, isForm: Bool, again: String?)] = [
            (#"{"id": 999999999, "values": {"module": "ligne 1\nligne 2", "lieu": null}}"#, true, nil),
            (
                #"{"values": {"tarif_client": 12.50}, "id": 9007199254740993}"#, true,
                #"{"id": 9007199254740993, "values": {"tarif_client": 12.50}}"#
            ),
            (#"{"id": 999999999, "values": {}}"#, true, nil),
            (#"{"id": 999999999, "select": null}"#, true, nil),
            (#"{"id": 999999999, "variables": {"n": 9007199254740993, "n2": 1.0}}"#, true, nil),
            (#"{"id": 999999999, "inconnu": 12.50}"#, false, nil),
            (#"{"id": 999999999, "values": {"inconnu": null}}"#, false, nil),
            (#"{"id": 999999999, "values": {"module": ""}}"#, false, nil),
            (#"{"id": 999999999, "values": {"ref_contrat": "a\nb"}}"#, false, nil),
            (#"{"id": "12"}"#, false, nil),
            (#"{"id": 999999998, "id": 999999999}"#, false, nil),
            ("[12.50]", false, nil),
            ("null", false, nil),
        ]
        for call in calls {
            let told = try await script(
                browser,
                """
                setJSON(given[0]);
                await execute();
                const outcome = by('outcome').textContent;
                by('tab-history').click();
                document.querySelector('#history button').click();
                const isForm = by('as-form').checked, note = by('entry-note')?.textContent;
                await execute();
                return [outcome, isForm, note, ...sent.slice(-2).map(body => body.replace(/^.*?"params": /, '').slice(0, -1))];
                """, .string(call.sent)
            ).array
            #expect(told[1] == .bool(call.isForm), "\(call.sent)")
            #expect((told[2] == "") == call.isForm, "\(told[2].json)")
            #expect(told[3] == .string(call.sent))
            #expect(told[4] == .string(call.again ?? call.sent))
            if call.sent == "null" { #expect(told[0].text?.hasPrefix("Erreur −32600 · ") == true, "\(told[0].json)") }
        }
        // Params are also passed between form and JSON, to the form only if it can hold them.
        let ways = try await script(
            browser,
            """
            const told = [];
            for (const text of given) {
              setJSON(text);
              by('as-form').click();
              told.push([by('as-form').checked, by('entry-note').textContent]);
              by('as-json').click();
              told.at(-1).push(by('params').value.replace(/\\s+/g, ' '));
            }
            return told;
            """, #"{"id": 9007199254740993, "values": {"tarif_client": 12.50}}"#, #"{"id": 12.50, "idd": 1}"#)
        #expect(ways[0] == [true, "", #"{ "id": 9007199254740993, "values": { "tarif_client": 12.50 } }"#])
        #expect(ways[1][0] == false)
        #expect(ways[1][1] == "Gardé en JSON\u{202F}: le formulaire n’a pas de champ pour «\u{A0}idd\u{A0}».")
        #expect(ways[1][2] == #"{"id": 12.50, "idd": 1}"#)

        // A password is not kept, and a message says that it is missing.
        let login = try await script(
            browser,
            """
            await open('auth.login');
            set('/email', 'personne@test.example');
            set('/password', 'un secret à taire');
            await execute();
            by('tab-history').click();
            document.querySelector('#history button').click();
            return [formParams(), by('entry-note').textContent, localStorage.getItem('explorer.history').includes('à taire')];
            """)
        #expect(
            login == [
                #"{"email": "personne@test.example"}"#,
                "Mots de passe et jetons ne sont pas gardés\u{202F}: donnez-les à nouveau.", false,
            ])
        // The history names the day of older calls.
        let moments = try await script(
            browser,
            """
            const old = new Date(Date.now() - 3 * 86_400_000);
            localStorage.setItem('explorer.history', JSON.stringify(
              [new Date(), old].map(at => ({ name: 'auth.me', text: '{}', good: true, at: at.toISOString() }))));
            return String(old.getFullYear());
            """
        ).text
        try await browser.run("location.reload()")
        try await browser.wait(until: "document.querySelectorAll('#history li').length === 2")
        let listed = try await browser.value(
            "[...document.querySelectorAll('#history li')].map(one => one.textContent)"
        ).array
        #expect(listed.map { $0.text?.contains(moments ?? "-") } == [false, true])
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    @Test func `null, words and long numbers in the form are sent unchanged by the next page and the JavaScript code`()
        async throws
    {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        for _ in 0..<3 { _ = try await rows.session() }
        let browser = try await Browser()
        try await opened("sessions.update", in: browser, at: server)
        try await signIn(browser)
        try await script(browser, "at('/values/lieu').scrollIntoView({ block: 'center' })")
        try await browser.click(".field:has(> [data-path='/values/lieu']) .or-null")
        try await script(browser, "set('/id', '999999999'); await execute();")
        #expect(try await lastSent(browser) == #"{"id": 999999999, "values": {"lieu": null}}"#)
        try await browser.type("Lyon", into: "[data-path='/values/lieu']")
        try await script(browser, "set('/values/tarif_client', '12.50'); await execute();")
        #expect(
            try await lastSent(browser) == #"{"id": 999999999, "values": {"lieu": "Lyon", "tarif_client": 12.50}}"#)

        // The next page works in the form and in JSON, and the focus stays near.
        try await script(
            browser,
            """
            await open('sessions.list');
            set('/search', given[0]);
            set('/order_by', '-date, debut');
            set('/where', '{"id": {"lt": 9007199254740993}, "tarif_client": null}');
            set('/first', '1');
            await execute();
            """, .string(rows.mark))
        let params =
            #"{"where": {"id": {"lt": 9007199254740993}, "tarif_client": null}, "search": "\#(rows.mark)", "#
            + #""order_by": ["-date","debut"], "first": 1"#
        #expect(try await lastSent(browser) == "\(params)}")
        try await script(browser, "by('next').focus()")
        try await browser.press(.enter)
        try await browser.wait(
            until: "sent.at(-1).includes('after') && /good/.test(document.getElementById('outcome').className)")
        #expect(try await browser.value("document.activeElement.id") == "next")
        #expect(try await lastSent(browser).hasPrefix(#"\#(params), "after": ""#))
        let broken = try await script(
            browser,
            """
            by('as-json').click();
            const kept = by('params').value, told = [];
            for (const text of ['{', kept]) {
              change(by('params'), text);
              if (text === '{') by('next').click();
              told.push(by('form-error').textContent);
            }
            return told;
            """)
        #expect(
            broken == ["Les paramètres ne sont pas du JSON\u{202F}: ligne 1, colonne 2\u{202F}: il manque }.", ""])
        try await script(browser, "by('next').focus()")
        try await browser.press(.enter)
        try await browser.wait(
            until: "document.getElementById('next').hidden && /good/.test(document.getElementById('outcome').className)"
        )
        #expect(try await browser.value("document.activeElement.id") == "outcome", "no further page")
        #expect(try await lastSent(browser).contains("9007199254740993"))

        let text = #"{"id": 9007199254740993, "select": "{ id # ` ${1} \\ \n }"}"#
        let code = try await script(
            browser,
            """
            await open('sessions.get');
            setJSON(given[0]);
            by('tab-code').click();
            document.querySelector('[value=JavaScript]').click();
            return by('code').textContent;
            """, .string(text)
        ).text
        let stub = "globalThis.fetch = async (_, { body }) => { console.log(body); return { json: () => ({}) }; };"
        let scratch = try TemporaryFolder()
        let module = try scratch.write("\(stub)\n\(code ?? "")", to: "call.mjs")
        let node = try await ExternalProgram.run(
            ExternalProgram.first(of: ["/usr/bin/node", "/usr/local/bin/node"]), [module.path])
        #expect(node.output.contains(#""params": \#(text)}"#), "\(node.output) \(node.errors)")
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    private func lastSent(_ browser: Browser) async throws -> String {
        try await browser.value(#"sent.at(-1).replace(/^.*?"params": /, '').slice(0, -1)"#).text ?? ""
    }
}
