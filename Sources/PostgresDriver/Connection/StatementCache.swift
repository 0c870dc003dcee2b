/// A prepared statement under the name it has on one connection.
struct PreparedStatement: Equatable {
    let statement: Statement
    /// 0 stands for the unnamed statement.
    let name: Int

    static func == (left: PreparedStatement, right: PreparedStatement) -> Bool {
        left.statement === right.statement && left.name == right.name
    }
}

/// The prepared statements of one connection and their names, as a bounded least-recently-used cache.
///
/// Names are numbers, and no number is used twice on a connection. So a name is unambiguous even while replies to an older
/// preparation of the same statement are still to come.
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
    /// Bytes of SQL of all statements together. The server needs about a hundred times as much for their plans.
    let byteCapacity: Int
    private var bytes = 0
    /// Names of statements that are to be deallocated on the server.
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

    /// The name by which to run the statement. The cache keeps the statement alive, so that its identity stays unique.
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

    /// Removes a statement, unless it has been prepared under another name meanwhile.
    /// - Parameter isOnServer: whether the server has it, so that it must be deallocated.
    mutating func forget(_ statement: Statement, name: Int, isOnServer: Bool) {
        let key = ObjectIdentifier(statement)
        guard let slot = slots[key], entries[slot]?.name == name else { return }
        remove(slot, key)
        if isOnServer { evicted.append(name) }
    }

    /// Removes and returns the names to deallocate.
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
