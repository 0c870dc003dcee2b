import DomainKit
import TestPostgres
import Testing

/// Tokens that the service takes no longer.
extension ExplorerTests {
    @Test("a token no longer taken is renewed in silence; only a refusal signs out, and says so")
    func renewal() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("auth.me", in: browser, at: server)
        try await signIn(browser)
        let refreshes = "sent.filter(body => body.includes('auth.refresh')).length"
        let renewed = try await script(
            browser,
            """
            tokens.access_token = 'aucun.jeton.valable';
            await execute();
            return [by('outcome').className, \(refreshes), tokens.access_token.length > 40];
            """)
        #expect(renewed == ["good", 1, true])

        // Whatever else befalls the renewal is told, and ends nothing.
        let told = try await script(
            browser,
            """
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
            return told;
            """
        ).array
        let failed = "La connexion n’a pas pu être renouvelée."
        #expect(
            told
                == [
                    [
                        .string("\(failed) Le serveur n’a pas répondu : il est arrêté, ou la connexion est coupée."),
                        false,
                        false,
                    ],
                    [.string("\(failed) La réponse ne se lit pas (HTTP 502)."), false, false],
                    [.string("\(failed) Cause 503."), false, false],
                    [.string("\(failed) Cause 429."), false, false],
                ].map { .array($0) })
        // What a method open to all refuses was among the params.
        let own = try await script(
            browser,
            """
            const before = \(refreshes);
            await open('auth.refresh');
            set('/refresh_token', 'autre');
            await execute();
            return [\(refreshes) - before, by('sign-out').hidden];
            """)
        #expect(own == [1, false])

        // The sign-in ends elsewhere.
        let refresh = try await script(browser, "await open('auth.me'); await execute(); return tokens.refresh_token;")
        _ = try await server.client(nil).call("auth.logout", ["refresh_token": refresh])
        let ended = try await script(
            browser,
            """
            await execute();
            await until('the login', () => by('login').open);
            return [by('who').textContent, by('login-note').textContent, by('email').value, tokens];
            """)
        #expect(
            ended == [
                "Non connecté", "Votre connexion a pris fin : reconnectez-vous.", .string(TestServer.admin), .null,
            ])
        try await browser.type(TestServer.password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
        try await browser.close()
    }

    @Test("mistakes are told in French, at their place, until they are mended")
    func mistakes() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.get", in: browser, at: server)
        // By the keyboard, past the list; the address goes on naming the method.
        try await browser.press(.tab)
        try await browser.press(.enter)
        #expect(try await browser.value("[document.activeElement.id, location.hash]") == ["main", "#sessions.get"])

        let texts: [(String, String)] = [
            (#"{"id": 1,}"#, "ligne 1, colonne 10 : la virgule qui précède est de trop."),
            ("{\"id\": 1\n \"first\": 2}", "ligne 2, colonne 2 : une virgule ou } est attendue."),
            ("{\"id\": 1", "ligne 1, colonne 9 : il manque }."),
            ("{'id': 1}", "ligne 1, colonne 2 : un nom entre guillemets doubles est attendu."),
            (#"{"é": 01}"#, "ligne 1, colonne 7 : ce nombre est mal écrit."),
            ("{} x", "ligne 1, colonne 4 : rien n’est attendu après la valeur."),
            (
                "{\"a\": \"b\nc\"}",
                "ligne 1, colonne 9 : dans un texte, un retour à la ligne s’écrit \\n, une tabulation \\t."
            ),
        ]
        let told = try await script(
            browser,
            """
            const told = [];
            for (const text of given[0]) { setJSON(text); await execute(); told.push(by('form-error').textContent); }
            const marked = by('params').getAttribute('aria-invalid');
            by('tab-code').click();
            change(by('params'), '{"id": 1}');
            const mended = [by('form-error').textContent, by('params').getAttribute('aria-invalid'), by('code').textContent.includes('"id": 1')];
            window.answering = () => { throw new TypeError('Failed to fetch'); };
            await execute();
            return [told, marked, mended, by('outcome').textContent];
            """, .array(texts.map { .string($0.0) }))
        for (text, sentence) in zip(texts, told[0].array) {
            #expect(sentence == .string("Les paramètres ne sont pas du JSON : \(text.1)"), "\(text.0)")
        }
        #expect(told[1] == "true")
        #expect(told[2] == ["", .null, true])
        #expect(told[3] == "Le serveur n’a pas répondu : il est arrêté, ou la connexion est coupée.")

        // Days of the history are told from one another.
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
        try await browser.close()
    }
}
