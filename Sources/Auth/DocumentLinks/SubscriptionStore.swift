package import JSON
import PostgresDriver

/// The subscriptions in the database.
struct SubscriptionStore: Sendable {
    let database: AuthDatabase

    func create(
        _ secret: SubscriptionSecret, to document: LinkedDocument, kind: String, named name: String?,
        on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<Int64> {
        var params: [UInt8] = []
        params.appendJSON(.object(document.params))
        let step = Step(
            Self.insert,
            [
                .text(String(document.user.userID)), .text(document.acting.role),
                document.acting.subject.map { .text(String($0)) } ?? .null, .text(kind), .text(document.method),
                .text(String(decoding: params, as: UTF8.self)), name.map { .text($0) } ?? .null, .bytes(secret.hash),
            ])
        let rows: Rows
        switch try await database.write([step], by: document.user.member, on: terms, deadline: deadline) {
        case .done(let results): rows = results[0]
        case .repeated(let answer): return .repeated(answer: answer)
        }
        switch rows.text(0, 0) {
        case "role": throw .unauthenticated(.revoked)
        case "full": throw .tooManySubscriptions
        default: break
        }
        guard let id = rows.text(0, 1).flatMap({ Int64($0) }) else { throw .noSuchAccount }
        return .done(id)
    }

    func exists(
        _ id: Int64, in company: Int64, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Bool {
        try await database.query(Self.one, [.text(String(id)), .text(String(company))], deadline: deadline).count > 0
    }

    /// The subscriptions of a kind, the newest first.
    ///
    /// - Parameter member: nil: of every member of the company.
    func list(
        kind: String, of member: Int64?, in company: Int64, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [SubscriptionSummary] {
        let rows = try await database.query(
            Self.all, [.text(kind), member.map { .text(String($0)) } ?? .null, .text(String(company))],
            deadline: deadline)
        return (0..<rows.count).compactMap { row in
            guard let id = rows.text(row, 0).flatMap({ Int64($0) }),
                let account = rows.text(row, 1).flatMap({ Int64($0) }),
                let role = rows.text(row, 2), let params = Self.object(rows.text(row, 4)),
                let createdAt = rows.text(row, 6)
            else { return nil }
            return SubscriptionSummary(
                id: id, account: account,
                acting: HeldRole(role: role, subject: rows.text(row, 3).flatMap { Int64($0) }), params: params,
                name: rows.text(row, 5), createdAt: createdAt, lastUsedAt: rows.text(row, 7))
        }
    }

    /// - Parameter member: nil: of every member of the caller's company.
    /// - Returns: false if there is no such subscription.
    func delete(
        _ id: Int64, kind: String, of member: Int64?, by caller: Member, on terms: WriteTerms,
        deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Bool {
        let step = Step(
            Self.end,
            [
                .text(String(id)), .text(kind), member.map { .text(String($0)) } ?? .null,
                .text(String(caller.company)),
            ])
        return switch try await database.write([step], by: caller, on: terms, deadline: deadline) {
        case .done(let results): results[0].count > 0
        case .repeated: true
        }
    }

    /// What a subscription opens, and why its company is closed, if it is. Notes its use. Nil if there is none with this secret.
    func document(
        _ id: Int64, _ secret: SubscriptionSecret, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (document: LinkedDocument, closure: CompanyClosure?)? {
        let step = Step(Self.use, [.text(String(id)), .bytes(secret.hash)])
        // The account is not known yet. No account has a negative id.
        let rows = try await database.transaction([step], for: Share(-id), deadline: deadline)[0]
        guard rows.count == 1, let id = rows.text(0, 0).flatMap({ Int64($0) }), let role = rows.text(0, 1),
            let method = rows.text(0, 3), let params = Self.object(rows.text(0, 4)),
            let company = rows.text(0, 5).flatMap({ Int64($0) }), let account = rows.text(0, 6).flatMap({ Int64($0) })
        else { return nil }
        let acting = HeldRole(role: role, subject: rows.text(0, 2).flatMap { Int64($0) })
        let document = LinkedDocument(
            method: method, params: params,
            user: AuthenticatedUser(
                member: Member(company: company, id: id), account: account, signInID: "", role: role,
                additionalRoles: [acting]),
            acting: acting)
        return (document, CompanyClosure(in: rows, column: 7))
    }

    /// A sign-in or key of a link that is valid.
    struct CredentialState {
        /// Why no call is answered in its company, if none is.
        let closure: CompanyClosure?
    }

    /// The state of the sign-in or key of a link; nil if it is not valid any more, or its role is not.
    func credential(
        of document: LinkedDocument, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> CredentialState? {
        let user = document.user
        let rows = try await database.query(
            Self.credential,
            [
                .text(String(user.userID)), user.accessKeyID.map { .text(String($0)) } ?? .null,
                user.signInID.isEmpty ? .null : .text(user.signInID), .text(document.acting.role),
                document.acting.subject.map { .text(String($0)) } ?? .null, .text(String(user.company)),
                .text(String(user.deactivations)),
            ], for: user.share, deadline: deadline)
        guard rows.count == 1 else { return nil }
        return CredentialState(closure: CompanyClosure(in: rows, column: 0))
    }

    private static func object(_ text: String?) -> JSONObject? {
        guard let text else { return nil }
        do throws(JSONError) {
            guard case .object(let object) = try JSONReader.read(text).value else { return nil }
            return object
        } catch {
            return nil
        }
    }

    // MARK: Statements

    private static let insert = Statement(
        """
        SELECT outcome, id::text, CASE WHEN id IS NOT NULL THEN \(answer) END
        FROM kernel.create_subscription(
            $1::bigint, $2::text, $3::bigint, $4::text, $5::text, $6::jsonb, $7::text, $8::bytea)
        """)
    private static let all = Statement(
        """
        SELECT id::text, account_id::text, role, subject::text, params::text, name::text,
            to_json(created_at) #>> '{}', to_json(last_used_at) #>> '{}'
        FROM kernel.subscriptions
        WHERE company_id = $3::bigint AND kind = $1::text AND ($2::bigint IS NULL OR account_id = $2::bigint)
        ORDER BY id DESC
        """)
    private static let end = Statement(
        """
        DELETE FROM kernel.subscriptions
        WHERE company_id = $4::bigint AND id = $1::bigint AND kind = $2::text
            AND ($3::bigint IS NULL OR account_id = $3::bigint)
        RETURNING id::text, \(answer)
        """)
    private static let one = Statement(
        "SELECT id FROM kernel.subscriptions WHERE company_id = $2::bigint AND id = $1::bigint")

    /// Leaves the id as the answer of the write. The secret of the link is not kept.
    private static let answer = "set_config('learntrack.answers', jsonb_build_array(id::text)::text, true)"

    /// A condition: the member `u` holds the role.
    private static func holds(_ role: String, _ subject: String) -> String {
        """
        u.is_member AND (u.role = \(role) OR EXISTS (
            SELECT FROM account_roles a
            WHERE a.company_id = u.company_id AND a.account_id = u.id AND a.role = \(role) AND a.subject IS NOT DISTINCT FROM \(subject)))
        """
    }
    private static let use = Statement(
        """
        WITH found AS (
            SELECT s.id, s.company_id, s.account_id, u.account_id AS account, s.role, s.subject, s.method, s.params,
                s.last_used_at, \(CompanyClosure.column(of: "n")) AS closure
            FROM kernel.subscriptions s JOIN users u ON u.company_id = s.company_id AND u.id = s.account_id
                JOIN kernel.companies n ON n.id = s.company_id
            WHERE s.id = $1::bigint AND s.secret_hash = $2::bytea AND \(holds("s.role", "s.subject"))
        ), used AS (
            UPDATE kernel.subscriptions s SET last_used_at = now() FROM found
            WHERE s.company_id = found.company_id AND s.id = found.id
                AND (found.last_used_at IS NULL OR found.last_used_at <= now() - interval '1 minute')
        )
        SELECT account_id::text, role, subject::text, method, params::text, company_id::text, account::text,
            closure
        FROM found
        """)
    /// A sign-in of Supabase is not in the table, and only an account of Supabase can have one. A sign-in goes on in other companies
    /// when the member of one is deactivated: a link from before that opens nothing any more, as its token does.
    private static let credential = Statement(
        """
        SELECT \(CompanyClosure.column(of: "n")) FROM users u JOIN kernel.companies n ON n.id = u.company_id
        WHERE u.company_id = $6::bigint AND u.id = $1::bigint AND \(holds("$4::text", "$5::bigint")) AND CASE
            WHEN $2::bigint IS NOT NULL THEN EXISTS (
                SELECT FROM access_keys k
                WHERE k.company_id = u.company_id AND k.id = $2::bigint AND k.account_id = u.id AND k.revoked_at IS NULL
                    AND (k.expires_at IS NULL OR k.expires_at > now()))
            WHEN u.deactivations > $7::bigint THEN false
            WHEN EXISTS (SELECT FROM sign_ins s WHERE s.id = $3::uuid) THEN EXISTS (
                SELECT FROM sign_ins s WHERE s.id = $3::uuid AND s.user_id = u.account_id AND s.ended_at IS NULL)
            ELSE u.supabase_user_id IS NOT NULL
        END
        """)
}

/// One subscription in the list of an account. It does not contain the link.
package struct SubscriptionSummary: Sendable, Equatable {
    package let id: Int64
    package let account: Int64
    /// The role in which it opens the document.
    package let acting: HeldRole
    /// What the document is made for.
    package let params: JSONObject
    package let name: String?
    /// RFC 3339 in UTC.
    package let createdAt: String
    /// RFC 3339 in UTC, to the minute; nil: the link has not been opened.
    package let lastUsedAt: String?
}
