import DomainKit
import JSON
import Testing

/// French typography in shared texts.
@Suite struct TypographyTests {
    @Test(arguments: [
        ("2026-01-01", "jeudi 1er janvier 2026"), ("2026-02-02", "lundi 2 février 2026"),
        ("2026-03-31", "mardi 31 mars 2026"), ("2026-08-15", "samedi 15 août 2026"),
        ("2028-02-29", "mardi 29 février 2028"), ("2026-12-25", "vendredi 25 décembre 2026"),
        ("2026-11-21", "samedi 21 novembre 2026"), ("2026-06-10", "mercredi 10 juin 2026"),
        ("2026-10-04", "dimanche 4 octobre 2026"),
    ])
    func `days are written in words, in lower case`(date: String, french: String) throws {
        let text = try SharedSessions.text(SharedSessions.complete.with(["date": .string(date)]))
        #expect(text.contains("📅 \(french), "))
    }

    @Test(arguments: [
        ("09:00:00", "09:45:00", 45, "9_h – 9_h_45 (45_min)"),
        ("08:05:00", "16:30:00", 505, "8_h_05 – 16_h_30 (8_h_25)"),
        ("00:00:00", "23:59:00", 1439, "0_h – 23_h_59 (23_h_59)"), ("09:00:00", "10:00:00", 60, "9_h – 10_h (1_h)"),
        ("09:00:00", "10:05:00", 65, "9_h – 10_h_05 (1_h_05)"), ("09:00:00", "09:00:30", 0, "9_h – 9_h"),
    ])
    func `times and lengths have no-break spaces around h`(
        debut: String, fin: String, minutes: Int, french: String
    ) throws {
        let text = try SharedSessions.text(
            SharedSessions.complete.with([
                "debut": .string(debut), "fin": .string(fin), "duree_minutes": .number(String(minutes)),
            ]))
        #expect(text.contains(", \(french.replacing("_", with: "\u{A0}"))\n"))
    }

    @Test(arguments: [
        ("0", "0,00"), ("0.50", "0,50"), ("5", "5,00"), ("999.99", "999,99"), ("1000.00", "1_000,00"),
        ("1200.5", "1_200,50"), ("12345.00", "12_345,00"), ("99999999.99", "99_999_999,99"),
    ])
    func `amounts have a comma, two decimals and narrow no-break spaces`(digits: String, french: String) throws {
        let text = try SharedSessions.text(
            SharedSessions.complete.with(["tarif_client": .number(digits)]), "text", "client")
        #expect(text.contains("Tarif\u{202F}: \(french.replacing("_", with: "\u{202F}"))\u{202F}€\n"))
    }
}
