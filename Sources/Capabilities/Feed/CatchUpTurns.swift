import HTTPServer
import RPCServer

/// Which of the listeners that catch up may read a page of changes.
///
/// Reading is a turn of its own: while a page is sent, the next listener reads, so that clients that read slowly delay no
/// others. The pages that are being sent are counted, too, because they are in memory. When there are as many as may be,
/// the listeners that have taken the longest lose theirs, and are cut off.
struct CatchUpTurns: Sendable {
    typealias ID = FeedMembers<EventListener>.ID

    /// How many listeners read at the same time.
    static let maxReading = 16
    /// How many pages are read or sent at the same time.
    static let maxPages = 256
    /// How long a page may be sent while others wait for its place.
    static let patience: Duration = .seconds(1)

    private struct Sending {
        let account: Int64
        let start: ContinuousClock.Instant
    }

    /// Companies take turns, and then their accounts. The ids of listeners that are gone stay in it until it is their turn.
    private var queue = GroupedTurnQueue<Company, Int64, ID>()
    private var waiting: Set<ID> = []
    private var reading: Set<ID> = []
    private var sending: [ID: Sending] = [:]

    mutating func request(_ id: ID, of account: Int64, in company: Company) {
        waiting.insert(id)
        queue.append(id, of: account, in: company)
    }

    /// The next listener that may read a page now.
    mutating func next() -> ID? {
        while reading.count < Self.maxReading, reading.count + sending.count < Self.maxPages,
            let id = queue.popNext()
        {
            guard waiting.remove(id) != nil else { continue }
            reading.insert(id)
            return id
        }
        return nil
    }

    /// The listener has read its page, which is sent now.
    mutating func send(_ id: ID, of account: Int64, at now: ContinuousClock.Instant) {
        guard reading.remove(id) != nil else { return }
        sending[id] = Sending(account: account, start: now)
    }

    /// The page has been sent, or there is none.
    mutating func end(_ id: ID) {
        reading.remove(id)
        sending[id] = nil
    }

    /// The listener is gone. If it reads at the moment, its turn ends with the answer of the database.
    mutating func remove(_ id: ID) {
        waiting.remove(id)
        sending[id] = nil
    }

    /// The listeners that have to give their places to those that wait: of the accounts with the most pages, those that
    /// have been sent to for the longest time. Each is returned once.
    mutating func takeSlow(at now: ContinuousClock.Instant) -> [ID] {
        guard reading.count + sending.count >= Self.maxPages else { return [] }
        var slow = Dictionary(grouping: sending.filter { now - $0.value.start >= Self.patience }, by: \.value.account)
            .mapValues { $0.sorted { $0.value.start > $1.value.start } }
        var taken: [ID] = []
        while taken.count < waiting.count {
            let largest = slow.max { $0.value.count < $1.value.count }?.key
            guard let largest, let id = slow[largest]?.popLast()?.key else { break }
            taken.append(id)
            sending[id] = nil
        }
        return taken
    }
}
