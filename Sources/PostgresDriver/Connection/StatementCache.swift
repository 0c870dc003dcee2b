/// The prepared statements of one connection: which there are, under which name, and which goes when room is needed.
///
/// Names are numbers that are never used twice on a connection, so a name told to the server stays unambiguous even
/// while replies about an older preparation of the same statement are still on their way.
struct StatementCache {
    struct Lookup: Equatable {
        let name: Int
        /// Whether the name must be prepared before it is used.
        let isNew: Bool
    }

    private struct Entry {
        let statement: Statement
        let name: Int
        var newer: Int
        var older: Int
    }

    let capacity: Int
    /// Of SQL, all statements together: a plan takes the server about a hundred times its text.
    let byteCapacity: Int
    private var bytes = 0
    /// Names the server still knows and nobody uses any more.
    private(set) var evicted: [Int] = []

    private var slots: [ObjectIdentifier: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1
    private var lastName = 0

    init(capacity: Int, byteCapacity: Int = .max) {
        self.capacity = max(1, capacity)
        self.byteCapacity = byteCapacity
    }

    var count: Int { slots.count }

    /// The name to run the statement by. The entry holds on to the statement, so that its identity stays its own.
    mutating func use(_ statement: Statement) -> Lookup {
        let key = ObjectIdentifier(statement)
        if let slot = slots[key], let entry = entries[slot] {
            if slot != newest {
                unlink(slot)
                pushNewest(slot)
            }
            return Lookup(name: entry.name, isNew: false)
        }
        let size = statement.sql.utf8.count
        while slots.count >= capacity || oldest >= 0 && bytes > byteCapacity - size { evictOldest() }
        bytes += size
        lastName += 1
        let entry = Entry(statement: statement, name: lastName, newer: -1, older: -1)
        let slot = free.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slots[key] = slot
        pushNewest(slot)
        return Lookup(name: lastName, isNew: true)
    }

    /// Forgets a preparation, if it is still the current one of its statement.
    /// - Parameter isOnServer: whether the server knows the name and should be told to drop it.
    mutating func forget(_ statement: Statement, name: Int, isOnServer: Bool) {
        let key = ObjectIdentifier(statement)
        guard let slot = slots[key], entries[slot]?.name == name else { return }
        remove(slot, key)
        if isOnServer { evicted.append(name) }
    }

    /// Hands out the names to deallocate.
    mutating func takeEvicted() -> [Int] {
        defer { evicted.removeAll() }
        return evicted
    }

    private mutating func evictOldest() {
        guard oldest >= 0, let entry = entries[oldest] else { return }
        remove(oldest, ObjectIdentifier(entry.statement))
        evicted.append(entry.name)
    }

    private mutating func remove(_ slot: Int, _ key: ObjectIdentifier) {
        unlink(slot)
        bytes -= entries[slot]?.statement.sql.utf8.count ?? 0
        entries[slot] = nil
        free.append(slot)
        slots[key] = nil
    }

    private mutating func pushNewest(_ slot: Int) {
        entries[slot]?.newer = -1
        entries[slot]?.older = newest
        if newest >= 0 { entries[newest]?.newer = slot }
        newest = slot
        if oldest < 0 { oldest = slot }
    }

    private mutating func unlink(_ slot: Int) {
        guard let entry = entries[slot] else { return }
        if entry.newer >= 0 { entries[entry.newer]?.older = entry.older } else { newest = entry.older }
        if entry.older >= 0 { entries[entry.older]?.newer = entry.newer } else { oldest = entry.newer }
    }
}
