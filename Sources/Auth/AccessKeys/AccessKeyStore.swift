import PostgresDriver
import TextEncodings

/// The access keys in the database.
struct AccessKeyStore: Sendable {
    let database: AuthDatabase

    /// All keys.
    func all(deadline: ContinuousClock.Instant?) async throws(AuthError) -> [StoredAccessKey] {
        Self.keys(in: try await database.query(Self.everyKey, deadline: deadline))
    }

    /// The keys that have changed during the last `seconds`, and those with these ids.
    func changed(
        seconds: Double, ids: Set<Int64>, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [StoredAccessKey] {
        Self.keys(
            in: try await database.query(
                Self.changedKeys, [.text(String(seconds)), Self.array(ids)], deadline: deadline))
    }

    /// The key with this hash, and why its company is closed, if it is.
    func key(
        hash: [UInt8], deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (key: StoredAccessKey, closure: CompanyClosure?)? {
        let rows = try await database.query(Self.keyByHash, [.bytes(hash)], deadline: deadline)
        return Self.keys(in: rows, firstColumn: 1).first.map { ($0, CompanyClosure(in: rows, column: 0)) }
    }

    /// Records that the keys were used, at most once a minute for each.
    func noteUse(of ids: Set<Int64>, deadline: ContinuousClock.Instant?) async throws(AuthError) {
        _ = try await database.transaction([Step(Self.use, [Self.array(ids)])], deadline: deadline)
    }

    /// Creates a key in a role that the account holds.
    ///
    /// - Parameters:
    ///   - caller: the account that creates it.
    ///   - terms: those of the call.
    func create(
        _ key: AccessKey, named name: String, for account: Int64, as acting: HeldRole, until expiresAt: String?,
        by caller: Member, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<(AccessKeySummary, StoredAccessKey)> {
        let step = Step(
            Self.insert,
            [
                .text(String(account)), .text(acting.role), acting.subject.map { .text(String($0)) } ?? .null,
                .text(name), expiresAt.map { .text($0) } ?? .null, .bytes(key.hash),
            ])
        let rows: Rows
        switch try await database.write([step], by: caller, on: terms, deadline: deadline) {
        case .done(let results): rows = results[0]
        case .repeated(let answer): return .repeated(answer: answer)
        }
        if let error = rows.text(0, 0).flatMap(AccessKeyError.init(rawValue:)) { throw .accessKey(error) }
        guard let summary = Self.summaries(in: rows, firstColumn: 1).first,
            let stored = Self.keys(in: rows, firstColumn: 8).first
        else { throw .noSuchAccount }
        return .done((summary, stored))
    }

    /// A key that is not revoked.
    func summary(
        _ id: Int64, in company: Int64, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AccessKeySummary? {
        let rows = try await database.query(
            Self.key, [.text(String(company)), .text(String(id))], deadline: deadline)
        return Self.summaries(in: rows, firstColumn: 0).first
    }

    /// The keys of an account that are not revoked, the newest first. Nil if there is no such account.
    func list(
        of member: Member, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [AccessKeySummary]? {
        let rows = try await database.query(
            Self.keysOfAccount, [.text(String(member.company)), .text(String(member.id))], deadline: deadline)
        return rows.count == 0 ? nil : Self.summaries(in: rows, firstColumn: 0)
    }

    /// - Returns: nil if there is no such key, or it has been revoked before.
    func revoke(
        _ id: Int64, by caller: Member, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<StoredAccessKey?> {
        let step = Step(Self.end, [.text(String(caller.company)), .text(String(id))])
        return switch try await database.write([step], by: caller, on: terms, deadline: deadline) {
        case .done(let results): .done(Self.keys(in: results[0]).first)
        case .repeated(let answer): .repeated(answer: answer)
        }
    }

    // MARK: Rows

    private static func array(_ ids: Set<Int64>) -> Parameter {
        .text("{" + ids.map(String.init).joined(separator: ",") + "}")
    }

    private static func keys(in rows: Rows, firstColumn column: Int = 0) -> [StoredAccessKey] {
        (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, column).flatMap({ Int64($0) }),
                let hash = rows.text(row, column + 1).flatMap(HexText.bytes),
                let userID = rows.text(row, column + 2).flatMap({ Int64($0) }),
                let role = rows.text(row, column + 3),
                let version = rows.text(row, column + 7).flatMap({ Int64($0) }),
                let company = rows.text(row, column + 8).flatMap({ Int64($0) }),
                let account = rows.text(row, column + 9).flatMap({ Int64($0) })
            else { return nil }
            return StoredAccessKey(
                id: id, hash: hash, member: Member(company: company, id: userID), account: account,
                acting: HeldRole(role: role, subject: rows.text(row, column + 4).flatMap { Int64($0) }),
                expiresAt: rows.text(row, column + 5).flatMap { Double($0) },
                isRevoked: rows.text(row, column + 6) == "true", version: version)
        }
    }

    /// Rows without an id are none.
    private static func summaries(in rows: Rows, firstColumn column: Int) -> [AccessKeySummary] {
        (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, column).flatMap({ Int64($0) }),
                let account = rows.text(row, column + 1).flatMap({ Int64($0) })
            else { return nil }
            return AccessKeySummary(
                id: id, account: account,
                acting: HeldRole(
                    role: rows.text(row, column + 2) ?? "",
                    subject: rows.text(row, column + 3).flatMap { Int64($0) }),
                name: rows.text(row, column + 4) ?? "", expiresAt: rows.text(row, column + 5),
                lastUsedAt: rows.text(row, column + 6))
        }
    }

    // MARK: Statements

    private static func columns(_ row: String) -> String {
        """
        \(row).id::text, encode(\(row).key_hash, 'hex'), \(row).account_id::text, \(row).role, \(row).subject::text,
            extract(epoch FROM \(row).expires_at)::text, (\(row).revoked_at IS NOT NULL)::text, \(row).version::text,
            \(row).company_id::text, (
                SELECT u.account_id FROM users u
                WHERE u.company_id = \(row).company_id AND u.id = \(row).account_id)::text
        """
    }
    private static func summaryColumns(_ row: String) -> String {
        """
        \(row).id::text, \(row).account_id::text, \(row).role, \(row).subject::text, \(row).name::text,
            to_json(\(row).expires_at) #>> '{}', to_json(\(row).last_used_at) #>> '{}'
        """
    }
    /// Leaves the id as the answer of the write. The key itself is not kept.
    private static func answer(_ row: String) -> String {
        "set_config('learntrack.answers', jsonb_build_array(\(row).id::text)::text, true)"
    }
    private static let everyKey = Statement("SELECT \(columns("k")) FROM access_keys k")
    private static let changedKeys = Statement(
        """
        SELECT \(columns("k")) FROM access_keys k
        WHERE k.changed_at > now() - make_interval(secs => $1::double precision) OR k.id = ANY ($2::bigint[])
        """)
    private static let keyByHash = Statement(
        """
        SELECT \(CompanyClosure.column(of: "n")), \(columns("k"))
        FROM access_keys k JOIN kernel.companies n ON n.id = k.company_id WHERE k.key_hash = $1::bytea
        """)
    private static let use = Statement(
        """
        UPDATE access_keys SET last_used_at = now()
        WHERE id = ANY ($1::bigint[]) AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')
        """)
    private static let insert = Statement(
        """
        SELECT outcome, \(summaryColumns("(created)")), \(columns("(created)")),
            CASE outcome WHEN 'created' THEN \(answer("(created)")) END
        FROM kernel.create_access_key(
            $1::bigint, $2::text, $3::bigint, $4::text, $5::timestamptz, $6::bytea)
        """)
    private static let keysOfAccount = Statement(
        """
        SELECT \(summaryColumns("k"))
        FROM users u LEFT JOIN access_keys k
            ON k.company_id = u.company_id AND k.account_id = u.id AND k.revoked_at IS NULL
        WHERE u.company_id = $1::bigint AND u.id = $2::bigint ORDER BY k.id DESC
        """)
    private static let key = Statement(
        """
        SELECT \(summaryColumns("k")) FROM access_keys k
        WHERE k.company_id = $1::bigint AND k.id = $2::bigint AND k.revoked_at IS NULL
        """)
    private static let end = Statement(
        """
        UPDATE access_keys k SET revoked_at = now()
        WHERE k.company_id = $1::bigint AND k.id = $2::bigint AND k.revoked_at IS NULL
        RETURNING \(columns("k")), \(answer("k"))
        """)
}

/// Why an access key was not created. The raw values are those of the database function that creates keys.
package enum AccessKeyError: String, Error, Sendable, Equatable {
    /// There is no such account.
    case noSuchAccount = "account"
    /// The account is deactivated.
    case inactiveAccount = "inactive"
    /// The account does not hold the role.
    case roleNotHeld = "role"
    /// The account holds the role for several records, and none was named.
    case severalSubjects = "subject"
    /// The account does not hold the role for this record.
    case subjectNotHeld = "no_subject"
    /// The key would have expired already.
    case expired
}

/// One access key in the list of an account. It does not contain the key.
package struct AccessKeySummary: Sendable, Equatable {
    package let id: Int64
    package let account: Int64
    /// The role in which the key acts.
    package let acting: HeldRole
    package let name: String
    /// RFC 3339 in UTC; nil: the key does not expire.
    package let expiresAt: String?
    /// RFC 3339 in UTC, to the minute; nil: the key has not been used.
    package let lastUsedAt: String?
}
