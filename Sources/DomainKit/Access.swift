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
/// // A driver sees and changes what belongs to their truck.
/// Access(
///     read: [.admin: .every, .driver: .own("truck_id")], create: [.admin],
///     update: [.admin: .every, .driver: .own("truck_id")], delete: [.admin])
/// ```
///
/// If the right to create reaches a role's own rows only, its calls do not give the column: the server fills it. The database
/// role needs the right to insert the column. A role that reads its own rows creates and updates only those, because a write
/// is answered with the record.
public struct Access: Sendable, Equatable {
    private let grants: [Operation: Grants]

    /// Creates the table of rights from the grants for each operation.
    public init(read: Grants, create: Grants, update: Grants, delete: Grants) {
        grants = [.read: read, .create: create, .update: update, .delete: delete]
    }

    /// The roles that may do `operation`, with how far each may. Empty grants mean that it is not offered at all.
    public func grants(for operation: Operation) -> Grants { grants[operation, default: []] }

    /// The roles that may do `operation`. An empty set means that it is not offered at all.
    public func roles(for operation: Operation) -> Set<Role> { grants(for: operation).roles }

    /// Whether `role` may do `operation`, to some rows at least.
    public func allows(_ operation: Operation, to role: Role) -> Bool { reach(of: role, for: operation) != nil }

    /// The rows to which `role` may do `operation`; nil if it may not.
    public func reach(of role: Role, for operation: Operation) -> Reach? { grants[operation]?[role] }
}
