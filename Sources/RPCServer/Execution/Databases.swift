import Auth
package import DomainKit
package import PostgresDriver
import Synchronization

/// One database client per database role. A statement therefore has the rights of its caller without a statement that
/// sets the role.
package struct Databases: Sendable {
    private let clients: [Role: ReplicatedClient]
    /// May read accounts. It does not depend on the role of the caller.
    package let accounts: PostgresClient
    /// Nil without replicas.
    private let recentWrites: RecentWrites?

    /// - Parameter roles: the client of each served role.
    package init(roles: [Role: ReplicatedClient], accounts: PostgresClient) {
        clients = roles
        self.accounts = accounts
        recentWrites = roles.values.lazy.compactMap(\.maxLag).first.map { RecentWrites(retention: $0) }
    }

    package init(roles: [Role: PostgresClient], accounts: PostgresClient) {
        self.init(roles: roles.mapValues { ReplicatedClient($0) }, accounts: accounts)
    }

    /// Nil for a role that is not served.
    subscript(role: Role) -> ReplicatedClient? { clients[role] }

    /// When `caller` last wrote; nil if every replica in use has that write.
    func lastWrite(of caller: Caller) -> ContinuousClock.Instant? {
        recentWrites?.last(of: caller.user.accountID)
    }

    /// To be called after each write of `caller`, whether it succeeded or not.
    func noteWrite(of caller: Caller) {
        recentWrites?.note(caller.user.accountID)
    }
}

/// When each account last wrote. A caller's reads use only replicas that have the caller's own writes.
final class RecentWrites: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        /// Writes of the current period.
        var current: [Int64: Instant] = [:]
        /// Writes of the previous period.
        var previous: [Int64: Instant] = [:]
        var periodStart = Instant.now
        /// Set when the capacity is exceeded: every account counts as having written at this time.
        var allAccounts: Instant?
    }

    private let retention: Duration
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - retention: the largest lag of a replica that reads may use. Older writes are forgotten.
    ///   - capacity: the number of accounts that are kept individually.
    init(retention: Duration, capacity: Int = 50_000) {
        self.retention = retention
        self.capacity = capacity
    }

    func note(_ account: Int64, at instant: Instant = .now) {
        state.withLock { state in
            if instant - state.periodStart >= retention {
                // The writes of the previous period are older than the retention.
                state.previous = state.current
                state.current = [:]
                state.periodStart = instant
            }
            if state.current.count >= capacity, state.current[account] == nil {
                state.allAccounts = instant
                state.current = [:]
                state.previous = [:]
            }
            state.current[account] = instant
        }
    }

    /// Nil if the account has not written recently.
    func last(of account: Int64) -> Instant? {
        state.withLock { state in
            let own = state.current[account] ?? state.previous[account]
            guard let own, let all = state.allAccounts else { return own ?? state.allAccounts }
            return max(own, all)
        }
    }
}
