import Foundation

/// The settings of a location that say when its operational days start.
struct DayRule: Sendable {
    let zone: TimeZone
    let hour: Int

    /// Traps when there is no such zone.
    init(_ name: String, _ hour: Int) {
        guard let zone = TimeZone(identifier: name) else { preconditionFailure("no time zone \(name)") }
        self.zone = zone
        self.hour = hour
    }

    /// "from D to D + 1 at the boundary hour, as Postgres reads `(D + hour) AT TIME ZONE zone` (an hour that comes twice: the
    /// second; one skipped: by the offset before)".
    func start(of day: CivilDay) -> Moment {
        let wall = Moment(microseconds: day.number * Moment.day + hour * Moment.hour)
        let before = wall - offset(at: wall - Moment.day)
        let after = wall - offset(at: wall + Moment.day)
        let readings = [before, after].filter { $0 + offset(at: $0) == wall }
        return readings.max() ?? before
    }

    /// The operational day that contains the instant.
    func day(of moment: Moment) -> CivilDay {
        let wall = moment + (offset(at: moment) - hour * Moment.hour)
        var day = CivilDay(number: wall.microseconds.flooredQuotient(by: Moment.day))
        while start(of: day) > moment { day = day - 1 }
        while start(of: day + 1) <= moment { day = day + 1 }
        return day
    }

    /// The offset from UTC, in microseconds.
    private func offset(at moment: Moment) -> Int {
        let date = Date(timeIntervalSince1970: Double(moment.microseconds.flooredQuotient(by: Moment.second)))
        return zone.secondsFromGMT(for: date) * Moment.second
    }
}
