import JSON

/// The ranges of the views.
enum FigureRange: String, CaseIterable, Sendable {
    case today, year
    case lastSeven = "last_7"
    case lastThirty = "last_30"
}

enum FigureGranularity: String, CaseIterable, Sendable {
    case hour, day, month
}

/// The interval of a view, the one before it, and the buckets: counting.md, "Figures".
struct FigurePeriod: Sendable {
    let rule: DayRule
    let start: Moment
    let end: Moment
    let previousStart: Moment
    let previousEnd: Moment
    let granularity: FigureGranularity

    struct Bucket: Equatable, Sendable {
        let start: Moment
        let end: Moment
        /// The operational day, or the first one of the month.
        let day: CivilDay
    }

    init(
        _ rule: DayRule, _ range: FigureRange = .today, from: Moment? = nil, to: Moment? = nil,
        granularity: FigureGranularity? = nil, now: Moment
    ) {
        self.rule = rule
        end = min(to ?? now, now)
        if let from {
            start = from
            previousEnd = from
            previousStart = from - (end - from)
            let length = end - from
            self.granularity =
                granularity ?? (length <= 48 * Moment.hour ? .hour : length <= 92 * Moment.day ? .day : .month)
            return
        }
        let day = rule.day(of: end)
        let first =
            switch range {
            case .today: day
            case .lastSeven: day - 6
            case .lastThirty: day - 29
            case .year: CivilDay(year: day.year, month: 1, day: 1)
            }
        let firstBefore =
            switch range {
            case .today: first - 1
            case .lastSeven: first - 7
            case .lastThirty: first - 30
            case .year: CivilDay(year: day.year - 1, month: 1, day: 1)
            }
        start = rule.start(of: first)
        previousStart = rule.start(of: firstBefore)
        previousEnd = start
        let usual: FigureGranularity =
            switch range {
            case .today: .hour
            case .lastSeven, .lastThirty: .day
            case .year: .month
            }
        self.granularity = granularity ?? usual
    }

    var buckets: [Bucket] { buckets(from: start, to: end) }

    /// "Buckets, cut to the interval: hours elapsed since the day's start; operational days; months of these."
    func buckets(from start: Moment, to end: Moment) -> [Bucket] {
        var buckets: [Bucket] = []
        func add(_ from: Moment, _ to: Moment, _ day: CivilDay) {
            let cut = (max(from, start), min(to, end))
            if cut.0 < cut.1 { buckets.append(Bucket(start: cut.0, end: cut.1, day: day)) }
        }
        guard start < end else { return [] }
        var day = rule.day(of: start)
        if granularity == .month { day = day.firstOfMonth }
        while rule.start(of: day) < end {
            let from = rule.start(of: day)
            let next = granularity == .month ? day.firstOfNextMonth : day + 1
            let to = rule.start(of: next)
            if granularity == .hour {
                var hour = from
                while hour < to {
                    add(hour, min(hour + Moment.hour, to), day)
                    hour = hour + Moment.hour
                }
            } else {
                add(from, to, day)
            }
            day = next
        }
        return buckets
    }
}

/// The rows of `counter_kpis` and `counter_charts`, from the entries.
struct FigureModel: Sendable {
    let occupancy: OccupancyModel
    let period: FigurePeriod

    init(_ entries: [CountedEntry], _ period: FigurePeriod) {
        occupancy = OccupancyModel(period.rule, entries)
        self.period = period
    }

    /// The values of `counter_kpis`, by name, without the identifiers.
    var kpis: [String: JSONValue] {
        let present = measured(from: period.start, to: period.end)
        let previous = measured(from: period.previousStart, to: period.previousEnd)
        var row: [String: JSONValue] = [
            "period_start": period.start.json, "period_end": period.end.json,
            "granularity": .string(period.granularity.rawValue),
            "previous_start": period.previousStart.json, "previous_end": period.previousEnd.json,
            "closing_count": number(present.tally.closing), "peak_at": present.tally.peakAt.json,
            "peak_bucket": present.tally.peak == 0 ? .null : present.peakBucket.json,
            "peak_flow_bucket": present.flowBucket?.json ?? .null,
        ]
        for (name, value) in present.figures {
            let before = previous.figures[name] ?? 0
            let scale = name == "average_occupancy" ? 100 : 1
            row[name] = number(value, scale)
            row["previous_\(name)"] = number(before, scale)
            row["change_\(name)"] = number(value - before, scale)
        }
        return row
    }

    /// The rows of `counter_charts`, by name, without the location.
    var charts: [[String: JSONValue]] {
        period.buckets.enumerated().map { index, bucket in
            let tally = occupancy.tally(from: bucket.start, to: bucket.end)
            return [
                "id": number(index + 1), "bucket_start": bucket.start.json, "bucket_end": bucket.end.json,
                "operational_day": bucket.day.json, "total_in": number(tally.totalIn),
                "total_out": number(tally.totalOut), "net": number(tally.net), "flow": number(tally.flow),
                "peak_occupancy": number(tally.peak),
                "average_occupancy": number(hundredths(tally.area, bucket.end - bucket.start), 100),
                "closing_count": number(tally.closing),
            ]
        }
    }

    private struct Measured {
        let tally: OccupancyModel.Tally
        let figures: [String: Int]
        let peakBucket: Moment
        let flowBucket: Moment?
    }

    private func measured(from start: Moment, to end: Moment) -> Measured {
        let tally = occupancy.tally(from: start, to: end)
        let buckets = period.buckets(from: start, to: end)
        var flow = 0
        var flowBucket: Moment?
        for bucket in buckets {
            let entries = occupancy.entries.filter { $0.at >= bucket.start && $0.at < bucket.end }.count
            if entries > flow { (flow, flowBucket) = (entries, bucket.start) }
        }
        return Measured(
            tally: tally,
            figures: [
                "total_in": tally.totalIn, "total_out": tally.totalOut, "net": tally.net, "peak_occupancy": tally.peak,
                "peak_flow": flow, "average_occupancy": hundredths(tally.area, end - start),
            ],
            peakBucket: buckets.last { $0.start <= tally.peakAt }?.start ?? start, flowBucket: flowBucket)
    }

    /// The mean in hundredths, rounded as Postgres rounds decimals: half away from zero. It is never negative.
    private func hundredths(_ area: Int, _ length: Int) -> Int { (200 * area + length) / (2 * length) }

    private func number(_ value: Int, _ scale: Int = 1) -> JSONValue {
        scale == 1 ? .number(String(value)) : .number(String(Double(value) / Double(scale)))
    }
}
