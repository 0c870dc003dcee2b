import JSON
import TestMail
import TestPDF
import TestPostgres
import TestSupport
import Testing

/// What the page of evidence says of each signatory: who, from where, and what was read and drawn.
@Suite struct SigningEvidenceTests {
    private static let marie = (name: "Marie Curie", email: "marie@exemple.fr")
    private static let paul = (name: "Paul Langevin", email: "paul@exemple.fr")

    /// The text of the page of evidence, in lines that are not broken.
    private static func evidence(_ signing: SigningServer, at link: String) async throws -> String {
        let pdf = try await ReadPDF(try await signing.get(link + "/document").body)
        return pdf.text(ofPage: pdf.pages.count - 1).replacing("\u{A0}", with: " ").replacing("\n", with: " ")
    }

    @Test func `behind a trusted proxy the evidence names the client, and never the proxy`() async throws {
        let signing = try await SigningServer(["--trusted-proxies", "127.0.0.1"])
        _ = try await signing.ask(Self.marie, Self.paul)
        let marie = try await signing.link(to: Self.marie.email)
        let paul = try await signing.link(to: Self.paul.email)
        let first = try await signing.sign(
            marie, "Marie Curie", headers: [("X-Forwarded-For", "192.0.2.99, 203.0.113.7")])
        #expect(first.status == 200)
        let second = try await signing.sign(
            paul, "Paul Langevin", headers: [("X-Forwarded-For", "203.0.113.8, unknown")])
        #expect(second.status == 200)
        #expect(
            try await signing.row("string_agg(coalesce(address, '-'), ' ' ORDER BY id)", from: "signatories")
                == "203.0.113.7 -")
        let evidence = try await Self.evidence(signing, at: marie)
        #expect(evidence.contains("203.0.113.7") && evidence.contains("inconnue"), "\(evidence)")
        for other in ["127.0.0.1", "192.0.2.99", "203.0.113.8"] { #expect(!evidence.contains(other), "\(evidence)") }
    }

    @Test func `a server behind a proxy that it does not trust warns that signatures would name the proxy`()
        async throws
    {
        let warning = "give --trusted-proxies"
        let address = ["--public-url", "https://learntrack.example"]
        let warned = try await TestServer.start(address)
        try await eventually("it warns") { warned.process.errors.contains(warning) }
        #expect(try await warned.stop() == 0)
        for arguments in [address + ["--trusted-proxies", "10.0.0.0/8"], []] {
            let silent = try await TestServer.start(arguments)
            #expect(try await silent.stop() == 0)
            #expect(!silent.process.errors.contains(warning), "\(arguments)")
        }
    }

    private static let damagedDrawings = [
        // The pixels, their checksum, their number, and what follows the end.
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nJxg-M_wHwAEAQH_cetH5QAAAABJRU5ErkJggg",
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg-M_wHwAEAQH_cetG5QAAAABJRU5ErkJggg",
        "iVBORw0KGgoAAAANSUhEUgAAABAAAAAIAQAAAADYDUI6AAAAC0lEQVR42mNgQAAAAAwAAe_oMyUAAAAASUVORK5CYII",
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg-M_wHwAEAQH_cetH5QAAAABJRU5ErkJggng",
        // It ends within the pixels, and before its end.
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg-M_wHwAEAQH_",
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAQAAABeK7cBAAAADUlEQVR4nGNg-M_wHwAEAQH_cetH5Q",
        // Whole, but of 2,001 pixels in a line, and of more than a million.
        "iVBORw0KGgoAAAANSUhEUgAAB9EAAAABAQAAAABBRGPuAAAADElEQVR42mNgGLkAAAD8AAEy0wUiAAAAAElFTkSuQmCC",
        "iVBORw0KGgoAAAANSUhEUgAAA-kAAAPoAQAAAACKGoJ3AAAAkklEQVR42u3BMQEAAADCoPVPbQhfoAAAAAAAAAAAAAAAAAAAAAAA"
            + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD4D8CcAAbrI9xkAAAAASUVORK5CYII",
    ]

    @Test func `a drawing that is damaged or too large is refused, and one that is whole is printed`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        for damaged in Self.damagedDrawings {
            let form = try await signing.form(of: link, "Marie Curie", drawing: damaged)
            let refused = try await signing.post(link, form)
            #expect(refused.status == 400, "\(damaged)")
            #expect(refused.text.contains("role=\"alert\"") && refused.text.contains("effacez-le"), "\(refused.text)")
        }
        #expect(try await signing.row("signed_at IS NULL", from: "signatories") == "t")
        #expect(try await signing.row("drawing IS NULL", from: "signature_links") == "t")
        let signed = try await signing.sign(link, "Marie Curie", draws: true)
        #expect(signed.status == 200)
        let evidence = try await Self.evidence(signing, at: link)
        #expect(!evidence.contains("Sans tracé") && !evidence.contains("illisible"), "\(evidence)")
    }

    @Test func `who has read another sentence is asked to read again, and each one's own sentence is printed`()
        async throws
    {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie, Self.paul)
        let link = try await signing.link(to: Self.marie.email)
        let form = try await signing.form(of: link, "Marie Curie")
        for shown in ["", String(repeating: "0", count: 43)] {
            let answer = try await signing.post(link, Array(form.dropLast()) + [("shown", shown)])
            #expect(answer.status == 409)
            #expect(answer.text.contains("role=\"alert\"") && answer.text.contains("relisez"), "\(answer.text)")
            // The page shows what is to be read, and its form can be sent.
            #expect(answer.text.contains("name=\"shown\" value=\"\(form.last?.1 ?? "-")\""))
        }
        #expect(try await signing.row("count(signed_at)", from: "signatories") == "0")
        // As another version of the service has kept it.
        _ = try await signing.server.database.psql(
            """
            SELECT kernel.signature_sign(l.link_id, s.name, 'Bon pour accord.', '192.0.2.1', NULL, NULL, 'r')
            FROM kernel.signature_links l JOIN kernel.signatories s ON s.id = l.signatory_id
            WHERE s.email = '\(Self.paul.email)'
            """)
        let signed = try await signing.post(link, form)
        #expect(signed.status == 200)
        let evidence = try await Self.evidence(signing, at: link)
        #expect(evidence.contains("Bon pour accord."), "\(evidence)")
        #expect(evidence.contains("électroniquement."), "\(evidence)")
    }

    @Test func `the evidence has the name that was invited beside another one that signed`() async throws {
        let signing = try await SigningServer()
        _ = try await signing.ask(Self.marie, Self.paul)
        let marie = try await signing.link(to: Self.marie.email)
        let paul = try await signing.link(to: Self.paul.email)
        _ = try await signing.sign(marie, "Marie Curie")
        _ = try await signing.sign(paul, "Irène Joliot")
        let evidence = try await Self.evidence(signing, at: paul)
        #expect(evidence.contains("Irène Joliot") && evidence.contains("Paul Langevin"), "\(evidence)")
        #expect(evidence.count(of: "Demandé à") == 1 && evidence.count(of: "Marie Curie") == 1, "\(evidence)")
    }

    @Test func `names and browsers have no characters that change how the text around them is shown`() async throws {
        let signing = try await SigningServer()
        let params = signing.request([("Marie\u{202E}eiruC", Self.marie.email)])
        let refusal = try await signing.client.refusal("signatures.demander", params)
        #expect(refusal.at("/data/errors/0/path") == "/signataires", "\(refusal.json)")
        _ = try await signing.ask(Self.marie)
        let link = try await signing.link(to: Self.marie.email)
        for name in ["Marie\u{202E}eiruC", "Marie\u{200B}", "Ma\u{AD}rie", "\u{2066}Marie"] {
            let answer = try await signing.sign(link, name)
            #expect(answer.status == 400, "\(name)")
        }
        // Persian is written with the non-joiner.
        let signed = try await signing.sign(
            link, "می\u{200C}نا", headers: [("User-Agent", "Essai\u{202E}\u{200B} 1.0")])
        #expect(signed.status == 200)
        #expect(try await signing.row("signed_name, device", from: "signatories") == "می\u{200C}نا|Essai 1.0")
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
