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

    /// Paris in 2026 and around it.
    private static let paris: JSONValue = [
        "name": "Europe/Paris",
        "changes": [
            ["1970-01-01T00:00:00", 60], ["2025-10-26T03:00:00", 60], ["2026-03-29T02:00:00", 120],
            ["2026-10-25T03:00:00", 60], ["2027-03-28T02:00:00", 120],
        ],
    ]

    private func text(
        _ sessions: [JSONValue], cancelled: [JSONValue] = [], in zone: JSONValue = Self.paris
    ) -> String {
        String(
            decoding: SessionCalendar(.array(sessions), cancelled: .array(cancelled), in: zone, [:]).bytes,
            as: UTF8.self)
    }

    /// The lines of the time zone, its beginning and its end left out.
    private func zone(of text: String) throws -> [String] {
        let start = try #require(text.firstRange(of: "BEGIN:VTIMEZONE\r\n"))
        let end = try #require(text.firstRange(of: "END:VTIMEZONE"))
        return text[start.upperBound..<end.lowerBound].split(separator: "\r\n").map(String.init)
    }

    @Test func `a session is an event with the time of its last change and its version`() throws {
        let text = text([Self.session])
        let start = try #require(text.firstRange(of: "BEGIN:VEVENT"))
        let event = text[start.lowerBound...].split(separator: "\r\n").map(String.init)
        #expect(
            event == [
                "BEGIN:VEVENT", "UID:session-12-20260105T083000Z@learntrack", "DTSTAMP:20260301T003000Z",
                "CREATED:20260105T083000Z", "LAST-MODIFIED:20260301T003000Z", "SEQUENCE:3", "STATUS:CONFIRMED",
                "DTSTART;TZID=Europe/Paris:20260801T133000", "DTEND;TZID=Europe/Paris:20260801T141500",
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
        #expect(text([]).hasSuffix("END:VTIMEZONE\r\nEND:VCALENDAR\r\n"))
        let own = SessionCalendar([Self.session], cancelled: [], in: Self.paris, ["formateur_id": 4, "client_id": nil])
        #expect(own.fileName == "Sessions – Chloé Lefèvre.ics")
        #expect(SessionCalendar([], cancelled: [], in: .null, ["formateur_id": 4]).fileName == "Sessions.ics")
    }

    @Test func `a calendar describes the changes of the clocks around its events`() throws {
        #expect(
            try zone(of: text([Self.session])) == [
                "TZID:Europe/Paris", "BEGIN:DAYLIGHT", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
                "DTSTART:20260329T020000", "END:DAYLIGHT",
            ])
        let winter = Self.session.with(["id": 13, "date": "2026-10-25"])
        #expect(
            try zone(of: text([winter, Self.session])).filter { $0.hasPrefix("DTSTART") } == [
                "DTSTART:20260329T020000", "DTSTART:20261025T030000",
            ])
    }

    @Test(
        arguments: [
            (["name": "Indian/Reunion", "changes": [["1970-01-01T00:00:00", 240]]], "Indian/Reunion", "+0400"),
            (["name": "America/St_Johns", "changes": [["1970-01-01T00:00:00", -210]]], "America/St_Johns", "-0330"),
            (["name": "<+04>-4,M3.5.0", "changes": [["1970-01-01T00:00:00", 240]]], "LearnTrack", "+0400"),
        ] as [(JSONValue, String, String)])
    func `a zone without changes has one offset`(zone: JSONValue, name: String, offset: String) throws {
        let text = text([Self.session], in: zone)
        #expect(
            try self.zone(of: text) == [
                "TZID:\(name)", "BEGIN:STANDARD", "TZOFFSETFROM:\(offset)", "TZOFFSETTO:\(offset)",
                "DTSTART:19700101T000000", "END:STANDARD",
            ])
        #expect(text.contains("DTSTART;TZID=\(name):20260801T133000\r\n"))
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
