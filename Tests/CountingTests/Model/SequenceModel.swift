/// An event as a device sends it.
struct SentEvent: Hashable, Sendable {
    var number: Int
    var delta = 1
    var device: Moment?
    var gateway: Moment
}

/// The entries of a device, by the sentences of counting.md, "Clock" and "Sequence".
struct SequenceModel: Sendable {
    struct Stored: Hashable, Sendable {
        let sent: SentEvent
        let at: Moment
        let series: Int
        var missing: Int
        let isReset: Bool
    }

    enum Outcome: Equatable, Sendable {
        case duplicate
        case next(missing: Int)
        case late
        case reset
    }

    enum Source: String, Sendable {
        case device, gateway, server
    }

    /// By arrival.
    private(set) var entries: [Stored] = []

    var series: Int { entries.map(\.series).max() ?? 1 }
    var lastNumber: Int? { entries.filter { $0.series == series }.map(\.sent.number).max() }

    /// The clock that is believed.
    static func clock(_ event: SentEvent, now: Moment) -> (at: Moment, source: Source, isSkewed: Bool) {
        func isPlausible(_ moment: Moment) -> Bool {
            moment >= now - 400 * Moment.day && moment <= now + 60 * Moment.second
        }
        if let device = event.device {
            if isPlausible(device), abs(device - event.gateway) <= 300 * Moment.second {
                return (min(device, now), .device, false)
            }
            return isPlausible(event.gateway) ? (min(event.gateway, now), .gateway, true) : (now, .server, true)
        }
        return isPlausible(event.gateway) ? (min(event.gateway, now), .gateway, false) : (now, .server, true)
    }

    @discardableResult
    mutating func record(_ event: SentEvent, now: Moment) -> Outcome {
        let at = Self.clock(event, now: now).at
        let tolerance = 2 * Moment.second
        let isDuplicate = entries.contains { stored in
            stored.sent.number == event.number
                && (stored.sent.device == event.device && stored.sent.gateway == event.gateway
                    || abs(stored.at - at) <= tolerance)
        }
        if isDuplicate { return .duplicate }
        let series = series
        func append(_ missing: Int, series: Int, isReset: Bool = false) {
            entries.append(Stored(sent: event, at: at, series: series, missing: missing, isReset: isReset))
        }
        guard let last = lastNumber, event.number <= last else {
            let missing = lastNumber.map { event.number - $0 - 1 } ?? 0
            append(missing, series: series)
            return .next(missing: missing)
        }
        let present = entries.indices.filter { entries[$0].series == series }
        let lower = present.map { entries[$0].sent.number }.filter { $0 < event.number }.max()
        let higher = present.filter { entries[$0].sent.number > event.number }
            .min { entries[$0].sent.number < entries[$1].sent.number }
        let isFree = !present.contains { entries[$0].sent.number == event.number }
        if isFree, let higher, at <= entries[higher].at + tolerance {
            entries[higher].missing = entries[higher].sent.number - event.number - 1
            append(lower.map { event.number - $0 - 1 } ?? 0, series: series)
            return .late
        }
        append(0, series: series + 1, isReset: true)
        return .reset
    }
}
