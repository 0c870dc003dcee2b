import CRMDomain
import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// `sessions.share` (SHARE-01 … 05).
@Suite struct ShareTests {
    @Test(arguments: SharedSessions.formats, SharedSessions.audiences)
    func `every format has its golden text for every audience`(format: String, audience: String) throws {
        let complete = try SharedSessions.share(SharedSessions.complete, format, audience)
        try Goldens.expect(complete.asGolden, toMatch: "share-\(format)-\(audience).txt", of: "CRMDomainTests")
        let least = try SharedSessions.share(SharedSessions.least, format, audience)
        try Goldens.expect(least.asGolden, toMatch: "share-\(format)-\(audience)-least.txt", of: "CRMDomainTests")
    }

    @Test func `the example of the specification is reproduced byte for byte (SHARE-02)`() throws {
        let thin = "\u{202F}"
        let fixed = "\u{A0}"
        let text = try SharedSessions.text(SharedSessions.complete)
        let expected = """
            SwiftUI avancé
            📅 lundi 12 janvier 2026, 9\(fixed)h – 17\(fixed)h (8\(fixed)h)
            📍 Présentiel · 12 rue de la Paix, 75002 Paris
            💶 Tarif\(thin): 450,00\(thin)€ + frais 80,00\(thin)€
            Réf. CT-2026-014
            """
        #expect(Array(text.utf8) == Array(expected.utf8))
    }

    @Test func `only an administrator shares internally`() throws {
        let method = try SharedSessions.method()
        #expect(!method.allows(.user, ["audience": "interne"]))
        #expect(method.allows(.admin, ["audience": "interne"]))
        for audience in ["formateur", "client"] {
            #expect(method.allows(.user, ["audience": .string(audience)]))
        }
        #expect(method.allows(.user, [:]))
    }

    @Test func `without parameters the result is a text for the trainer`() throws {
        let method = try SharedSessions.method()
        #expect(
            try SharedSessions.answer(SharedSessions.complete, [:])
                == (try SharedSessions.share(SharedSessions.complete, "text", "formateur")))
        #expect(method.parameters.map(\.defaultValue) == ["text", "formateur"])
        #expect(
            method.parameters.map { parameter in
                guard case .choice(let choices) = parameter.type else { return [] }
                return choices.words
            } == [SharedSessions.formats, SharedSessions.audiences])
    }

    @Test func `the selection contains every field that the texts use, and no unknown one`() throws {
        let selection = try #require(SharedSessions.method().loads.first?.selection)
        let words = Set(selection.split { !$0.isLetter && $0 != "_" }.map(String.init))
        guard case .object(let session) = SharedSessions.complete else { return }
        for member in session.members {
            #expect(words.contains(member.name))
            if case .object(let related) = member.value {
                for field in related.members { #expect(words.contains(field.name)) }
            }
        }
        let sessions = try #require(CRM.domain.entity(named: "sessions"))
        for word in words.subtracting(["email", "telephone_uri"]) {
            #expect(sessions.selectableNames.contains(word), "\(word)")
        }
    }

    @Test(arguments: SharedSessions.formats)
    func `a line without a value is omitted`(format: String) throws {
        let bare = SharedSessions.complete.with([
            "lieu": "  \n ", "tarif_sous_traitant": nil, "frais_rembourser": nil, "ref_contrat": "",
        ])
        let text = try SharedSessions.text(bare, format)
        #expect(!text.contains("Tarif") && !text.contains("Réf") && !text.contains("€") && !text.contains("null"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A mail has a greeting and a closing, each with a blank line.
        let first = format == "email" ? 2 : 0
        #expect(lines.count == 3 + 2 * first)
        #expect(lines[first + 2].hasSuffix("Présentiel"))
    }

    @Test func `expenses without a fee have a line of their own`() throws {
        let text = try SharedSessions.text(SharedSessions.complete.with(["tarif_sous_traitant": nil]))
        #expect(text.contains("💶 Frais\u{202F}: 80,00\u{202F}€\n"))
        #expect(!text.contains("Tarif"))
    }

    @Test func `a negative margin has a minus sign`() throws {
        let loss = SharedSessions.complete.with(["marge": .number("-1234.50")])
        #expect(try SharedSessions.text(loss, "text", "interne").contains("Marge\u{202F}: \u{2212}1\u{202F}234,50"))
        #expect(try SharedSessions.text(loss, "sms", "interne").contains("Marge : -1 234,50 €"))
    }

    @Test func `several lines of a place or a title are joined into one`() throws {
        let text = try SharedSessions.text(
            SharedSessions.complete.with([
                "module": "Swift\r\n  avancé\u{0B}", "lieu": "12 rue de la Paix\n\n75002 Paris ",
            ]))
        #expect(text.hasPrefix("Swift avancé\n📅"))
        #expect(text.contains("· 12 rue de la Paix, 75002 Paris\n"))
    }
}
