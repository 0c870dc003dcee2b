import JSON
import TestPostgres
import TestSupport
import Testing

/// The panel that follows the change feed.
extension ExplorerTests {
    private static let state = "document.getElementById('events-state').textContent"
    /// The cells of each row but the time, joined by spaces.
    private static let rows = """
        [...document.querySelectorAll('#events-rows tr')].map(row =>
          [...row.cells].slice(1).map(cell => cell.textContent).join(' '))
        """

    private func received(_ rows: [String], in browser: Browser) async throws {
        try await browser.wait(until: "\(Self.rows).length === \(rows.count)")
        let texts = try await browser.value(Self.rows).array.compactMap(\.text)
        #expect(texts == rows)
    }

    @Test func `a change made in another call appears among the events, and following continues where it was stopped`()
        async throws
    {
        let server = try await EventTests.server()
        let rows = try await Fixtures(server)
        let browser = try await Browser()
        try await opened("ecoles.list", in: browser, at: server)
        try await browser.click("#tab-events")
        #expect(try await browser.text("events-path") == "GET /events")
        try await browser.click("#follow")
        try await browser.wait(until: "document.getElementById('login').open")
        try await browser.press(.escape)
        try await browser.wait(until: "!document.getElementById('login').open")
        try await signIn(browser)

        try await browser.click("#follow")
        try await browser.wait(until: "\(Self.state) === 'Connecté.'")
        try await received(["prêt"], in: browser)
        let first = try await rows.ecole()
        try await received(["ecoles \(first) création 1", "prêt"], in: browser)
        _ = try await rows.client.call("ecoles.delete", ["id": JSONValue(first)])
        try await received(["ecoles \(first) suppression 1", "ecoles \(first) création 1", "prêt"], in: browser)
        let last = try await browser.text("events-last")
        #expect(last.split(separator: ".").count == 3)

        try await browser.click("#stop")
        #expect(try await browser.text("events-state") == "Arrêté.")
        try await browser.wait(until: "document.activeElement.id === 'follow'")
        try await browser.click("#forget-events")
        let second = try await rows.ecole()
        // The token is renewed as that of a call is.
        try await browser.run("tokens.access_token = 'aucun.jeton.valable'")
        try await browser.click("#follow")
        try await received(["ecoles \(second) création 1", "prêt"], in: browser)

        try await browser.run(
            """
            const event = { name: 'change', id: '1.2.3', data: '{"table":"t","id":1,"op":"update","version":null}' };
            showReceived(Array(450).fill(event));
            """)
        #expect(try await browser.value("\(Self.rows).length") == 200)
        #expect(try await browser.text("events-count") == "· 452 reçus, les 200 derniers sont affichés")

        try await browser.emulate(width: 360, height: 740)
        let layout = try await browser.run(
            """
            return [document.documentElement.scrollWidth <= innerWidth, ...['tab-events', 'stop', 'events-table'].map(id =>
              document.getElementById(id).getBoundingClientRect()).map(box => box.width > 0 && box.right <= innerWidth)];
            """)
        #expect(layout == [true, true, true, true])

        // What one account has received is not for the next.
        try await browser.click("#sign-out")
        try await received([], in: browser)
        #expect(try await browser.text("events-state") == "Arrêté\u{202F}: vous êtes déconnecté.")
        #expect(try await browser.text("events-last") == "–")
        // A token that is refused is logged by the browser.
        #expect(try await browser.console().filter { !$0.contains("401") } == [])
        try await browser.close()
    }
}
