import DomainKit
import JSON
import TestPostgres
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
            await until('the text', () => !by('shown').hidden);
            const inside = by('shown').querySelector('pre').textContent.slice(0, 15);
            await open('ecoles.list');
            await execute();
            return [...shown, response.status, text.slice(0, 15), inside, by('document').hidden, by('shown').hidden];
            """)
        let expected: JSONValue = [
            true, "Ouvrir Sessions.ics", "noopener noreferrer", 200, "BEGIN:VCALENDAR", "BEGIN:VCALENDAR", true, true,
        ]
        #expect(told == expected, "\(told.json)")
    }

    @Test func `a PDF is shown in the page`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.liste", in: browser, at: server)
        try await signIn(browser)
        let told = try await script(
            browser,
            """
            await open('sessions.liste');
            set('/du', '2031-01-01');
            set('/au', '2031-01-31');
            await execute();
            await until('the PDF', () => !by('shown').hidden);
            const frame = by('shown').querySelector('iframe');
            return [frame.src === by('document').href, frame.title];
            """)
        #expect(told == [true, "Planning 2031-01-01 2031-01-31.pdf"], "\(told.json)")
        #expect(try await browser.console() == [])
    }

    @Test func `a file is given beside the column that names it, and its refusals are told there`() async throws {
        let server = try await TestServer.start()
        let id = try await server.client().call("organisme.ouvrir")["id"] ?? .null
        let browser = try await Browser()
        try await opened("organisme.update", in: browser, at: server)
        try await signIn(browser)
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"3\" height=\"4\"/></svg>"
        let told = try await script(
            browser,
            """
            await open('organisme.update');
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
            const crowded = await give(given[0][0], 'Patientez');
            window.answering = undefined;
            const kept = await give(given[0][0], 'image/svg+xml');
            set('/id', String(given[0][1]));
            await execute();
            return [large, strange, crowded, kept[1], /^[0-9]+$/.test(kept[0]), by('outcome').className];
            """, [.string(svg), id])
        #expect(told == [["", true], ["", true], ["", true], false, true, "good"], "\(told.json)")
        #expect(
            try await server.database.psql(
                "SELECT f.media_type FROM organisme AS o JOIN kernel.files AS f ON f.id = o.logo") == "image/svg+xml")
        let shown = try await script(
            browser,
            """
            const logo = at('/values/logo').value;
            await open('files.lien');
            set('/id', logo);
            await execute();
            await until('the picture', () => !by('shown').hidden);
            const picture = by('shown').querySelector('img');
            await until('its size', () => picture.complete && picture.naturalWidth > 0);
            return [picture.alt];
            """)
        #expect(shown.at("/0").text?.hasSuffix(".svg") == true, "\(shown.json)")
        #expect(try await server.stop() == 0)
    }
}
