import DomainKit
package import PostgresDriver

/// The database as each role may use it: one client per database role, so that a statement carries its rights without
/// another statement to say so.
package struct Databases: Sendable {
    let user: PostgresClient
    let admin: PostgresClient
    /// The one that may read accounts whoever is calling.
    let accounts: PostgresClient

    package init(user: PostgresClient, admin: PostgresClient, accounts: PostgresClient) {
        self.user = user
        self.admin = admin
        self.accounts = accounts
    }

    subscript(role: Role) -> PostgresClient {
        switch role {
        case .user: user
        case .admin: admin
        }
    }
}
