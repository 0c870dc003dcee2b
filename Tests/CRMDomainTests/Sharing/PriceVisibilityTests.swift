import DomainKit
import Foundation
import JSON
import Testing

@Suite struct `No price reaches a reader it is not for` {
    static let amounts = [
        "tarif_client": "1111.11", "tarif_sous_traitant": "777.77", "frais_rembourser": "55.55",
        "marge": "277.79",
    ]
    static let visible = [
        "formateur": ["tarif_sous_traitant", "frais_rembourser"], "client": ["tarif_client"],
        "interne": ["tarif_client", "tarif_sous_traitant", "frais_rembourser", "marge"],
    ]

    @Test(arguments: SharedSessions.formats, SharedSessions.audiences)
    func `each audience sees its own prices in every format, and no others`(format: String, audience: String) throws {
        let record = priced(without: [])
        let content = try everything(SharedSessions.share(record, format, audience))
        let visible = try #require(Self.visible[audience])
        for (column, amount) in Self.amounts {
            #expect(content.contains(digits(amount)) == visible.contains(column), "\(column) in \(content)")
        }
    }

    @Test(arguments: SharedSessions.formats, SharedSessions.audiences)
    func `a missing price is not replaced by another`(format: String, audience: String) throws {
        let visible = try #require(Self.visible[audience])
        let content = try everything(SharedSessions.share(priced(without: visible), format, audience))
        for amount in Self.amounts.values { #expect(!content.contains(digits(amount))) }
        #expect(!content.contains("€") && !content.contains("Tarif"))
    }

    @Test(arguments: SharedSessions.formats)
    func `the text contains no address but that of the audience`(format: String) throws {
        for (audience, own) in ["formateur": ("elodie", "612345678"), "client": ("achats", "140000000")] {
            let other = audience == "client" ? ("elodie", "612345678") : ("achats", "140000000")
            let content = try everything(SharedSessions.share(SharedSessions.complete, format, audience))
            #expect(!content.contains(other.0) && !content.contains(other.1))
            if format == "email" { #expect(content.contains(own.0)) }
            if format == "sms" { #expect(content.contains(own.1)) }
        }
        let content = try everything(SharedSessions.share(SharedSessions.complete, format, "interne"))
        #expect(!content.contains("elodie") && !content.contains("achats"))
        #expect(!content.contains("612345678") && !content.contains("140000000"))
    }

    private func priced(without columns: [String]) -> JSONValue {
        var record = SharedSessions.complete
        for (column, amount) in Self.amounts {
            record = record.with([column: columns.contains(column) ? .null : .number(amount)])
        }
        return record
    }

    /// The amount as it occurs in `everything`, from which all spaces are removed.
    private func digits(_ amount: String) -> String {
        amount.replacing(".", with: ",")
    }

    private func everything(_ answer: JSONValue) throws -> String {
        let decoded = try #require(answer.asGolden.removingPercentEncoding)
        return decoded.filter { !$0.isWhitespace }
    }
}
