import CRMDomain
import DomainKit
import Foundation
import JSON
import PDF
import TestPDF
import TestSupport
import Testing

/// The page of evidence of a signed document.
@Suite struct SignatureEvidenceTests {
    @Test func `the page says who signed, when and from where, and the digest of what was shown`() async throws {
        let digest = String(repeating: "9f86d081", count: 8)
        let evidence = SignatureEvidence(
            document: "Convention CT-2026-014", sha256: digest,
            signers: [
                .init(
                    name: "Jean-Noël Lefèvre", invitedName: "Jean-Noël Lefèvre", email: "achats@client.example",
                    signedAt: "2026-07-20T14:05:09.222+02:00", consent: Self.consent, address: "203.0.113.7",
                    drawing: .strokes([[PDFPoint(0, 0), PDFPoint(90, 40), PDFPoint(180, 0)]])),
                .init(
                    name: "Marie Curie", invitedName: "Marie Skłodowska", email: "marie@formations.example",
                    signedAt: "2026-07-21T09:15:00+02:00", consent: Self.consent, address: "2001:db8::1",
                    drawing: .png([1, 2, 3])),
            ])
        let bytes = try evidence.bytes(organisme: DocumentRecords.organisme)
        let again = try evidence.bytes(organisme: DocumentRecords.organisme)
        #expect(bytes == again)
        let pdf = try await ReadPDF(bytes)
        for phrase in [
            "Certificat de signature électronique", "Convention CT-2026-014", "9f86d081 9f86d081",
            "« J’accepte les termes de ce document. »", "Jean-Noël Lefèvre", "achats@client.example",
            "lundi 20 juillet 2026, 14:05:09 (UTC+02:00)", "203.0.113.7", "2001:db8::1", "Marie Skłodowska",
            "Tracé illisible",
        ] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        #expect(pdf.plainText.ranges(of: "Consentement").count == 1)
        #expect(pdf.plainText.ranges(of: "Jean-Noël Lefèvre").count == 1)
        pdf.expectTidyLayout()
    }

    private static let consent = "J’accepte les termes de ce document."

    @Test func `signers who agreed to different sentences have their own each, and an unknown address is named so`()
        async throws
    {
        func signer(_ name: String, _ consent: String, _ address: String?) -> SignatureEvidence.Signer {
            .init(
                name: name, invitedName: name, email: "un@exemple.fr", signedAt: "2026-07-21T09:15:00+02:00",
                consent: consent, address: address, drawing: nil)
        }
        let evidence = SignatureEvidence(
            document: "Convention", sha256: String(repeating: "9f86d081", count: 8),
            signers: [signer("Marie Curie", "Je signe.", "203.0.113.7"), signer("Paul Langevin", "J’accepte.", nil)])
        let pdf = try await ReadPDF(try evidence.bytes(organisme: DocumentRecords.organisme))
        #expect(pdf.plainText.ranges(of: "Consentement").count == 2)
        for phrase in ["« Je signe. »", "« J’accepte. »", "inconnue"] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        pdf.expectTidyLayout()
    }

    @Test func `a contract that was signed has each signature in the frame of its party, and no lines to fill in`()
        async throws
    {
        let terms = try #require(CRM.domain.signatures.first)
        for (method, other, name) in [
            ("sessions.convention", "client", "Boulangeries du Val de Loire"),
            ("sessions.contrat_formateur", "formateur", "Élodie Dupont"),
        ] {
            let loaded: [JSONValue] = [DocumentRecords.session, [DocumentRecords.organisme], .null]
            let render = try #require(terms.render)
            let shown = try render(method, ["organisme", other], loaded).bytes
            let empty = try await ReadPDF(shown)
            #expect(!empty.text.contains("……") && empty.plainText.contains("voie électronique"))
            func signatory(_ name: String, _ capacity: String?) -> SignedDocument.Signatory {
                .init(
                    name: name, invitedName: name, email: "un@exemple.fr", capacity: capacity,
                    signedAt: "2026-07-20T14:05:09+02:00", consent: Self.consent, address: nil, device: nil,
                    drawing: nil)
            }
            func signed(_ signatories: SignedDocument.Signatory...) async throws -> ReadPDF {
                let document = SignedDocument(
                    method: method, name: "Contrat.pdf", sha256: String(repeating: "9f86d081", count: 8),
                    signatories: signatories)
                return try await ReadPDF(shown + terms.seal(shown, document, Array(loaded.dropFirst())))
            }
            func left(of word: String, _ pdf: ReadPDF) -> Double? {
                pdf.pages[pdf.pages.count - 2].words.last { $0.text == word }?.left
            }
            // The organisation's frame is the left one.
            let both = try await signed(signatory("Primus", "organisme"), signatory("Secundus", other))
            #expect(try #require(left(of: "Primus", both)) < 200)
            #expect(try #require(left(of: "Secundus", both)) > 300)
            let page = both.text(ofPage: both.pages.count - 2).replacing("\u{A0}", with: " ")
            #expect(page.contains(name) && page.ranges(of: "20 juillet 2026 à 14 h 05").count == 2, "\(page)")
            let number = both.pages.count
            #expect(both.plainText.contains("Page \(number) sur \(number)"))
            #expect(both.plainText.contains("Signe pour : l’organisme de formation"))
            // Who has not said it signs for the other party first.
            let alone = try await signed(signatory("Primus", nil))
            #expect(try #require(left(of: "Primus", alone)) > 300)
            #expect(alone.plainText.contains("Non signé par voie électronique."))
            // The page of evidence says it as well.
            #expect(alone.plainText.contains("Signe pour : le \(other)"), "\(alone.plainText)")
        }
    }

    /// - Parameter rendered: how many signatories the document was shown to, if not all of these.
    private static func signed(
        for capacities: [String?], rendered: Int? = nil
    ) async throws -> (pdf: ReadPDF, frames: Int) {
        let terms = try #require(CRM.domain.signatures.first)
        let loaded: [JSONValue] = [DocumentRecords.session, [DocumentRecords.organisme], .null]
        let render = try #require(terms.render)
        let method = "sessions.convention"
        let shown = try render(method, Array(capacities.prefix(rendered ?? capacities.count)), loaded).bytes
        let drawing = try Data(contentsOf: URL(filePath: try ProjectFiles.root() + "/Tests/Cases/logo.png"))
        let document = SignedDocument(
            method: method, name: "Contrat.pdf", sha256: String(repeating: "9f86d081", count: 8),
            signatories: capacities.enumerated().map { index, capacity in
                .init(
                    name: "Prénom Signataire\(index + 1)", invitedName: "Prénom Signataire\(index + 1)",
                    email: "un@exemple.fr", capacity: capacity, signedAt: "2026-07-20T14:05:09+02:00",
                    consent: consent, address: nil, device: nil, drawing: [UInt8](drawing))
            })
        let pdf = try await ReadPDF(shown + terms.seal(shown, document, Array(loaded.dropFirst())))
        pdf.expectTidyLayout()
        // The contract has one page or two, the evidence as many as it needs.
        let frames = try #require(pdf.pages.lastIndex { $0.words.contains { $0.text == "exemplaire." } })
        return (pdf, frames)
    }

    @Test(arguments: [2, 3, 4])
    func `several people who sign for one party have their drawings, names and dates in its frame`(count: Int)
        async throws
    {
        let (pdf, page) = try await Self.signed(for: ["organisme"] + Array(repeating: "client", count: count))
        for number in 2...count + 1 {
            let name = try #require(pdf.pages[page].words.last { $0.text == "Signataire\(number)" })
            #expect(name.left > 300, "\(name)")
        }
        #expect(pdf.text(ofPage: page).ranges(of: "Signé électroniquement").count == count + 1)
        #expect(try await pdf.images(onPage: page) == count + 1)
    }

    @Test func `more people than a frame has room for are on the page of evidence, and the frame says so`() async throws
    {
        let (pdf, page) = try await Self.signed(for: ["organisme"] + Array(repeating: "client", count: 6))
        let text = pdf.text(ofPage: page)
        #expect(text.contains("et 2 autres, voir la dernière page"), "\(text)")
        #expect(text.contains("Signataire5") && !text.contains("Signataire6"), "\(text)")
        #expect(pdf.plainText.contains("Signataire7"))
    }

    @Test func `whoever has not said it signs for the parties that are left, and then for the client`() async throws {
        let (pdf, page) = try await Self.signed(for: [nil, nil, nil])
        for (name, isLeft) in [("Signataire1", false), ("Signataire2", true), ("Signataire3", false)] {
            let word = try #require(pdf.pages[page].words.last { $0.text == name })
            #expect((word.left < 300) == isLeft, "\(word)")
        }
    }

    /// Its frames have room for one signature.
    @Test func `in a contract that was shown by an earlier version names stand, and as many as there is room for`()
        async throws
    {
        for (count, note) in [(2, nil), (3, "et 1 autre, voir"), (5, "et 3 autres, voir")] {
            let (pdf, page) = try await Self.signed(for: Array(repeating: "client", count: count), rendered: 1)
            let text = pdf.text(ofPage: page)
            #expect(text.contains("Signataire1") && text.contains("Signataire2"), "\(text)")
            #expect(
                text.contains("Signataire3") == false && text.contains("voir la dernière") == (note != nil), "\(text)")
            if let note { #expect(text.contains(note), "\(text)") }
        }
    }

    @Test(arguments: ["png", "svg"])
    func `the page has the letterhead of the document, with the logo`(kind: String) async throws {
        let evidence = SignatureEvidence(
            document: "Convention CT-2026-014", sha256: String(repeating: "9f86d081", count: 8),
            signers: [])
        let logo = try Data(contentsOf: URL(filePath: try ProjectFiles.root() + "/Tests/Cases/logo.\(kind)"))
        let text = logo.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
        let plain = try await ReadPDF(try evidence.bytes(organisme: DocumentRecords.organisme))
        let pdf = try await ReadPDF(
            try evidence.bytes(organisme: DocumentRecords.organisme, logo: .string(text)))
        let dark = try await pdf.darknessOfLogo(onPage: 0)
        let light = try await plain.darknessOfLogo(onPage: 0)
        #expect(dark > light + 200, "\(dark) and \(light)")
        #expect(pdf.plainText.contains("Formations du Centre SAS"))
        pdf.expectTidyLayout()
    }
}
