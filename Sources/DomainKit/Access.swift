/// The four things one can do to a table.
public enum Operation: String, Sendable, Hashable, CaseIterable {
    case read, create, update, delete
}

/// One row of the role table: who may do what with one entity.
public struct Access: Sendable, Equatable {
    private let roles: [Operation: Set<Role>]

    public init(read: Set<Role>, create: Set<Role>, update: Set<Role>, delete: Set<Role>) {
        roles = [.read: read, .create: create, .update: update, .delete: delete]
    }

    /// The roles that may do `operation`; empty when nobody may.
    public func roles(for operation: Operation) -> Set<Role> {
        roles[operation, default: []]
    }

    public func allows(_ operation: Operation, to role: Role) -> Bool {
        roles(for: operation).contains(role)
    }
}
