import Auth
import DomainKit
package import PostgresDriver

/// The database as each role may use it: one client per database role, so that a statement carries its rights without
/// another statement to say so.
package struct Databases: Sendable {
    let user: ReplicatedClient
    let admin: ReplicatedClient
    /// The one that may read accounts whoever is calling.
    let accounts: PostgresClient
    /// So that nobody misses on a replica what they have just written; nil without replicas.
    private let lastWrites: LastWrites?

    package init(user: ReplicatedClient, admin: ReplicatedClient, accounts: PostgresClient) {
        self.user = user
        self.admin = admin
        self.accounts = accounts
        lastWrites = user.maxLag.map { LastWrites(memory: $0) }
    }

    package init(user: PostgresClient, admin: PostgresClient, accounts: PostgresClient) {
        self.init(user: ReplicatedClient(user), admin: ReplicatedClient(admin), accounts: accounts)
    }

    /// When `caller` last wrote, if that still matters.
    func lastWrite(of caller: Caller) -> ContinuousClock.Instant? {
        lastWrites?.last(of: caller.identity.userID)
    }

    /// To be called once a write of `caller` has come to its end, whatever became of it.
    func wrote(_ caller: Caller) {
        lastWrites?.note(caller.identity.userID)
    }

    subscript(role: Role) -> ReplicatedClient {
        switch role {
        case .user: user
        case .admin: admin
        }
    }
}
