/// Whose rights may have been withdrawn.
package enum Withdrawal: Sendable, Equatable {
    case member(Member)
    /// By the ids of the sign-ins.
    case signIns(Set<String>)
    /// By the ids of the keys.
    case accessKeys(Set<Int64>)
    /// Those of every member of a company, which is suspended.
    case company(Int64)

    /// Whether it may concern calls that were authenticated as this user.
    package func concerns(_ user: AuthenticatedUser) -> Bool {
        switch self {
        case .member(let member): user.member == member
        case .signIns(let ids): ids.contains(user.signInID)
        case .accessKeys(let ids): user.accessKeyID.map(ids.contains) ?? false
        case .company(let id): user.company == id
        }
    }
}
