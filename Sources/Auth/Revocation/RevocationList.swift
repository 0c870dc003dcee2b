import PostgresDriver
import Synchronization

/// The sign-ins and members with access tokens that are rejected although they have not expired, and the companies in which no call is
/// answered.
///
/// The list is kept in memory and consulted for every call. An entry stays until every token that it concerns has
/// expired.
package final class RevocationList: Sendable {
    private struct State {
        /// When each entry may be removed, in seconds since 1970.
        var ended: [String: Double] = [:]
        var accounts: [Member: (account: AccountState, until: Double)] = [:]
        /// Those that are gone for good, and since when this instance has known it.
        var gone: [Member: ContinuousClock.Instant] = [:]
        var pruneAt = 1024
        /// All companies that are suspended or have moved.
        var closed: [Int64: CompanyClosure] = [:]
        /// When the database was asked for them.
        var closedAsOf: ContinuousClock.Instant?
        /// When this instance has suspended or resumed a company, or asked about it alone, until a query about all has begun after it.
        var changed: [Int64: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())
    /// Whether a company is closed: most of the time none is, and no call waits for its turn to ask.
    private let closesAny = Atomic(false)
    private let clock: @Sendable () -> Double
    private let withdrawals: WithdrawalSignal

    init(withdrawals: WithdrawalSignal = WithdrawalSignal(), clock: @escaping @Sendable () -> Double) {
        self.withdrawals = withdrawals
        self.clock = clock
    }

    /// Whether a token that names this user must be rejected.
    func isRevoked(_ user: AuthenticatedUser) -> Bool {
        state.withLock { state in
            if !state.ended.isEmpty, state.ended[user.signInID] != nil { return true }
            guard !state.accounts.isEmpty, let (account, until) = state.accounts[user.member], until > clock() else {
                return false
            }
            return !account.isActive || account.role != user.role || account.additionalRoles != user.additionalRoles
                // A deactivation ends the tokens from before it for good.
                || account.deactivations > user.deactivations
        }
    }

    func revoke(signIns: some Sequence<String>) {
        let until = clock() + Self.retention
        let new = state.withLock { state in
            let new = signIns.filter { state.ended.updateValue(until, forKey: $0) == nil }
            prune(&state)
            return new
        }
        if !new.isEmpty { withdrawals.send(.signIns(Set(new))) }
    }

    /// Records the state of a member, unless a newer version is in the list.
    func set(_ account: AccountState, of member: Member) {
        let until = clock() + Self.retention
        let isOther = state.withLock { state in
            let known = state.accounts[member]?.account
            if let known, known.version > account.version { return false }
            state.accounts[member] = (account, until)
            prune(&state)
            return known.map { !$0.hasRights(of: account) } ?? true
        }
        if isOther { withdrawals.send(.member(member)) }
    }

    /// Records that a member is gone for good.
    func end(_ member: Member) {
        state.withLock { $0.gone[member] = .now }
        set(AccountState(role: "", isActive: false, version: .max), of: member)
    }

    /// The members in the list that are gone for good, of these companies; nil: of all.
    func gone(from companies: Set<Int64>?) -> [Member] {
        state.withLock { state in
            state.gone.keys.filter { companies?.contains($0.company) ?? true }
        }
    }

    /// Records the state of a member that was gone: its company has come back to this installation.
    ///
    /// - Parameter start: when the database was asked. What this instance has learnt since then is newer.
    func comeBack(_ account: AccountState, of member: Member, asOf start: ContinuousClock.Instant) {
        let until = clock() + Self.retention
        state.withLock { state in
            guard let since = state.gone[member], since < start else { return }
            state.gone[member] = nil
            state.accounts[member] = (account, until)
        }
    }

    /// Records which companies are suspended or have moved, but for those that this instance has changed since the database was asked.
    ///
    /// - Parameter start: when it was asked.
    func set(closed companies: [Int64: CompanyClosure], asOf start: ContinuousClock.Instant) {
        let new: [Int64] = state.withLock { state in
            // Of two answers the later question is the newer one.
            if let newer = state.closedAsOf, newer > start { return [] }
            state.closedAsOf = start
            state.changed = state.changed.filter { $0.value > start }
            let others = companies.filter { state.changed[$0.key] == nil }
            let own = state.closed.filter { state.changed[$0.key] != nil }
            let new = others.keys.filter { state.closed[$0] == nil }
            state.closed = others.merging(own) { _, own in own }
            closesAny.store(!state.closed.isEmpty, ordering: .releasing)
            return new
        }
        for company in new { withdrawals.send(.company(company)) }
    }

    /// Records that this instance has suspended a company, or resumed it.
    func set(_ closure: CompanyClosure?, of company: Int64) { set(closure, of: company, asOf: .now) }

    /// Records whether a company is suspended or has moved, unless something later is known.
    ///
    /// - Parameter start: when the database was asked.
    func set(_ closure: CompanyClosure?, of company: Int64, asOf start: ContinuousClock.Instant) {
        let isNew = state.withLock { state in
            let known = state.changed[company] ?? state.closedAsOf
            if let known, known > start { return false }
            state.changed[company] = start
            let before = state.closed[company]
            state.closed[company] = closure
            closesAny.store(!state.closed.isEmpty, ordering: .releasing)
            return before == nil && closure != nil
        }
        if isNew { withdrawals.send(.company(company)) }
    }

    /// Why no call is answered in the company; nil: calls are.
    func closure(of company: Int64) -> CompanyClosure? {
        guard closesAny.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.closed[company] }
    }

    /// The state of a member, if it has changed lately.
    func state(of member: Member) -> AccountState? {
        state.withLock { state in
            guard let (account, until) = state.accounts[member], until > clock() else { return nil }
            return account
        }
    }

    /// Records the state of a member that is in the list. One that is not has no tokens to be rejected.
    func update(_ account: AccountState, of member: Member) {
        if state.withLock({ $0.accounts[member] != nil }) { set(account, of: member) }
    }

    /// Whether the list holds a newer version of the member.
    func hasChange(of member: Member, since version: Int64) -> Bool {
        state.withLock { state in
            guard let (account, until) = state.accounts[member], until > clock() else { return false }
            return account.version > version
        }
    }

    /// How long an entry is kept, in seconds: the lifetime of a token, its leeway, and the leeway again for the clocks of
    /// other instances.
    static let retention = Double(AccessTokens.lifetime) + 2 * AccessTokens.leeway

    /// The number of entries.
    package var count: Int {
        state.withLock { $0.ended.count + $0.accounts.count }
    }

    /// Removes entries that are out of date, each time the number of entries has doubled.
    private func prune(_ state: inout State) {
        guard state.ended.count + state.accounts.count >= state.pruneAt else { return }
        let now = clock()
        state.ended = state.ended.filter { $0.value > now }
        let accounts = state.accounts.filter { $0.value.until > now }
        state.accounts = accounts
        state.gone = state.gone.filter { accounts[$0.key] != nil }
        state.pruneAt = max(1024, 2 * (state.ended.count + state.accounts.count))
    }
}

/// The roles and the activity of a member at one version.
struct AccountState: Sendable, Equatable {
    let role: String
    /// Also those that are not served, as in the access tokens.
    var additionalRoles: [HeldRole] = []
    let isActive: Bool
    /// Grows with each change, so that a state that arrives late does not replace a newer one.
    let version: Int64
    /// How often the member was deactivated.
    var deactivations: Int64 = 0

    func hasRights(of other: AccountState) -> Bool {
        role == other.role && additionalRoles == other.additionalRoles && isActive == other.isActive
            && deactivations == other.deactivations
    }
}

extension AccountState {
    /// Reads the result of a query that finds active accounts only. Columns: role, version,
    /// additional roles, deactivations. Nil if there is no such row.
    init?(activeIn rows: Rows, row: Int, firstColumn: Int) {
        guard row < rows.count, let role = rows.text(row, firstColumn),
            let version = rows.text(row, firstColumn + 1).flatMap({ Int64($0) }),
            let deactivations = rows.text(row, firstColumn + 3).flatMap({ Int64($0) })
        else { return nil }
        self.init(
            role: role, additionalRoles: [HeldRole](in: rows, row: row, column: firstColumn + 2), isActive: true,
            version: version, deactivations: deactivations)
    }

    /// Columns: role, activity, version, additional roles, deactivations. Nil if one of them is missing.
    init?(in rows: Rows, row: Int, firstColumn: Int) {
        guard let role = rows.text(row, firstColumn),
            let version = rows.text(row, firstColumn + 2).flatMap({ Int64($0) }),
            let deactivations = rows.text(row, firstColumn + 4).flatMap({ Int64($0) })
        else { return nil }
        self.init(
            role: role, additionalRoles: [HeldRole](in: rows, row: row, column: firstColumn + 3),
            isActive: rows.text(row, firstColumn + 1) == "true", version: version, deactivations: deactivations)
    }
}
