import PostgresDriver

/// A company as an operator sees it: its name and its size, no record.
package struct CompanySummary: Sendable, Equatable {
    package let id: Int64
    package let name: String
    /// How many members it has: those that are invited or deactivated count.
    package let members: Int
    /// RFC 3339 in UTC.
    package let createdAt: String
    package let isSuspended: Bool
}

/// What a company has used in a period, for bills.
package struct CompanyUsage: Sendable, Equatable {
    package let id: Int64
    package let name: String
    /// Who may act in it now, and had joined by the last day.
    package let members: Int
    /// In the period.
    package let signIns: Int
    /// Rows of all entities, as there are now.
    package let records: Int
    /// That links have opened in the period.
    package let documents: Int
    /// That people have given in the period.
    package let signatures: Int
    /// That have left in the period.
    package let messages: Int
    /// Of the files that members gave, as there are now.
    package let bytes: Int
}

/// What operators do, and the name that an administrator gives a company. The database checks again who calls.
extension AuthService {
    /// Whether the account is an operator of the installation.
    package func isOperator(
        _ user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        // A stolen key makes no company.
        guard user.accessKeyID == nil else { return false }
        let rows = try await database.query(
            Self.operatorMark, [.text(String(user.accountID))], for: Share(user.accountID), deadline: deadline)
        return rows.text(0, 0) == "true"
    }

    /// All companies by name, for an operator.
    package func listCompanies(
        for user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [CompanySummary] {
        let rows = try await database.query(
            Self.summaries, [.text(String(user.accountID)), .null], for: Share(user.accountID), deadline: deadline)
        return (0..<rows.count).compactMap { CompanySummary(rows, $0) }
    }

    /// Makes a company, and invites its first administrator by mail.
    ///
    /// - Returns: nil if an earlier call with the same idempotency key has made it, and it is gone.
    /// - Throws: `.idempotency`; `.database` with the violation `companies_not_enabled` while the installation serves one company,
    ///   `companies_name_key` for a name that is taken, or that of the address.
    package func createCompany(
        named name: String, admin email: String, by user: AuthenticatedUser, on terms: WriteTerms,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> CompanySummary? {
        let account = Parameter.text(String(user.accountID))
        let steps = [
            Step(Self.creation, [account, .text(name), .text(email)]),
            // In the same transaction, which a trial undoes.
            Step(Self.created, [account]),
        ]
        switch try await database.write(steps, by: user.member, on: terms, deadline: deadline) {
        case .done(let results): return CompanySummary(results[1], 0)
        case .repeated(let answer):
            guard let answer else { return nil }
            let rows = try await database.query(Self.summaries, [account, .text(answer)], deadline: deadline)
            return CompanySummary(rows, 0)
        }
    }

    /// Suspends a company, or resumes it: on this instance at once, on others within a second.
    ///
    /// - Returns: nil if there is no such company.
    /// - Throws: `.idempotency`.
    package func suspendCompany(
        _ company: Int64, _ isSuspended: Bool, by user: AuthenticatedUser, on terms: WriteTerms,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> CompanySummary? {
        let (account, id) = (Parameter.text(String(user.accountID)), Parameter.text(String(company)))
        let start = ContinuousClock.now
        let steps = [
            Step(Self.suspension, [account, id, .text(String(isSuspended))]), Step(Self.summaries, [account, id]),
        ]
        switch try await database.write(steps, by: user.member, on: terms, deadline: deadline) {
        case .done(let results):
            if !terms.isDryRun, results[0].text(0, 0) == "true" {
                revocations.set(isSuspended ? .suspended : nil, of: company, asOf: start)
            }
            return CompanySummary(results[1], 0)
        case .repeated:
            let rows = try await database.query(Self.summaries, [account, id], deadline: deadline)
            return CompanySummary(rows, 0)
        }
    }

    /// What each company has used, by name, for an operator.
    ///
    /// - Parameters:
    ///   - start: the first day, as `2026-05-01`, in the time zone of the service.
    ///   - end: the last day.
    package func companyUsage(
        from start: String, to end: String, for user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [CompanyUsage] {
        let rows = try await database.query(
            Self.usage, [.text(String(user.accountID)), .text(start), .text(end)], for: Share(user.accountID),
            deadline: deadline)
        return (0..<rows.count).compactMap { CompanyUsage(rows, $0) }
    }

    /// Gives the company of an administrator another name.
    ///
    /// Another company may have the name: a refusal would tell the administrator of it.
    ///
    /// - Throws: `.idempotency`.
    package func renameCompany(
        to name: String, by user: AuthenticatedUser, on terms: WriteTerms, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        _ = try await database.write(
            [Step(Self.renaming, [.text(name)])], by: user.member, on: terms, deadline: deadline)
    }

    /// Leaves an id as the answer of the write.
    private static func answer(_ id: String) -> String {
        "set_config('learntrack.answers', jsonb_build_array(\(id)::text)::text, true)"
    }
    private static let operatorMark = Statement(
        "SELECT a.is_operator::text FROM kernel.accounts a WHERE a.id = $1::bigint")
    private static let summary =
        "c.id::text, c.name, c.members::text, to_json(c.since) #>> '{}', c.is_suspended::text"
    private static let summaries = Statement(
        "SELECT \(summary) FROM kernel.operator_companies($1::bigint, $2::bigint) c")
    private static let creation = Statement(
        """
        SELECT made::text, \(answer("made")) FROM kernel.operator_create($1::bigint, $2::text, $3::text) AS made
        """)
    /// The company of the step before.
    private static let created = Statement(
        """
        SELECT \(summary) FROM kernel.operator_companies(
            $1::bigint, (current_setting('learntrack.answers')::jsonb ->> 0)::bigint) c
        """)
    private static let suspension = Statement(
        """
        SELECT found::text, CASE WHEN found THEN \(answer("$2::bigint")) END
        FROM kernel.operator_suspend($1::bigint, $2::bigint, $3::boolean) AS found
        """)
    private static let usage = Statement(
        """
        SELECT c.id::text, c.name, c.members::text, c.sign_ins::text, c.records::text, c.documents::text,
            c.signatures::text, c.messages::text, c.bytes::text
        FROM kernel.operator_usage($1::bigint, $2::date, $3::date) c
        """)
    private static let renaming = Statement(
        "SELECT made::text, \(answer("made")) FROM kernel.company_rename($1::text) AS made")
}

extension CompanySummary {
    /// Nil if there is no such row.
    fileprivate init?(_ rows: Rows, _ row: Int) {
        guard row < rows.count, let id = rows.text(row, 0).flatMap({ Int64($0) }), let name = rows.text(row, 1),
            let members = rows.text(row, 2).flatMap({ Int($0) }), let createdAt = rows.text(row, 3)
        else { return nil }
        self.init(
            id: id, name: name, members: members, createdAt: createdAt, isSuspended: rows.text(row, 4) == "true")
    }
}

extension CompanyUsage {
    fileprivate init?(_ rows: Rows, _ row: Int) {
        guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let name = rows.text(row, 1) else { return nil }
        func number(_ column: Int) -> Int { rows.text(row, column).flatMap { Int($0) } ?? 0 }
        self.init(
            id: id, name: name, members: number(2), signIns: number(3), records: number(4), documents: number(5),
            signatures: number(6), messages: number(7), bytes: number(8))
    }
}
