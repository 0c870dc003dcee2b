/// What an account is allowed to be. Every account has exactly one role.
///
/// Each role has a database role of its own, `learntrack_user` and `learntrack_admin`, under which its statements run.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// An ordinary member of the organisation.
    case user
    /// A member who also manages accounts.
    case admin
}

/// The four things that a call can do to the records of an entity.
public enum Operation: String, Sendable, Hashable, CaseIterable {
    case read, create, update, delete
}

/// Which roles may do what with the records of one entity.
///
/// An operation that no role may do has no method: without `delete`, `books.delete` does not exist. The server checks
/// a call against this table before it runs any SQL. The migrations grant the same rights to the database roles, so
/// that Postgres refuses what the server might let through by mistake.
///
/// ```swift
/// // Everyone reads; administrators create and update; records are never deleted.
/// Access(read: [.user, .admin], create: [.admin], update: [.admin], delete: [])
/// ```
public struct Access: Sendable, Equatable {
    private let roles: [Operation: Set<Role>]

    /// Creates the table of rights from the set of roles for each operation.
    public init(read: Set<Role>, create: Set<Role>, update: Set<Role>, delete: Set<Role>) {
        roles = [.read: read, .create: create, .update: update, .delete: delete]
    }

    /// The roles that may do `operation`. An empty set means that it is not offered at all.
    public func roles(for operation: Operation) -> Set<Role> {
        roles[operation, default: []]
    }

    /// Whether `role` may do `operation`.
    public func allows(_ operation: Operation, to role: Role) -> Bool {
        roles(for: operation).contains(role)
    }
}
