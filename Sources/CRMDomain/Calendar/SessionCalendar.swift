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

    /// In the order of their dates.
    private let sessions: [JSONValue]
    private let cancelled: [JSONValue]
    private let zone: CalendarTimeZone
    private let name: String

    /// - Parameters:
    ///   - sessions: in the form of ``selection``, the latest first.
    ///   - cancelled: in the form of ``cancelledSelection``.
    ///   - zone: the service's time zone, as `Load.timeZone` loads it.
    ///   - parameters: those of `sessions.calendrier`.
    init(_ sessions: JSONValue, cancelled: JSONValue, in zone: JSONValue, _ parameters: [String: JSONValue]) {
        self.zone = CalendarTimeZone(zone)
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
            zone.write(days, to: &calendar)
            for session in sessions { writeEvent(session, isCancelled: false, &calendar) }
            for session in cancelled { writeEvent(session, isCancelled: true, &calendar) }
        }
        return writer.bytes
    }

    /// The first and the last day with an event; nil without events.
    private var days: ClosedRange<String>? {
        let dates = (sessions + cancelled).compactMap { SharedSession($0, for: .client).date?.basic }
        guard let first = dates.min(), let last = dates.max() else { return nil }
        return first...last
    }

    private func writeEvent(
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
            event.add("DTSTART;TZID=\(zone.identifier)", date.basic + "T" + times.debut.basic)
            event.add("DTEND;TZID=\(zone.identifier)", date.basic + "T" + times.fin.basic)
            event.add("SUMMARY", text: shared.module)
            if let lieu = shared.lieu { event.add("LOCATION", text: lieu) }
            event.add("DESCRIPTION", text: shared.plainText().text)
        }
    }
}

extension JSONValue {
    /// Of an array; none of anything else.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var integer: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }
}
