import DomainKit
import JSON
import Testing

/// SMS are short, and in GSM-7 if their words allow it.
@Suite struct SMSTests {
    /// The basic alphabet of GSM 03.38 with its extension.
    static let gsm7 = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑܧ¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€").unicodeScalars)

    @Test(arguments: SharedSessions.audiences)
    func `the words of the format are in GSM-7 on every day of the week in every month`(audience: String) throws {
        for month in 1...12 {
            for day in 1...7 {
                let date = "2026-\(month < 10 ? "0" : "")\(month)-0\(day)"
                for record in [SharedSessions.complete, SharedSessions.least] {
                    let text = try SharedSessions.text(record.with(["date": .string(date)]), "sms", audience)
                    #expect(text.unicodeScalars.allSatisfy(Self.gsm7.contains), "\(text)")
                    #expect(text.count <= 306)
                }
            }
        }
    }

    @Test(arguments: [
        ("L’été – l’heure… «\u{A0}oui\u{A0}» “non”", "L'été - l'heure... \" oui \" \"non\""),
        ("🚀 SwiftUI ❤️ avancé 👨‍👩‍👧", "SwiftUI avancé"), ("Gâteaux de Noël", "Gâteaux de Noël"),
        ("9\u{202F}h\u{2009}30", "9 h 30"),
        ("a\u{200B}b\u{AD}c", "abc"), ("🚀", "🚀"),
    ])
    func `typographic characters are replaced by ASCII, words are not changed`(typed: String, simple: String) throws {
        let lines = try SharedSessions.text(SharedSessions.complete.with(["module": .string(typed)]), "sms")
            .split(separator: "\n")
        #expect(lines.first.map(String.init) == simple)
    }

    @Test func `a long title and a long place are cut`() throws {
        let record = SharedSessions.complete.with([
            "module": .string(String(repeating: "m", count: 500)), "lieu": .string(String(repeating: "l", count: 9000)),
        ])
        let lines = try SharedSessions.text(record, "sms").split(separator: "\n")
        #expect(lines[0] == String(repeating: "m", count: 97) + "...")
        #expect(lines[2] == "Présentiel, " + String(repeating: "l", count: 97) + "...")
    }

    @Test func `the room of a remote session is kept`() throws {
        let text = try SharedSessions.text(SharedSessions.least.with(["lieu": "Salle Zoom 3"]), "sms")
        #expect(text.contains("\nDistanciel, Salle Zoom 3"))
    }
}
