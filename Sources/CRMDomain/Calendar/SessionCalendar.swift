import DomainKit
import JSON

/// Sessions as a calendar (iCalendar, RFC 5545) that Apple's, Google's and Microsoft's calendars read. It has no prices.
struct SessionCalendar {
    /// What is loaded of each session. The prices are missing, so no text can reveal them.
    static let selection = """
        {
          id module date debut fin duree_minutes modalite lieu ref_contrat version created_at updated_at
          formateur { nom_complet } client { raison_sociale } ecole { nom }
        }
        """

    /// What is loaded of each session that was deleted.
    static let cancelledSelection = """
        { id: session_id module date debut fin modalite lieu version created_at annulee_le }
        """

    private static let timeZone = "Europe/Paris"

    /// In the order of their dates.
    private let sessions: [JSONValue]
    private let cancelled: [JSONValue]
    private let name: String

    /// - Parameters:
    ///   - sessions: in the form of ``selection``, the latest first.
    ///   - cancelled: in the form of ``cancelledSelection``.
    ///   - parameters: those of `sessions.calendrier`.
    init(_ sessions: JSONValue, cancelled: JSONValue, _ parameters: [String: JSONValue]) {
        let sessions = Array(sessions.elements.reversed())
        self.sessions = sessions
        self.cancelled = cancelled.elements
        let owners: [(parameter: String, relation: String, name: String)] = [
            ("formateur_id", "formateur", "nom_complet"), ("client_id", "client", "raison_sociale"),
            ("ecole_id", "ecole", "nom"),
        ]
        let names = owners.compactMap { (parameter, relation, name) -> String? in
            guard let given = parameters[parameter], !given.isNull else { return nil }
            return sessions.lazy.compactMap { $0[relation]?[name]?.text }.first
        }
        self.name = (["Sessions"] + names).joined(separator: " – ")
    }

    /// `Sessions – Chloé Lefèvre.ics`.
    var fileName: String { name + ".ics" }

    var bytes: [UInt8] {
        var writer = ICalendarWriter()
        writer.component("VCALENDAR") { calendar in
            calendar.add("VERSION", "2.0")
            calendar.add("PRODID", "-//LearnTrack//Calendrier des sessions//FR")
            calendar.add("CALSCALE", "GREGORIAN")
            // RFC 7986, and what older programs read.
            calendar.add("NAME", text: name)
            calendar.add("X-WR-CALNAME", text: name)
            calendar.add("REFRESH-INTERVAL;VALUE=DURATION", "PT1H")
            calendar.add("X-PUBLISHED-TTL", "PT1H")
            Self.writeTimeZone(&calendar)
            for session in sessions { Self.writeEvent(session, isCancelled: false, &calendar) }
            for session in cancelled { Self.writeEvent(session, isCancelled: true, &calendar) }
        }
        return writer.bytes
    }

    /// The rules of the European Union since 1996.
    private static func writeTimeZone(_ calendar: inout ICalendarWriter) {
        calendar.component("VTIMEZONE") { zone in
            zone.add("TZID", timeZone)
            zone.component("DAYLIGHT") { summer in
                summer.add("TZOFFSETFROM", "+0100")
                summer.add("TZOFFSETTO", "+0200")
                summer.add("TZNAME", "CEST")
                summer.add("DTSTART", "19960331T020000")
                summer.add("RRULE", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU")
            }
            zone.component("STANDARD") { winter in
                winter.add("TZOFFSETFROM", "+0200")
                winter.add("TZOFFSETTO", "+0100")
                winter.add("TZNAME", "CET")
                winter.add("DTSTART", "19961027T030000")
                winter.add("RRULE", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU")
            }
        }
    }

    private static func writeEvent(
        _ session: JSONValue, isCancelled: Bool, _ calendar: inout ICalendarWriter
    ) {
        let shared = SharedSession(session, for: .client)
        guard let id = session["id"]?.integer, let date = shared.date, let times = shared.times,
            let created = session["created_at"]?.text.flatMap({ Instant($0) }),
            let changed = (session["updated_at"] ?? session["annulee_le"])?.text.flatMap({ Instant($0) }),
            let version = session["version"]?.integer
        else { return }
        calendar.component("VEVENT") { event in
            // Two installations have a session 1 each, but did not create it in the same second.
            event.add("UID", "session-\(id)-\(created.text)@learntrack")
            // Without a method, the time of the last change (section 3.8.7.2). So the same sessions make the same bytes.
            event.add("DTSTAMP", changed.text)
            event.add("CREATED", created.text)
            event.add("LAST-MODIFIED", changed.text)
            // Deleting a session changes it once more.
            event.add("SEQUENCE", String(isCancelled ? version + 1 : version))
            event.add("STATUS", isCancelled ? "CANCELLED" : "CONFIRMED")
            event.add("DTSTART;TZID=\(timeZone)", date.basic + "T" + times.debut.basic)
            event.add("DTEND;TZID=\(timeZone)", date.basic + "T" + times.fin.basic)
            event.add("SUMMARY", text: shared.module)
            if let lieu = shared.lieu { event.add("LOCATION", text: lieu) }
            event.add("DESCRIPTION", text: shared.plainText().text)
        }
    }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var integer: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }
}
