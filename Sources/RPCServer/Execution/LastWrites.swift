import Synchronization

/// When each account last wrote, for as long as a replica that may be read from could lack it.
final class LastWrites: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var recent: [Int64: Instant] = [:]
        /// Those of the period before.
        var older: [Int64: Instant] = [:]
        var begun = Instant.now
        /// A time by which every account is taken to have written: what was known of them was too much to keep.
        var everyone: Instant?
    }

    private let memory: Duration
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - memory: how long a write matters.
    ///   - capacity: accounts within that time, before all are taken for writers.
    init(memory: Duration, capacity: Int = 50_000) {
        self.memory = memory
        self.capacity = capacity
    }

    func note(_ account: Int64, at instant: Instant = .now) {
        state.withLock { state in
            if instant - state.begun >= memory {
                // What is in `older` by now has been of no matter for a whole period.
                state.older = state.recent
                state.recent = [:]
                state.begun = instant
            }
            if state.recent.count >= capacity, state.recent[account] == nil {
                state.everyone = instant
                state.recent = [:]
                state.older = [:]
            }
            state.recent[account] = instant
        }
    }

    /// Nil when it has not written lately.
    func last(of account: Int64) -> Instant? {
        state.withLock { state in
            let own = state.recent[account] ?? state.older[account]
            guard let own, let everyone = state.everyone else { return own ?? state.everyone }
            return max(own, everyone)
        }
    }
}
