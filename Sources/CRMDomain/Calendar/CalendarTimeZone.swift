import JSON

/// The time zone of the service, as a calendar states it. `Load.timeZone` loads it.
struct CalendarTimeZone {
    /// A moment at which the clocks change.
    private struct Change {
        /// What the clocks show when it comes: `20260329T020000`.
        let onset: String
        /// How many minutes they are ahead of universal time from then on.
        let minutes: Int
    }

    /// Refers to the zone in events.
    let identifier: String
    /// Ascending. The first holds before it, too.
    private let changes: [Change]

    /// - Parameter loaded: `{"name": "Europe/Paris", "changes": [["1970-01-01T00:00:00", 60], …]}`.
    init(_ loaded: JSONValue) {
        let name = loaded["name"]?.text ?? "UTC"
        // Other characters would have to be quoted; names of zones have none, rules such as `CET-1CEST,M3.5.0` do.
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) }
        identifier = isPlain ? name : "LearnTrack"
        let read = (loaded["changes"] ?? .null).elements.compactMap { pair -> Change? in
            guard case .array(let values) = pair, values.count == 2, let onset = values[0].text,
                let minutes = values[1].integer
            else { return nil }
            return Change(onset: onset.filter { $0 != "-" && $0 != ":" }, minutes: minutes)
        }
        changes = read.isEmpty ? [Change(onset: "19700101T000000", minutes: 0)] : read
    }

    /// Adds the zone with the changes that matter to some days (RFC 5545, section 3.6.5).
    ///
    /// - Parameter days: the first and the last, as `20260112`; nil without events.
    func write(_ days: ClosedRange<String>?, to calendar: inout ICalendarWriter) {
        let present = days.flatMap { days in changes.lastIndex { $0.onset < days.lowerBound } } ?? 0
        let last = days.flatMap { days in changes.lastIndex { $0.onset.prefix(8) <= days.upperBound } } ?? 0
        calendar.component("VTIMEZONE") { zone in
            zone.add("TZID", identifier)
            for index in present...max(present, last) {
                let before = changes[max(0, index - 1)].minutes
                let change = changes[index]
                zone.component(change.minutes > before ? "DAYLIGHT" : "STANDARD") { observance in
                    observance.add("TZOFFSETFROM", Self.offset(before))
                    observance.add("TZOFFSETTO", Self.offset(change.minutes))
                    observance.add("DTSTART", change.onset)
                }
            }
        }
    }

    /// `+0530`.
    private static func offset(_ minutes: Int) -> String {
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return (minutes < 0 ? "-" : "+") + [hours, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }
}
