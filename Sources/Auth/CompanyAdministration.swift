package import PostgresDriver

/// The companies of the installation as an operator manages them from the command line, over connections of the database owner.
package struct CompanyAdministration: Sendable {
    package struct Company: Sendable, Equatable {
        package let id: Int64
        package let name: String
        /// How many members it has: those that are invited or deactivated count.
        package let members: Int
        /// The day, in UTC, as `2026-05-31`.
        package let since: String
        /// Whether no call is answered in it.
        package let isSuspended: Bool
        /// Whether its removal has begun, which a run of `companies erase` completes.
        package let isErasing: Bool
        /// How far a move to or from another installation is; nil: there is none.
        package let move: Move?
    }

    /// A move of a company between two installations (learntrack companies move).
    package enum Move: Sendable, Equatable {
        /// It is still served here.
        case leaving(to: String)
        case moved(to: String)
        /// Nobody writes in it yet.
        case arriving
    }

    /// How far the installation is on the way to several companies.
    package enum Stage: Sendable, Equatable {
        case one
        /// Companies are kept apart, and who names none is still in the first one.
        case enabled
        /// Who names no company is in none: further ones may be added.
        case closed
    }

    /// How the first administrator of a new company comes to sign in.
    package enum Admission: Sendable, Equatable {
        /// It has an account, and becomes a member.
        case member
        /// A mail was entered in the outbox, in the new company.
        case invited
        /// With the password that was given.
        case password
    }

    private let database: AuthDatabase
    private let passwordHasher: PasswordHasher

    package init(database: PostgresClient, passwordHasher: PasswordHasher = PasswordHasher()) {
        self.database = AuthDatabase(client: database)
        self.passwordHasher = passwordHasher
    }

    package func stage() async throws(AuthError) -> Stage {
        let rows = try await database.row(of: Self.present)
        return switch rows.text(0, 0) ?? "" {
        case "closed": .closed
        case "enabled": .enabled
        default: .one
        }
    }

    /// Lets policies keep companies apart. Servers learn it within seconds, and lose no call meanwhile.
    package func enable() async throws(AuthError) {
        _ = try await database.transaction([Step(Self.enabling)])
    }

    /// Shows nothing any more to who names no company. To be called when every server names one.
    package func close() async throws(AuthError) {
        _ = try await database.transaction([Step(Self.closing)])
    }

    /// All companies, in the order in which they were added.
    package func list() async throws(AuthError) -> [Company] {
        let rows = try await database.query(Self.all)
        return (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let name = rows.text(row, 1),
                let members = rows.text(row, 2).flatMap({ Int($0) }), let since = rows.text(row, 3)
            else { return nil }
            return Company(
                id: id, name: name, members: members, since: since, isSuspended: rows.text(row, 4) == "true",
                isErasing: rows.text(row, 7) == "true", move: Move(rows.text(row, 5), to: rows.text(row, 6)))
        }
    }

    /// Whether there is a company of this id; nil: whether who names none is in the only one.
    package func isMeant(_ company: Int64?) async throws(AuthError) -> Bool {
        let rows = try await database.row(of: Self.meant, [company.map { .text(String($0)) } ?? .null])
        return rows.text(0, 0) == "true"
    }

    /// Whether an account has this e-mail.
    package func isKnown(email: String) async throws(AuthError) -> Bool {
        try await database.row(of: Self.known, [.text(email)]).text(0, 0) == "true"
    }

    /// Makes a company with its first administrator.
    ///
    /// - Parameters:
    ///   - password: of the account that is made for the e-mail; nil for an account that is there, or that is invited.
    ///   - invites: whether a mail invites the person, with or without an account; otherwise the account is a member at once.
    /// - Returns: the id of the company.
    /// - Throws: `.password`, or `.database` for a name or an e-mail that the database rejects.
    package func add(
        name: String, admin email: String, password: String?, invites: Bool
    ) async throws(AuthError) -> (id: Int64, admission: Admission) {
        var hash: String?
        if let password { hash = try await passwordHasher.acceptedHash(of: password, email: email) }
        let results = try await database.transaction([
            Step(Self.adding, [.text(name), .text(email), hash.map { .text($0) } ?? .null, .text(String(invites))])
        ])
        guard let rows = results.first, rows.count == 1, let id = rows.text(0, 0).flatMap({ Int64($0) }) else {
            throw .noSuchCompany
        }
        if rows.text(0, 1) == "true" { return (id, .invited) }
        return (id, password == nil ? .member : .password)
    }

    /// Gives a company another name.
    ///
    /// - Throws: `.noCompany`; `.database` for a name that the database rejects.
    package func rename(_ company: Int64, to name: String) async throws(AuthError) {
        try await change(company, Step(Self.renaming, [.text(String(company)), .text(name)]))
    }

    /// Suspends a company, or resumes it. Servers learn it within a second.
    ///
    /// - Throws: `.noCompany`.
    package func suspend(_ company: Int64, _ isSuspended: Bool) async throws(AuthError) {
        try await change(company, Step(Self.suspending, [.text(String(company)), .text(String(isSuspended))]))
    }

    /// Waits for the last round of a move, which takes the name and the suspension along.
    private func change(_ company: Int64, _ step: Step) async throws(AuthError) {
        let results = try await database.transaction([Step(Self.waiting, [.text(String(company))]), step])
        guard let rows = results.last, rows.count == 1 else { throw .noCompany }
    }

    private static let waiting = Statement("SELECT kernel.company_wait($1::bigint)")
    private static let renaming = Statement(
        "UPDATE kernel.companies c SET name = $2::text WHERE c.id = $1::bigint RETURNING c.id::text")
    private static let suspending = Statement(
        """
        UPDATE kernel.companies c SET suspended_at = CASE WHEN $2::boolean THEN coalesce(c.suspended_at, now()) END
        WHERE c.id = $1::bigint RETURNING c.id::text
        """)
    private static let present = Statement(
        """
        SELECT coalesce(max(CASE WHEN i.closed_at IS NOT NULL THEN 'closed' WHEN i.enabled_at IS NOT NULL THEN 'enabled' END), 'one')
        FROM kernel.installation i
        """)
    private static let enabling = Statement("SELECT kernel.companies_enable()")
    private static let closing = Statement("SELECT kernel.companies_close()")
    private static let all = Statement(
        """
        SELECT c.id::text, c.name::text, (SELECT count(*) FROM users u WHERE u.company_id = c.id)::text,
            to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), (c.suspended_at IS NOT NULL)::text,
            c.move, c.move_to, (c.erasing_at IS NOT NULL)::text
        FROM kernel.companies c ORDER BY c.id
        """)
    private static let meant = Statement(
        """
        SELECT CASE WHEN $1::bigint IS NULL
            THEN NOT EXISTS (SELECT FROM kernel.installation i WHERE i.closed_at IS NOT NULL)
            ELSE EXISTS (SELECT FROM kernel.companies c WHERE c.id = $1::bigint) END::text
        """)
    private static let known = Statement(
        "SELECT EXISTS (SELECT FROM kernel.accounts a WHERE lower(a.email) = lower($1::text))::text")
    private static let adding = Statement(
        "SELECT company::text, is_invited::text FROM kernel.companies_add($1::text, $2::text, $3::text, $4::boolean)")
}

extension CompanyAdministration.Move {
    /// As the columns `move` and `move_to` have it.
    init?(_ state: String?, to place: String?) {
        switch (state, place) {
        case ("leaving", let place?): self = .leaving(to: place)
        case ("moved", let place?): self = .moved(to: place)
        case ("arriving", _): self = .arriving
        default: return nil
        }
    }
}
