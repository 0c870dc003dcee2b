import DomainKit
import JSON
import TestSupport
import Testing

/// Documents in the explorer.
extension ExplorerTests {
    @Test func `a call that answers a link to a document shows a link that opens it, and other calls show none`()
        async throws
    {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.calendrier", in: browser, at: server)
        try await signIn(browser)
        let told = try await script(
            browser,
            """
            await open('sessions.calendrier');
            await execute();
            const link = by('document');
            const shown = [!link.hidden, link.textContent, link.getAttribute('rel')];
            const response = await fetch(link.href);
            const text = await response.text();
            await open('ecoles.list');
            await execute();
            return [...shown, response.status, text.slice(0, 15), by('document').hidden];
            """)
        #expect(
            told == [true, "Ouvrir Sessions.ics", "noopener noreferrer", 200, "BEGIN:VCALENDAR", true], "\(told.json)")
    }
}
