/// As of when a replica shows everything, judged by the positions the primary's log had at known instants.
///
/// Only the asker's clock counts. A replica cut off from its primary grows stale as the primary writes on, and stays
/// fresh where there is nothing new to miss.
struct Freshness {
    typealias Instant = ContinuousClock.Instant

    private let capacity: Int
    private var history: LogPosition.History?
    /// Both grow from one to the next.
    private var samples: [(instant: Instant, bytes: UInt64)] = []

    /// - Parameter capacity: samples at most; the oldest goes first.
    init(capacity: Int = 600) {
        self.capacity = capacity
    }

    /// Notes that all that was committed by `instant` lies before `position`.
    mutating func primary(at instant: Instant, is position: LogPosition) {
        if history != position.history || (samples.last.map { position.bytes < $0.bytes } ?? false) {
            // Another primary, or one that has lost something: what was known says nothing about it.
            samples = []
            history = position.history
        }
        if let last = samples.last {
            guard instant > last.instant else { return }
            if last.bytes == position.bytes { samples.removeLast() }
        }
        samples.append((instant, position.bytes))
        if samples.count > capacity { samples.removeFirst() }
    }

    /// The latest known instant whose commits a server that has come to `position` shows; nil when none is known.
    func asOf(_ position: LogPosition) -> Instant? {
        guard position.history == history else { return nil }
        return samples.last { $0.bytes <= position.bytes }?.instant
    }
}
