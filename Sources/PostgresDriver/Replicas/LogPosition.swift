/// How far a server has come in its write-ahead log.
struct LogPosition: Equatable, Sendable {
    /// Positions of different systems or timelines say nothing about each other.
    struct History: Equatable, Sendable {
        /// Of the cluster that a server and its replicas have in common.
        let system: String
        /// Another one begins wherever a replica becomes a primary.
        let timeline: Int
    }

    let history: History
    let bytes: UInt64
}

extension LogPosition {
    private static let pageSize: UInt64 = 8_192
    private static let pageHeader: UInt64 = 24
    private static let segmentHeader: UInt64 = 40

    /// The end of the record before the place where a primary inserts its next one. That place leaves room for the
    /// header of a page just begun, which a replica reaches only with the next record.
    /// - Parameter segmentSize: bytes of a file of the log.
    init(history: History, insertingAt bytes: UInt64, segmentSize: UInt64) {
        self.history = history
        let inPage = bytes % Self.pageSize
        let header = bytes - inPage == (bytes / segmentSize) * segmentSize ? Self.segmentHeader : Self.pageHeader
        self.bytes = inPage <= header ? bytes - inPage : bytes
    }
}
