import DomainKit
import JSON
import TestPostgres
import Testing

extension ExplorerTests {
    @Test func `the page works with the keyboard alone and shows a mistake at its field`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("auth.me", in: browser, at: server)
        let focus = "document.activeElement.id"
        try await browser.press(.tab)
        #expect(try await browser.value("document.activeElement.className") == "skip")
        try await browser.press(.tab)
        #expect(try await browser.value(focus) == "sign-in")
        try await browser.press(.enter)
        #expect(try await browser.value(focus) == "email")
        let own = TestServer.admin.map { Browser.Key.character(String($0)) }
        for key in own { try await browser.press(key) }
        try await browser.press(.tab)
        for key in TestServer.password { try await browser.press(.character(String(key))) }
        try await browser.press(.enter)
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
        #expect(try await browser.value(focus) == "sign-out")

        try await browser.press(.character("/"))
        #expect(try await browser.value(focus) == "filter")
        for key in "creee session" { try await browser.press(.character(String(key))) }
        #expect(try await browser.value("document.querySelectorAll('#methods button').length") == 0)
        #expect(try await browser.text("found") == "0 méthode")
        try await browser.run("document.getElementById('filter').value = ''")
        for key in "cree session" { try await browser.press(.character(String(key))) }
        try await browser.press(.enter)
        try await browser.wait(until: "document.getElementById('name').textContent === 'sessions.create'")
        #expect(try await browser.value(focus) == "main")
        try await browser.press(Browser.Key(code: "\u{E00F}"))  // page down
        try await browser.wait(until: "document.getElementById('main').scrollTop > 0")

        try await browser.run("document.querySelector('[data-path=\"/values/tarif_client\"]').focus()")
        for key in "-5" { try await browser.press(.character(String(key))) }
        try await browser.press(.controlEnter)
        try await runs(browser)
        #expect(try await browser.text("outcome").hasPrefix("Erreur −32602 · "))
        let told = try await browser.run(
            """
            const input = document.querySelector('[data-path="/values/tarif_client"]');
            const notes = input.getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).textContent);
            return [input.getAttribute('aria-invalid'), notes[0], document.querySelectorAll('[aria-invalid]').length];
            """)
        #expect(told[0] == "true")
        #expect(told[1] == "Donnez un nombre supérieur ou égal à 0.")
        #expect(told[2] == 6, "the five required ones too")
        #expect(try await browser.value("document.querySelectorAll('#problems li').length") == 6)

        // Each method has an entry in the browser's history and an address.
        for (way, name) in [
            ("history.back()", "auth.me"), ("history.forward()", "sessions.create"),
            ("location.hash = '#clients.get'", "clients.get"), ("history.back()", "sessions.create"),
        ] {
            try await browser.run(way)
            try await browser.wait(until: "document.getElementById('name').textContent === '\(name)'")
        }

        // The Tab key stops once at all tabs, and the arrow keys move between them.
        try await browser.run("document.getElementById('tab-answer').focus()")
        try await browser.press(.right)
        #expect(try await browser.value(focus) == "tab-code")
        #expect(try await browser.value("document.getElementById('panel-code').hidden") == false)
        try await browser.close()
    }
}
