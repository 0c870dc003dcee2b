/// A server's position in the write-ahead log (WAL).
struct LogPosition: Equatable, Sendable {
    /// Identifies one history of the WAL. Positions of different histories cannot be compared.
    struct History: Equatable, Sendable {
        /// The system identifier that a primary and its replicas share.
        let system: String
        /// Increases when a replica is promoted.
        let timeline: Int
    }

    let history: History
    let bytes: UInt64
}

extension LogPosition {
    private static let pageSize: UInt64 = 8_192
    private static let pageHeader: UInt64 = 24
    private static let segmentHeader: UInt64 = 40

    /// The end of the last WAL record before a primary's insert position. At the start of a page the insert position is
    /// already behind the page header, which a replica reaches only with the next record.
    /// - Parameter segmentSize: the size of a WAL file in bytes.
    init(history: History, insertingAt bytes: UInt64, segmentSize: UInt64) {
        self.history = history
        let inPage = bytes % Self.pageSize
        let header = bytes - inPage == (bytes / segmentSize) * segmentSize ? Self.segmentHeader : Self.pageHeader
        self.bytes = inPage <= header ? bytes - inPage : bytes
    }
}

/// Computes as of which instant a replica is up to date, from the positions that the primary had at known instants.
///
/// Only the clock of this process is used. A replica that is cut off becomes stale when the primary writes; as long as
/// the primary does not write, the replica stays fresh.
struct Freshness {
    typealias Instant = ContinuousClock.Instant

    private let capacity: Int
    private var history: LogPosition.History?
    /// Both components increase strictly.
    private var samples: [(instant: Instant, bytes: UInt64)] = []

    /// - Parameter capacity: the number of samples that are kept; older ones are dropped.
    init(capacity: Int = 600) {
        self.capacity = capacity
    }

    /// Records that everything committed by `instant` lies before `position` in the primary's WAL.
    mutating func recordPrimary(_ position: LogPosition, at instant: Instant) {
        if history != position.history || (samples.last.map { position.bytes < $0.bytes } ?? false) {
            // A different primary, or one that has lost data: the old samples are meaningless.
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

    /// The latest known instant of which a server that has replayed up to `position` shows every commit; nil if unknown.
    func upToDateAsOf(_ position: LogPosition) -> Instant? {
        guard position.history == history else { return nil }
        return samples.last { $0.bytes <= position.bytes }?.instant
    }
}
