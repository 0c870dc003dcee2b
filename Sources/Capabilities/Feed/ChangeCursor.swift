/// A position in the change feed: everything up to it has been read. Clients keep its text and do not look into it.
///
/// Changes are in the order of their transactions' numbers, and within a transaction in that of their own. After a
/// failover the new primary numbers transactions from where its copy of the log ended, so that a number that the old one
/// had given may be given again: hence the timeline, which Postgres counts up at each promotion.
package struct ChangeCursor: Sendable, Hashable {
    let timeline: UInt32
    let transaction: UInt64
    /// 0 stands before the first change of the transaction.
    let change: Int64

    init(timeline: UInt32, transaction: UInt64, change: Int64) {
        self.timeline = timeline
        self.transaction = transaction
        self.change = change
    }

    /// Nil if `text` is no cursor.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let timeline = UInt32(parts[0]), let transaction = UInt64(parts[1]), let change = Int64(parts[2])
        else { return nil }
        self.init(timeline: timeline, transaction: transaction, change: change)
    }

    var text: String { "\(timeline).\(transaction).\(change)" }

    /// Whether this position lies before another one of the same timeline.
    func precedes(_ other: ChangeCursor) -> Bool {
        (transaction, change) < (other.transaction, other.change)
    }
}
