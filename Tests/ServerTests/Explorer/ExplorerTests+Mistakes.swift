import DomainKit
import JSON
import TestPostgres
import Testing

extension ExplorerTests {
    @Test func `a mistake is shown in French beside its field until it is corrected`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.get", in: browser, at: server)
        // The link that skips the list works by the keyboard, and the address still names the method.
        try await browser.press(.tab)
        try await browser.press(.enter)
        #expect(try await browser.value("[document.activeElement.id, location.hash]") == ["main", "#sessions.get"])

        let texts: [(String, String)] = [
            (#"{"id": 1,}"#, "ligne 1, colonne 10\u{202F}: la virgule qui précède est de trop."),
            ("{\"id\": 1\n \"first\": 2}", "ligne 2, colonne 2\u{202F}: une virgule ou } est attendue."),
            ("{\"id\": 1", "ligne 1, colonne 9\u{202F}: il manque }."),
            ("{'id': 1}", "ligne 1, colonne 2\u{202F}: un nom entre guillemets doubles est attendu."),
            (#"{"é": 01}"#, "ligne 1, colonne 7\u{202F}: ce nombre est mal écrit."),
            ("{} x", "ligne 1, colonne 4\u{202F}: rien n’est attendu après la valeur."),
            (
                "{\"a\": \"b\nc\"}",
                "ligne 1, colonne 9\u{202F}: dans un texte, un retour à la ligne s’écrit \\n, une tabulation \\t."
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
            #expect(sentence == .string("Les paramètres ne sont pas du JSON\u{202F}: \(text.1)"), "\(text.0)")
        }
        #expect(told[1] == "true")
        #expect(told[2] == ["", .null, true])
        #expect(told[3] == "Le serveur n’a pas répondu\u{202F}: il est arrêté, ou la connexion est coupée.")
        try await browser.close()
    }
}
