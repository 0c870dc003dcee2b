/// An entry, as far as counts depend on it.
struct CountedEntry: Sendable, Hashable {
    var id: Int
    var at: Moment
    var delta: Int

    init(id: Int = 0, _ at: Moment, _ delta: Int) {
        self.id = id
        self.at = at
        self.delta = delta
    }
}

/// "**Occupancy**: 0 when a day starts; after each entry, by timestamp, id: max(0, occupancy + delta)." It goes through the
/// entries one by one, as the sentence does.
struct OccupancyModel: Sendable {
    let rule: DayRule
    /// By timestamp, then id.
    let entries: [CountedEntry]

    init(_ rule: DayRule, _ entries: [CountedEntry]) {
        self.rule = rule
        self.entries = entries.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
    }

    /// What happens in an interval.
    struct Tally: Equatable, Sendable {
        var totalIn = 0
        var totalOut = 0
        var peak = 0
        /// The first instant of the peak.
        var peakAt: Moment
        /// The integral of the occupancy over the time, in persons times microseconds.
        var area = 0
        var closing = 0

        var flow: Int { totalIn + totalOut }
        var net: Int { totalIn - totalOut }
    }

    /// The count after the entries up to and with `moment`, of its day.
    func count(at moment: Moment) -> Int { count(in: rule.day(of: moment), where: { $0 <= moment }) }

    /// The count after the entries before `moment`, of its day: 0 when it is a day's start.
    func opening(at moment: Moment) -> Int { count(in: rule.day(of: moment), where: { $0 < moment }) }

    private func count(in day: CivilDay, where isIncluded: (Moment) -> Bool) -> Int {
        let start = rule.start(of: day)
        return entries.filter { $0.at >= start && isIncluded($0.at) }.reduce(0) { max(0, $0 + $1.delta) }
    }

    /// The figures of [start, end).
    func tally(from start: Moment, to end: Moment) -> Tally {
        var day = rule.day(of: start)
        var nextDay = rule.start(of: day + 1)
        var count = opening(at: start)
        var time = start
        var tally = Tally(peak: count, peakAt: start)
        func pass(to next: Moment) {
            tally.area += count * (next - time)
            time = next
        }
        for entry in entries where entry.at >= start && entry.at < end {
            while nextDay <= entry.at {
                pass(to: nextDay)
                count = 0
                day = day + 1
                nextDay = rule.start(of: day + 1)
            }
            pass(to: entry.at)
            count = max(0, count + entry.delta)
            if entry.delta > 0 { tally.totalIn += 1 } else { tally.totalOut += 1 }
            if count > tally.peak { (tally.peak, tally.peakAt) = (count, entry.at) }
        }
        while nextDay < end {
            pass(to: nextDay)
            count = 0
            day = day + 1
            nextDay = rule.start(of: day + 1)
        }
        pass(to: end)
        tally.closing = count
        return tally
    }

    /// A time with more people than the location may hold.
    struct Crowd: Equatable, Sendable {
        var start: Moment
        /// Nil when it lasts.
        var end: Moment?
        var peak: Int
    }

    /// "overcrowding: occupancy > max_capacity, cut to the interval; null if it lasts".
    func crowds(above capacity: Int, from start: Moment, to end: Moment) -> [Crowd] {
        var crowds: [Crowd] = []
        var current: Crowd?
        /// Whether the current one is from before the interval.
        var isCut = opening(at: start) > capacity
        func note(_ count: Int, at moment: Moment) {
            if count > capacity {
                let crowd = current ?? Crowd(start: moment, end: nil, peak: count)
                current = Crowd(start: crowd.start, end: nil, peak: max(crowd.peak, count))
            } else if var crowd = current {
                crowd.end = moment
                // One from before that ends with an entry at the start was before the interval.
                if !(isCut && moment == start) { crowds.append(crowd) }
                (current, isCut) = (nil, false)
            }
        }
        var day = rule.day(of: start)
        var nextDay = rule.start(of: day + 1)
        var count = opening(at: start)
        note(count, at: start)
        for entry in entries where entry.at >= start && entry.at < end {
            while nextDay <= entry.at {
                count = 0
                note(0, at: nextDay)
                day = day + 1
                nextDay = rule.start(of: day + 1)
            }
            count = max(0, count + entry.delta)
            note(count, at: entry.at)
        }
        while nextDay < end {
            note(0, at: nextDay)
            day = day + 1
            nextDay = rule.start(of: day + 1)
        }
        if let current { crowds.append(current) }
        return crowds
    }
}
