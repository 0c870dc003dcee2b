import DomainKit
import Foundation
import JSON
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// The page on which documents are signed, in a real browser. learntrack-next.md: "page to sign (French, works on a phone, no
/// script from elsewhere)".
@Suite(.serialized)
struct SigningPageTests {
    private static let marie = (name: "Marie Curie", email: "marie@exemple.fr")

    private static func opened(_ link: String, of signing: SigningServer) async throws -> Browser {
        let browser = try await Browser()
        try await browser.emulate(width: 390, height: 844)
        try await browser.open("http://127.0.0.1:\(signing.server.port)\(link)")
        try await browser.wait(until: "!document.getElementById('drawing').hidden")
        return browser
    }

    @Test func `a person draws a signature with a finger on a phone, and it stands in the signed document`()
        async throws
    {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let shown = try await signing.get(link + "/document")
        let browser = try await Self.opened(link, of: signing)
        #expect(try await browser.value("document.documentElement.lang") == "fr")
        try await browser.devTools("Emulation.setTouchEmulationEnabled", ["enabled": true])
        let box = try await browser.run(
            """
            const pad = document.getElementById('pad');
            pad.scrollIntoView({ block: 'center' });
            const { left, top, width, height } = pad.getBoundingClientRect();
            return [left, top, width, height];
            """
        ).array.compactMap { if case .number(let digits) = $0 { Double(digits) } else { nil } }
        try #require(box.count == 4)
        for step in 0...9 {
            let x = box[0] + box[2] * (0.1 + 0.08 * Double(step))
            let y = box[1] + box[3] * (step.isMultiple(of: 2) ? 0.7 : 0.3)
            let point: JSONValue = ["x": .number("\(x)"), "y": .number("\(y)")]
            try await browser.devTools(
                "Input.dispatchTouchEvent",
                ["type": step == 0 ? "touchStart" : "touchMove", "touchPoints": [point]])
        }
        try await browser.devTools("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
        // Without the consent nothing is sent.
        try await browser.click("[type=submit]")
        #expect(try await browser.value("document.querySelector('form').checkValidity()") == false)
        try await browser.click("#consent")
        try await browser.click("[type=submit]")
        try await browser.wait(until: "document.querySelector('h1').textContent.startsWith('Merci')")
        #expect(try await browser.console() == [])
        let origin = "http://127.0.0.1:\(signing.server.port)/"
        let foreign = try await browser.requests().filter { $0.hasPrefix("http") && !$0.hasPrefix(origin) }
        #expect(foreign == [])
        try await browser.close()
        #expect(try await signing.row("octet_length(drawing) > 500", from: "signature_links") == "t")
        let signed = try await signing.get(link + "/document")
        let pdf = try await ReadPDF(signed.body)
        let picture = try await pdf.picture(ofPage: pdf.pages.count - 1)
        #expect(signed.body.starts(with: shown.body) && !picture.isEmpty)
        #expect(!pdf.text(ofPage: pdf.pages.count - 1).contains("Sans tracé"))
    }

    @Test func `the page is used with the keyboard alone, and then the name stands for the signature`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let browser = try await Self.opened(link, of: signing)
        try await browser.run("document.getElementById('name').focus()")
        #expect(try await signing.row("opened_at IS NULL", from: "signatories") == "t")
        try await browser.press(.tab)
        try await eventually("the page is in use") {
            try await signing.row("opened_at IS NOT NULL", from: "signatories") == "t"
        }
        #expect(try await browser.value("document.activeElement.id") == "clear")
        try await browser.press(.tab)
        #expect(try await browser.value("document.activeElement.id") == "consent")
        try await browser.press(.space, .tab, .enter)
        try await browser.wait(until: "document.querySelector('h1').textContent.startsWith('Merci')")
        #expect(try await browser.console() == [])
        try await browser.close()
        #expect(try await signing.row("drawing IS NULL", from: "signature_links") == "t")
        #expect(try await signing.row("signed_name", from: "signatories") == "Marie Curie")
    }

    @Test func `the page is legible in light and dark, at any width and for screen readers`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        let browser = try await Self.opened(link, of: signing)
        for dark in [false, true] {
            try await browser.prefer(dark: dark)
            let faint = try await browser.run(ExplorerTests.faintTexts).array
            #expect(faint == [], "\(dark ? "dark" : "light"): \(faint.map(\.json))")
        }
        for width in [320, 390, 768, 1280] {
            try await browser.emulate(width: width, height: 800)
            let overflow = try await browser.value("document.documentElement.scrollWidth - innerWidth").int ?? 1
            #expect(overflow <= 0, "at \(width) px")
        }
        let unnamed = try await browser.run(
            """
            return [...document.querySelectorAll('input:not([type=hidden])')].filter(one => !one.labels.length)
              .concat([...document.querySelectorAll('button, a, canvas, object')]
                .filter(one => !(one.getAttribute('aria-label') || one.textContent.trim())))
              .map(one => one.outerHTML.slice(0, 80));
            """
        ).array
        #expect(unnamed == [])
        #expect(try await browser.console() == [])
        try await browser.close()
    }
}
