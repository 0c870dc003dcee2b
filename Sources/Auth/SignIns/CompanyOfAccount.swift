import PostgresDriver

/// A company that an account is an active member of.
package struct CompanyOfAccount: Sendable, Equatable {
    package let id: Int64
    package let name: String
    /// The base role of the account in it.
    package let role: String
    /// Why no call is answered in it; nil: calls are.
    package let closure: CompanyClosure?
}

/// The companies that an account may enter, and whether it is more than a member of them.
package struct CompaniesOfAccount: Sendable, Equatable {
    /// By name.
    package let companies: [CompanyOfAccount]
    /// Whether it is an operator of the installation.
    package let isOperator: Bool
}

extension AuthService {
    /// The companies that the account may enter.
    ///
    /// - Parameter key: the company of an access key, which tells of no other, works for an invited member, too, and is never an
    ///   operator's. Nil: there is no key.
    package func companies(
        of account: Int64, key: Int64? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> CompaniesOfAccount {
        let rows = try await database.query(
            Self.companies, [.text(String(account)), key.map { .text(String($0)) } ?? .null], deadline: deadline)
        let companies = (0..<rows.count).compactMap { row -> CompanyOfAccount? in
            guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let name = rows.text(row, 1),
                let role = rows.text(row, 2)
            else { return nil }
            return CompanyOfAccount(
                id: id, name: name, role: role, closure: CompanyClosure(in: rows, row: row, column: 3))
        }
        return CompaniesOfAccount(companies: companies, isOperator: key == nil && rows.text(0, 4) == "true")
    }

    /// The member that the account is of a company; nil if it is no active one.
    package func member(
        of account: Int64, in company: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Member? {
        let rows = try await database.query(
            Self.member, [.text(String(account)), .text(String(company))], deadline: deadline)
        return rows.text(0, 0).flatMap { Int64($0) }.map { Member(company: company, id: $0) }
    }

    private static let companies = Statement(
        """
        SELECT n.id::text, n.name::text, u.role::text, \(CompanyClosure.column(of: "n")), a.is_operator::text
        FROM users u JOIN kernel.companies n ON n.id = u.company_id JOIN kernel.accounts a ON a.id = u.account_id
        WHERE u.account_id = $1::bigint
            AND CASE WHEN $2::bigint IS NULL THEN u.is_member ELSE u.company_id = $2::bigint AND u.is_active END
        ORDER BY n.name COLLATE public.francais, n.id
        """)
    private static let member = Statement(
        "SELECT u.id::text FROM users u WHERE u.account_id = $1::bigint AND u.company_id = $2::bigint AND u.is_member")
}
