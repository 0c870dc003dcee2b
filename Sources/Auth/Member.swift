import PostgresDriver

/// What an account is in a company: a row of `users`. An account is a member of each company once, and acts in one company at a time.
package struct Member: Sendable, Hashable {
    package let company: Int64
    /// Unique in the company.
    package let id: Int64

    package init(company: Int64, id: Int64) {
        self.company = company
        self.id = id
    }
}

/// An active member, as a statement has read it that signs its account in.
struct ActiveMember: Sendable {
    let member: Member
    let account: Int64
    let state: AccountState

    /// A subquery for the active member that an account acts as. Its columns are those that ``init(in:row:firstColumn:)`` reads.
    ///
    /// - Parameters:
    ///   - account: an SQL expression for the account.
    ///   - company: one for the company; null: the first by name, of those that are not suspended if there is one.
    static func query(of account: String, in company: String) -> String {
        """
        SELECT u.company_id::text AS company, u.id::text AS member, u.account_id::text AS account, u.role::text AS role,
            u.version::text AS version, \([HeldRole].sql(of: "u")) AS roles, u.deactivations::text AS deactivations
        FROM users u JOIN kernel.companies n ON n.id = u.company_id
        WHERE u.account_id = \(account) AND u.is_member AND (\(company) IS NULL OR u.company_id = \(company))
        ORDER BY n.suspended_at IS NOT NULL, n.name COLLATE public.francais, n.id LIMIT 1
        """
    }

    static let columns = "company, member, account, role, version, roles, deactivations"
    /// How many they are.
    static let columnCount = 7

    /// Nil if there is no such row.
    init?(in rows: Rows, row: Int = 0, firstColumn: Int = 0) {
        guard row < rows.count, let company = rows.text(row, firstColumn).flatMap({ Int64($0) }),
            let id = rows.text(row, firstColumn + 1).flatMap({ Int64($0) }),
            let account = rows.text(row, firstColumn + 2).flatMap({ Int64($0) }),
            let state = AccountState(activeIn: rows, row: row, firstColumn: firstColumn + 3)
        else { return nil }
        member = Member(company: company, id: id)
        self.account = account
        self.state = state
    }

    /// The user of a token of this member.
    func user(signInID: String) -> AuthenticatedUser {
        AuthenticatedUser(
            member: member, account: account, signInID: signInID, role: state.role,
            additionalRoles: state.additionalRoles, deactivations: state.deactivations)
    }
}
