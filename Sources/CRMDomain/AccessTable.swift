import DomainKit

extension CRM {
    private static let everyone: Set<Role> = [.user, .admin]
    private static let admins: Set<Role> = [.admin]
    private static let nobody: Set<Role> = []

    /// Who may do what: the one role table. The grants of the migrations close the same doors (SEC-04).
    ///
    /// Users are deactivated, never deleted; everyone reads their own record through `auth.me`.
    static let access: [String: Access] = [
        "sessions": Access(read: everyone, create: everyone, update: everyone, delete: admins),
        "formateurs": Access(read: everyone, create: admins, update: admins, delete: admins),
        "clients": Access(read: everyone, create: admins, update: admins, delete: admins),
        "ecoles": Access(read: everyone, create: admins, update: admins, delete: admins),
        "users": Access(read: admins, create: admins, update: admins, delete: nobody),
    ]

    /// The row of the table for one entity; a name that is not in it opens nothing.
    static func access(to entity: String) -> Access {
        access[entity] ?? Access(read: nobody, create: nobody, update: nobody, delete: nobody)
    }
}
