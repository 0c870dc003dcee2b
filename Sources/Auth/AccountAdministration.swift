package import PostgresDriver

/// The accounts as an operator manages them from the command line, over connections of the database owner.
package struct AccountAdministration: Sendable {
    /// A person as a member of one company.
    package struct Account: Sendable, Equatable {
        package let id: Int64
        package let email: String
        package let username: String?
        package let role: String
        package let companyID: Int64
        package let companyName: String
        package let isActive: Bool
        /// Whether the person has not accepted the invitation to the company yet.
        package let isInvited: Bool
        package let hasPassword: Bool
        /// Whether the person makes, suspends and counts companies.
        package let isOperator: Bool
    }

    private let database: AuthDatabase
    private let passwordHasher: PasswordHasher

    package init(database: PostgresClient, passwordHasher: PasswordHasher = PasswordHasher()) {
        self.database = AuthDatabase(client: database)
        self.passwordHasher = passwordHasher
    }

    /// Creates an active account.
    ///
    /// - Parameter company: of which it becomes a member; nil: of the only one.
    /// - Returns: the id of the account as a member.
    /// - Throws: `.password`, `.emailTaken`, `.noCompany`, or `.database` for an e-mail or a role that the database rejects.
    package func add(
        email: String, username: String?, role: String, password: String, company: Int64? = nil
    ) async throws(AuthError) -> Int64 {
        let hash = try await passwordHasher.acceptedHash(of: password, email: email)
        let named: Parameter = company.map { .text(String($0)) } ?? .null
        let found = try await database.query(Self.company, [named])
        guard found.count == 1, let company = found.text(0, 0) else { throw .noCompany }
        let step = Step(
            Self.insert,
            [.text(email), username.map { .text($0) } ?? .null, .text(role), .text(hash), .text(company)])
        let rows = try await database.insertAccount(step)
        guard let id = rows.text(0, 0).flatMap({ Int64($0) }) else { throw .noSuchAccount }
        return id
    }

    /// All accounts, ordered by e-mail: of a member of several companies, one for each.
    package func list() async throws(AuthError) -> [Account] {
        let rows = try await database.query(Self.all)
        return (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let email = rows.text(row, 1),
                let role = rows.text(row, 3), let company = rows.text(row, 9).flatMap({ Int64($0) })
            else { return nil }
            return Account(
                id: id, email: email, username: rows.text(row, 2), role: role, companyID: company,
                companyName: rows.text(row, 7) ?? "",
                isActive: rows.text(row, 4) == "true", isInvited: rows.text(row, 8) == "true",
                hasPassword: rows.text(row, 5) == "true", isOperator: rows.text(row, 6) == "true")
        }
    }

    /// Deactivates an account in all its companies and ends its sign-ins.
    ///
    /// - Throws: `.noSuchAccount`.
    package func disable(email: String) async throws(AuthError) {
        let id = try await id(of: email)
        _ = try await database.transaction([Step(Self.deactivate, [.text(String(id))])])
        _ = try await SignInRevocation(database: database).all(of: id, deadline: nil)
    }

    /// Makes an account an operator of the installation, or takes that away: in calls from now on.
    ///
    /// - Throws: `.noSuchAccount`.
    package func setOperator(_ isOperator: Bool, email: String) async throws(AuthError) {
        let id = try await id(of: email)
        _ = try await database.transaction([Step(Self.mark, [.text(String(id)), .text(String(isOperator))])])
    }

    /// Sets the password of an account and ends its sign-ins.
    ///
    /// - Throws: `.password` or `.noSuchAccount`.
    package func setPassword(_ password: String, email: String) async throws(AuthError) {
        let id = try await id(of: email)
        let hash = try await passwordHasher.acceptedHash(of: password, email: email)
        _ = try await SignInRevocation(database: database).settingPassword(of: id, to: hash, deadline: nil)
    }

    /// Lets accounts be given these roles, from the service and at psql.
    ///
    /// - Parameter roles: the roles beside the base roles, each with the table of its subjects; nil
    ///   for a role without subjects.
    package func serve(_ roles: [(name: String, subject: String?)]) async throws(AuthError) {
        for role in roles {
            let step = Step(Self.serve, [.text(role.name), role.subject.map { .text($0) } ?? .null])
            _ = try await database.transaction([step])
        }
    }

    private func id(of email: String) async throws(AuthError) -> Int64 {
        if let account = try await SignInStore(database: database).account(email: email, deadline: nil) {
            return account.id
        }
        throw .noSuchAccount
    }

    /// The company of this id, or without one the only company.
    private static let company = Statement(
        """
        SELECT c.id::text FROM kernel.companies c
        WHERE c.id = $1::bigint OR ($1::bigint IS NULL AND NOT EXISTS (SELECT FROM kernel.companies o WHERE o.id <> c.id))
        """)
    private static let insert = Statement(
        """
        WITH account AS (
            INSERT INTO users (company_id, email, username, role)
            VALUES ($5::bigint, $1::text, $2::text, $3::text) RETURNING id, account_id
        ), secret AS (
            INSERT INTO credentials (user_id, password_hash) SELECT account_id, $4::text FROM account
        )
        SELECT id::text FROM account
        """)
    private static let all = Statement(
        """
        SELECT u.id::text, u.email::text, u.username::text, u.role::text, u.is_active::text,
            (c.user_id IS NOT NULL)::text, a.is_operator::text, m.name, (u.joined_at IS NULL)::text, m.id::text
        FROM users u JOIN kernel.accounts a ON a.id = u.account_id JOIN kernel.companies m ON m.id = u.company_id
        LEFT JOIN credentials c ON c.user_id = u.account_id ORDER BY lower(u.email), u.company_id
        """)
    private static let serve = Statement("SELECT kernel.role_serve($1::text, $2::text::regclass)")
    private static let mark = Statement(
        "UPDATE kernel.accounts SET is_operator = $2::boolean WHERE id = $1::bigint")
    private static let deactivate = Statement("UPDATE users SET is_active = false WHERE account_id = $1::bigint")
}
