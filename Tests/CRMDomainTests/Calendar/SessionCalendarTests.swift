import DomainKit
import Foundation
import JSON
import Testing

@testable import CRMDomain

/// What a calendar says, byte by byte. The tests of the server read calendars with libical.
struct SessionCalendarTests {
    private static let session: JSONValue = [
        "id": 12, "module": "Excel", "date": "2026-08-01", "debut": "13:30:00", "fin": "14:15:00", "duree_minutes": 45,
        "modalite": "D", "lieu": "À distance", "ref_contrat": nil, "version": 3,
        "created_at": "2026-01-05T09:30:00.25+01:00", "updated_at": "2026-02-28T23:30:00-01:00",
        "formateur": ["nom_complet": "Chloé Lefèvre"], "client": nil, "ecole": nil,
    ]

    /// Paris in the summer of 2026 and around it.
    private static let paris: JSONValue = [[0, 60], [1_774_746_000, 120], [1_792_890_000, 60]]

    private func text(_ sessions: [JSONValue], cancelled: [JSONValue] = []) -> String {
        String(
            decoding: SessionCalendar(.array(sessions), cancelled: .array(cancelled), in: Self.paris, [:]).bytes,
            as: UTF8.self)
    }

    @Test func `a session is an event with the time of its last change and its version`() throws {
        let text = text([Self.session])
        let start = try #require(text.firstRange(of: "BEGIN:VEVENT"))
        let event = text[start.lowerBound...].split(separator: "\r\n").map(String.init)
        #expect(
            event == [
                "BEGIN:VEVENT", "UID:session-12-20260105T083000Z@learntrack", "DTSTAMP:20260301T003000Z",
                "CREATED:20260105T083000Z", "LAST-MODIFIED:20260301T003000Z", "SEQUENCE:3", "STATUS:CONFIRMED",
                "DTSTART:20260801T113000Z", "DTEND:20260801T121500Z",
                "SUMMARY:Excel", "LOCATION:À distance",
                "DESCRIPTION:Excel\\n📅 samedi 1er août 2026\\, 13\u{A0}h\u{A0}30 – 14\u{A0}h\u{A0}15 (45",
                " \u{A0}min)\\n📍 Distanciel · À distance", "END:VEVENT", "END:VCALENDAR",
            ])
    }

    @Test func `the same sessions make the same bytes, the earliest first`() {
        var later = Self.session
        later = later.with(["id": 13, "date": "2026-08-02"])
        let text = text([later, Self.session])
        #expect(text == self.text([later, Self.session]))
        let ids = text.split(separator: "\r\n").filter { $0.hasPrefix("UID") }.map { $0.prefix(14) }
        #expect(ids == ["UID:session-12", "UID:session-13"])
    }

    @Test func `a calendar without sessions is valid, and its name says whose it is`() {
        #expect(text([]).hasSuffix("X-PUBLISHED-TTL:PT1H\r\nEND:VCALENDAR\r\n"))
        let own = SessionCalendar([Self.session], cancelled: [], in: Self.paris, ["formateur_id": 4, "client_id": nil])
        #expect(own.fileName == "Sessions – Chloé Lefèvre.ics")
        #expect(SessionCalendar([], cancelled: [], in: .null, ["formateur_id": 4]).fileName == "Sessions.ics")
    }

    @Test(arguments: [
        ("2026-03-29", "01:59", "20260329T005900Z"), ("2026-03-29", "03:00", "20260329T010000Z"),
        ("2026-10-25", "03:00", "20261025T020000Z"), ("2026-10-24", "23:30", "20261024T213000Z"),
        ("1999-01-01", "00:30", "19981231T233000Z"), ("2031-02-28", "09:00", "20310228T080000Z"),
        ("2024-02-29", "00:00", "20240228T230000Z"),
    ])
    func `a time of the zone is an instant, on both sides of its changes`(
        day: String, time: String, expected: String
    ) throws {
        let date = try #require(CalendarDate(day))
        let clock = try #require(ClockTime(time))
        #expect(ZoneOffsets(Self.paris).instant(date, clock)?.text == expected)
    }

    @Test(
        arguments: [
            ("2026-01-05T00:30:00.25+01:00", "20260104T233000Z"), ("2026-12-31T23:30:00-05:30", "20270101T050000Z"),
            ("2024-03-01T00:00:00+02", "20240229T220000Z"), ("2026-01-05T08:30:00Z", "20260105T083000Z"),
            ("2026-01-05 08:30:00Z", nil), ("2026-01-05T08:30:00", nil), ("", nil),
        ] as [(String, String?)])
    func `instants are written in universal time`(text: String, expected: String?) {
        #expect(Instant(text)?.text == expected)
    }

    @Test func `a line ends between two characters before its 76th byte`() {
        for text in [
            String(repeating: "a", count: 200), String(repeating: "é", count: 200), String(repeating: "😀", count: 99),
        ] {
            for shift in 0..<5 {
                var writer = ICalendarWriter()
                writer.add("X", text: String(repeating: "b", count: shift) + text)
                let lines = String(decoding: writer.bytes, as: UTF8.self).components(separatedBy: "\r\n")
                #expect(lines.allSatisfy { $0.utf8.count <= 75 && !$0.contains("\u{FFFD}") })
                let unfolded = lines[0] + lines.dropFirst().dropLast().map { $0.dropFirst() }.joined()
                #expect(unfolded == "X:" + String(repeating: "b", count: shift) + text)
            }
        }
    }

    @Test func `texts are escaped, and have no control characters`() {
        #expect(
            ICalendarWriter.escaped("a\\b;c,d:\"e\"\r\nf\ng\rh\u{0}\u{7}i\tj") == "a\\\\b\\;c\\,d:\"e\"\\nf\\ng\\nhi\tj"
        )
    }
}
