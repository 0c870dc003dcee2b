import DomainKit
import JSON
import Testing

/// Escaping for Discord (SHARE-03, US-16).
@Suite struct DiscordTests {
    @Test(arguments: [
        ("*x*", #"\*x\*"#), ("_x_ __y__", #"\_x\_ \_\_y\_\_"#), ("~~x~~", #"\~\~x\~\~"#), ("`x`", #"\`x\`"#),
        ("||x||", #"\|\|x\|\|"#), ("[x](https://exemple.fr)", #"\[x\](https://exemple.fr)"#), ("# x", "\\# x"),
        ("> x", #"\> x"#), ("- x", #"\- x"#), (#"\*x"#, #"\\\*x"#), ("C# > C++ - 2", "C# > C++ - 2"),
        ("@everyone", "@\u{200B}everyone"), ("@here", "@\u{200B}here"), ("<@123>", "\\<@\u{200B}123>"),
        ("<@&123>", "\\<@\u{200B}&123>"), ("<#123>", "\\<#123>"), ("<:x:1>", "\\<:x:1>"),
        ("a@b@c", "a@\u{200B}b@\u{200B}c"), ("@", "@\u{200B}"), ("Été 🚀", "Été 🚀"),
    ])
    func `Markdown and mentions that users typed have no effect`(typed: String, escaped: String) throws {
        let content = JSONValue.string(typed)
        let record = SharedSessions.complete.with(["module": content, "lieu": content, "ref_contrat": content])
        let lines = try SharedSessions.text(record, "discord").split(separator: "\n")
        #expect(lines.first == "**\(escaped)**")
        #expect(lines[2] == "📍 Présentiel · \(escaped)")
        #expect(lines.last == "Réf. \(escaped)")
    }

    @Test func `the title contains no mention`() throws {
        let answer = try SharedSessions.share(SharedSessions.complete.with(["module": "@here"]), "discord", "client")
        #expect(answer["title"] == "@\u{200B}here")
    }

    @Test(arguments: ["*", "@", "🚀", "é", "e\u{301}", "👨‍👩‍👧", "\\"], SharedSessions.audiences)
    func `a message has at most 2,000 characters, and its place is not cut within an escape`(
        unit: String, audience: String
    ) throws {
        let record = SharedSessions.complete.with([
            "module": .string(String(String(repeating: unit, count: 500).unicodeScalars.prefix(500))),
            "lieu": .string(String(repeating: unit, count: 5000)),
            "ref_contrat": .string(String(String(repeating: unit, count: 100).unicodeScalars.prefix(100))),
            "tarif_client": .number("99999999.99"), "tarif_sous_traitant": .number("99999999.99"),
            "frais_rembourser": .number("99999999.99"), "marge": .number("-99999999.99"), "date": "9999-09-22",
        ])
        let text = try SharedSessions.text(record, "discord", audience)
        #expect(text.utf16.count <= 2000)
        #expect(text.utf16.count > 1980)
        let lines = text.split(separator: "\n")
        let place = try #require(lines.first { $0.hasPrefix("📍") })
        #expect(place.hasSuffix("…"))
        // An escape that was cut in two would leave an odd number of backslashes before the ellipsis.
        let backslashes = place.dropLast().reversed().prefix { $0 == "\\" }.count
        #expect(backslashes.isMultiple(of: 2))
        #expect(lines.last?.hasPrefix("Réf. ") == true)
    }

    @Test func `a place that just fits is not cut`() throws {
        let empty = try SharedSessions.text(SharedSessions.complete.with(["lieu": "x"]), "discord").utf16.count - 1
        let fitting = String(repeating: "x", count: 2000 - empty)
        let whole = try SharedSessions.text(SharedSessions.complete.with(["lieu": .string(fitting)]), "discord")
        #expect(whole.utf16.count == 2000 && !whole.contains("…"))
        let clipped = try SharedSessions.text(SharedSessions.complete.with(["lieu": .string(fitting + "x")]), "discord")
        #expect(clipped.utf16.count == 2000 && clipped.contains("x…\n"))
    }
}
