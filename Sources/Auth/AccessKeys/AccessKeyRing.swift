import Synchronization

/// The access keys of the database, in memory: a call with a key costs a look-up and no query.
///
/// `RevocationFeed` keeps it up to date. Its size is that of the table, a few hundred bytes a key.
final class AccessKeyRing: Sendable {
    private struct Entry {
        var key: StoredAccessKey
        /// When the last use was noted, in seconds since 1970.
        var usedAt = -Double.infinity
    }

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        var hashes: [Int64: [UInt8]] = [:]
        /// Keys of which a change was announced, until it has been read.
        var announced: Set<Int64> = []
        /// Keys that are gone, in case a result arrives that was read before. Empty after a complete reading.
        var removed: Set<Int64> = []
        var mayBeIncomplete = true
        /// Keys that were used, until the use is written.
        var used: Set<Int64> = []

        /// The versions of the keys that are not revoked.
        var valid: [Int64: Int64] {
            var versions: [Int64: Int64] = [:]
            for entry in entries.values where !entry.key.isRevoked { versions[entry.key.id] = entry.key.version }
            return versions
        }
    }

    /// Uses of a key within this time are written as one, in seconds.
    private static let useInterval = 60.0

    private let state = Mutex(State())
    private let clock: @Sendable () -> Double
    private let withdrawals: WithdrawalSignal

    init(withdrawals: WithdrawalSignal = WithdrawalSignal(), clock: @escaping @Sendable () -> Double) {
        self.withdrawals = withdrawals
        self.clock = clock
    }

    subscript(hash: [UInt8]) -> StoredAccessKey? {
        state.withLock { $0.entries[hash]?.key }
    }

    /// Records that a call was made with the key.
    func noteUse(of key: StoredAccessKey) {
        let now = clock()
        state.withLock { state in
            guard let usedAt = state.entries[key.hash]?.usedAt, now - usedAt >= Self.useInterval else { return }
            state.entries[key.hash]?.usedAt = now
            state.used.insert(key.id)
        }
    }

    /// The keys with a use that has not been written.
    func takeUses() -> Set<Int64> {
        state.withLock { state in
            defer { state.used = [] }
            return state.used
        }
    }

    /// To be called with keys if their use could not be written.
    func returnUses(_ ids: Set<Int64>) {
        state.withLock { $0.used.formUnion(ids) }
    }

    // MARK: Following the database

    /// A change of a key was announced.
    func announce(_ id: Int64) {
        _ = state.withLock { $0.announced.insert(id) }
    }

    /// Announcements may have been lost: the next reading is a complete one.
    func forgetCompleteness() {
        state.withLock { $0.mayBeIncomplete = true }
    }

    /// Which keys the next reading must find.
    enum Demand {
        case all
        case announced(Set<Int64>)
    }

    /// What has to be read because of the announcements so far.
    func takeDemand() -> Demand {
        state.withLock { state in
            defer {
                state.mayBeIncomplete = false
                state.announced = []
            }
            return state.mayBeIncomplete ? .all : .announced(state.announced)
        }
    }

    /// To be called with a demand that could not be read.
    func returnDemand(_ demand: Demand) {
        state.withLock { state in
            switch demand {
            case .all: state.mayBeIncomplete = true
            case .announced(let ids): state.announced.formUnion(ids)
            }
        }
    }

    /// Records keys, except for those of which a newer version is known.
    func set(_ keys: some Sequence<StoredAccessKey>) {
        change { state in
            for key in keys { Self.set(key, in: &state) }
        }
    }

    /// Records the result of reading `asked`: keys that are not in it are gone.
    func set(_ keys: [StoredAccessKey], whichAreAllOf asked: Set<Int64>) {
        change { state in
            for id in asked.subtracting(keys.map(\.id)) {
                if let hash = state.hashes.removeValue(forKey: id) { state.entries[hash] = nil }
                state.removed.insert(id)
            }
            for key in keys { Self.set(key, in: &state) }
        }
    }

    /// Removes the keys of a member that is gone.
    func end(_ member: Member) {
        change { state in
            for key in state.entries.values.map(\.key) where key.member == member {
                state.entries[key.hash] = nil
                state.hashes[key.id] = nil
                state.removed.insert(key.id)
            }
        }
    }

    /// Records the result of reading all keys.
    func setAll(_ keys: [StoredAccessKey]) {
        change { state in
            let known = state.entries
            state.entries = [:]
            state.hashes = [:]
            state.removed = []
            for key in keys {
                if let entry = known[key.hash] {
                    state.entries[key.hash] = entry
                    state.hashes[key.id] = key.hash
                }
                Self.set(key, in: &state)
            }
        }
    }

    /// Changes the keys, and tells which of those that were valid are gone, revoked or changed.
    private func change(_ body: (inout State) -> Void) {
        let changed = state.withLock { state in
            let before = state.valid
            body(&state)
            let after = state.valid
            return before.filter { after[$0.key] != $0.value }.keys
        }
        if !changed.isEmpty { withdrawals.send(.accessKeys(Set(changed))) }
    }

    private static func set(_ key: StoredAccessKey, in state: inout State) {
        guard !state.removed.contains(key.id) else { return }
        if let hash = state.hashes[key.id], let known = state.entries[hash] {
            guard known.key.version <= key.version else { return }
            if hash != key.hash { state.entries[hash] = nil }
        }
        state.hashes[key.id] = key.hash
        state.entries[key.hash, default: Entry(key: key)].key = key
    }
}
