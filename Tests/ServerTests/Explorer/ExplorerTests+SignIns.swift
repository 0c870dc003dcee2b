import DomainKit
import JSON
import TestPostgres
import Testing

/// Tokens that the service no longer accepts.
extension ExplorerTests {
    @Test func `an expired token is renewed silently, and only a refused renewal signs out`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("auth.me", in: browser, at: server)
        // A refused call offers to sign in, and is sent again then. The accounts of the demo data are not those of this server.
        let refused = try await script(
            browser,
            """
            await execute();
            return [by('refused').hidden, by('refused').textContent, by('demo').textContent, by('demo-accounts').hidden];
            """)
        #expect(refused == [false, "Se connecter", "", true])
        try await browser.click("#refused button")
        try await browser.type(TestServer.admin, into: "#email")
        try await browser.type(TestServer.password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "document.getElementById('outcome').className === 'good'")
        #expect(try await browser.value("document.getElementById('refused').hidden") == true)
        let refreshes = "sent.filter(body => body.includes('auth.refresh')).length"
        let renewed = try await script(
            browser,
            """
            tokens.access_token = 'aucun.jeton.valable';
            await execute();
            return [by('outcome').className, \(refreshes), tokens.access_token.length > 40];
            """)
        #expect(renewed == ["good", 1, true])

        // Any other error of the renewal is shown, and the user stays signed in.
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
                        .string(
                            "\(failed) Le serveur n’a pas répondu\u{202F}: il est arrêté, ou la connexion est coupée."),
                        false,
                        false,
                    ],
                    [.string("\(failed) La réponse ne se lit pas (HTTP 502)."), false, false],
                    [.string("\(failed) Cause 503."), false, false],
                    [.string("\(failed) Cause 429."), false, false],
                ].map { .array($0) })
        // A token refused by a method that is open to everyone was among the params.
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

        // The sign-in is ended from another client.
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
                "Non connecté", "Votre connexion a pris fin\u{202F}: reconnectez-vous.", .string(TestServer.admin),
                .null,
            ])
        try await browser.type(TestServer.password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
        try await browser.close()
    }
}
