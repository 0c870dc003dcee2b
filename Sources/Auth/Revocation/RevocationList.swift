import Synchronization

/// What has ended or changed so lately that access tokens may still say otherwise; asked at every call, in memory.
///
/// An entry is kept until every token it speaks of has expired by itself.
package final class RevocationList: Sendable {
    private struct State {
        var ended: [String: Double] = [:]
        var accounts: [Int64: (account: AccountState, until: Double)] = [:]
        var pruneAt = 1024
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Double

    init(clock: @escaping @Sendable () -> Double) {
        self.clock = clock
    }

    /// Whether a token that says `caller` is no longer to be believed.
    func refuses(_ caller: AuthenticatedUser) -> Bool {
        state.withLock { state in
            if !state.ended.isEmpty, state.ended[caller.signInID] != nil { return true }
            guard !state.accounts.isEmpty, let (account, until) = state.accounts[caller.userID], until > clock() else {
                return false
            }
            return !account.isActive || account.role != caller.role
        }
    }

    func end(signIns: some Sequence<String>) {
        let until = clock() + Self.memory
        state.withLock { state in
            for signIn in signIns { state.ended[signIn] = until }
            prune(&state)
        }
    }

    func set(_ account: AccountState, of userID: Int64) {
        let until = clock() + Self.memory
        state.withLock { state in
            if let known = state.accounts[userID], known.account.version > account.version { return }
            state.accounts[userID] = (account, until)
            prune(&state)
        }
    }

    /// Whether an account is known to have changed since it was at `version`.
    func hasNews(of userID: Int64, since version: Int64) -> Bool {
        state.withLock { state in
            guard let (account, until) = state.accounts[userID], until > clock() else { return false }
            return account.version > version
        }
    }

    /// The same, for an account that is remembered already; of others there is nothing to correct.
    func update(_ account: AccountState, of userID: Int64) {
        if state.withLock({ $0.accounts[userID] != nil }) { set(account, of: userID) }
    }

    /// How long news matter, in seconds: a token's life, the leeway, and as much again for clocks that differ.
    static let memory = Double(AccessTokens.lifetime) + 2 * AccessTokens.leeway

    /// How many entries are held, for metrics.
    package var count: Int {
        state.withLock { $0.ended.count + $0.accounts.count }
    }

    /// Looks through everything only when it has doubled since the last time.
    private func prune(_ state: inout State) {
        guard state.ended.count + state.accounts.count >= state.pruneAt else { return }
        let now = clock()
        state.ended = state.ended.filter { $0.value > now }
        state.accounts = state.accounts.filter { $0.value.until > now }
        state.pruneAt = max(1024, 2 * (state.ended.count + state.accounts.count))
    }
}

/// The role and the activity of an account at one version.
struct AccountState: Sendable, Equatable {
    let role: String
    let isActive: Bool
    /// Grows with each change, so that a state that arrives late does not replace a newer one.
    let version: Int64
}
