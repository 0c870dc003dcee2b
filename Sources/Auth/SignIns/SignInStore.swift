import PostgresDriver

/// The sign-ins in the database: a row for each successful login.
struct SignInStore: Sendable {
    let database: AuthDatabase

    /// An account as a login needs it.
    struct Account: Sendable {
        let id: Int64
        let email: String
        /// Whether it is an active member of a company.
        let isActive: Bool
        let passwordHash: String?
    }

    func account(email: String, deadline: ContinuousClock.Instant?) async throws(AuthError) -> Account? {
        // Postgres rejects texts with a NUL character, so no account has such an e-mail.
        guard !email.utf8.contains(0) else { return nil }
        let rows = try await database.query(Self.accountByEmail, [.text(email)], deadline: deadline)
        guard rows.count == 1, let id = rows.text(0, 0).flatMap({ Int64($0) }), let email = rows.text(0, 1) else {
            return nil
        }
        return Account(
            id: id, email: email, isActive: rows.text(0, 2) == "true", passwordHash: rows.text(0, 3))
    }

    /// Starts a sign-in, and with it clears the failures that the throttle has counted for its origin.
    ///
    /// The statement checks again that the password is still the verified one, that the account is an active member and that the
    /// throttle admits the attempt. So a correct guess among many simultaneous ones is worth no more than one in a
    /// sequence of guesses.
    /// - Parameter replacement: a hash of the current kind to store in place of `verifiedHash`.
    /// - Returns: the member of the company that is entered. Nil if one of the checks failed.
    func start(
        _ token: RefreshToken, of account: Int64, in company: Int64?, verifiedHash: String, replacement: String?,
        userAgent: String?, origin: LoginThrottle.Origin, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> ActiveMember? {
        var steps = [
            Step(
                replacement == nil ? Self.insert : Self.insertAndRewrite,
                [
                    .text(token.signInID), .text(String(account)), .bytes(token.hash),
                    userAgent.map { .text($0) } ?? .null, .text(verifiedHash), .text(origin.email),
                    origin.network.map { .text($0) } ?? .null, .text(String(origin.isKnown)),
                    company.map { .text(String($0)) } ?? .null,
                ])
        ]
        if let replacement {
            steps.append(Step(Self.rewrite, [.text(replacement), .text(String(account)), .text(verifiedHash)]))
        }
        let results = try await database.transaction(steps, deadline: deadline)
        return try Self.started(results[0], company)
    }

    /// The member that a statement has signed in.
    ///
    /// - Throws: `.noSuchCompany` if its checks passed and the account is not an active member of the company that is asked for.
    private static func started(_ rows: Rows, _ company: Int64?) throws(AuthError) -> ActiveMember? {
        if let member = ActiveMember(in: rows) { return member }
        guard rows.count == 0 || company == nil else { throw .noSuchCompany }
        return nil
    }

    /// Starts a sign-in with a passkey whose signature was verified.
    ///
    /// The statement checks that the challenge has not served before, that the count of the authenticator has grown (one
    /// that does not count is always at 0), and that the account is active.
    /// - Returns: the member of the company that is entered. Nil if one of the checks failed.
    func start(
        _ token: RefreshToken, byPasskey passkey: Int64, _ signature: VerifiedSignature, userAgent: String?,
        network: String?, in company: Int64?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> ActiveMember? {
        let step = Step(
            Self.insertByPasskey,
            [
                .text(token.signInID), .text(String(passkey)), .bytes(token.hash),
                userAgent.map { .text($0) } ?? .null, .bytes(signature.challenge.nonce),
                .text(String(signature.challenge.expiresAt)), network.map { .text($0) } ?? .null,
                .text(String(signature.signCount)), .text(String(signature.mayBeBackedUp)),
                company.map { .text(String($0)) } ?? .null,
            ])
        return try Self.started(try await database.transaction([step], deadline: deadline)[0], company)
    }

    /// The sign-ins of the user that have not ended, the most recently used first.
    func list(
        of user: AuthenticatedUser, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [SignInSummary] {
        let rows = try await database.query(Self.openSignIns, [.text(String(user.accountID))], deadline: deadline)
        return (0..<rows.count).map { row in
            let id = rows.text(row, 0) ?? ""
            return SignInSummary(
                id: id, createdAt: rows.text(row, 1) ?? "", lastUsedAt: rows.text(row, 2) ?? "",
                userAgent: rows.text(row, 3), isCurrent: id == user.signInID)
        }
    }

    private static let openSignIns = Statement(
        """
        SELECT id::text, to_json(created_at) #>> '{}', to_json(last_used_at) #>> '{}', user_agent FROM sign_ins
        WHERE user_id = $1::bigint AND ended_at IS NULL
            AND last_used_at > now() - interval '30 days' AND created_at > now() - interval '90 days'
        ORDER BY last_used_at DESC, id
        """)
    private static let accountByEmail = Statement(
        """
        SELECT a.id::text, a.email::text, EXISTS (SELECT FROM users u WHERE u.account_id = a.id AND u.is_member)::text,
            c.password_hash
        FROM kernel.accounts a LEFT JOIN credentials c ON c.user_id = a.id WHERE lower(a.email) = lower($1::text)
        """)
    private static let insert = inserting(lock: "SHARE")
    /// Two transactions that both held the shared lock would deadlock when each of them rewrites the row.
    private static let insertAndRewrite = inserting(lock: "NO KEY UPDATE")

    /// The lock on the credentials orders the sign-in and a change of the password: either the change waits for the
    /// sign-in and then ends it, or the sign-in waits for the change and then sees the new hash. So no sign-in with an
    /// old password outlives the change.
    private static func inserting(lock: String) -> Statement {
        Statement(
            """
            WITH governing AS (
                SELECT \(LoginThrottle.slot(email: "$6::text", network: "$7::text", isKnown: "$8::boolean")) AS slot
            ), account AS (
                SELECT c.user_id, m.*
                FROM credentials c LEFT JOIN LATERAL (\(ActiveMember.query(of: "c.user_id", in: "$9::bigint"))) m ON true
                WHERE c.user_id = $2::bigint AND c.password_hash = $5::text
                    AND NOT EXISTS (
                        SELECT FROM attempts a WHERE a.not_before > now()
                            AND a.slot IN ((SELECT slot FROM governing), kernel.attempt_slot(2, $7::text)))
                FOR \(lock) OF c
            ), \(starting), cleared AS (
                DELETE FROM attempts a USING account, governing WHERE a.slot = governing.slot
            )
            SELECT \(ActiveMember.columns) FROM account
            """)
    }

    /// The parts of a statement that start the sign-in of `account`, with the id $1, the hash $3 of its token, the user agent
    /// $4 and the network $7.
    ///
    /// They also delete rows that are out of date: places that the account has not signed in from for 90 days, and sign-ins
    /// that ended, or expired, 90 days ago.
    private static let starting = """
        started AS (
            INSERT INTO sign_ins (id, user_id, company_id, refresh_hash, user_agent)
            SELECT $1::uuid, account.user_id, account.company::bigint, $3::bytea, $4::text FROM account
            WHERE account.company IS NOT NULL
        ), place AS (
            INSERT INTO known_places AS k (user_id, network)
            SELECT account.user_id, $7::text FROM account WHERE $7::text IS NOT NULL
            ON CONFLICT (user_id, network) DO UPDATE SET last_used_at = now()
            WHERE k.last_used_at < now() - interval '1 day'
        ), forgotten AS (
            DELETE FROM known_places k USING account
            WHERE k.user_id = account.user_id AND k.last_used_at < now() - interval '90 days'
                AND k.network IS DISTINCT FROM $7::text
        ), ended AS (
            DELETE FROM sign_ins s USING account WHERE s.ended_at < now() - interval '90 days'
        ), expired AS (
            DELETE FROM sign_ins s USING account
            WHERE s.user_id = account.user_id AND s.ended_at IS NULL AND s.created_at < now() - interval '180 days'
        )
        """

    /// Of several statements with one challenge, the first inserts its row; the others wait for that, and find it. The row
    /// outlives the challenge, since the clock of a server that recognises challenges may be behind.
    private static let insertByPasskey = Statement(
        """
        WITH spent AS (
            INSERT INTO kernel.passkey_challenges (nonce, expires_at)
            VALUES ($5::bytea, to_timestamp($6::double precision)) ON CONFLICT DO NOTHING RETURNING nonce
        ), used AS (
            UPDATE kernel.passkeys p SET sign_count = $8::bigint, last_used_at = now(), may_be_backed_up = $9::boolean
            FROM spent
            WHERE p.id = $2::bigint AND (p.sign_count < $8::bigint OR p.sign_count = 0 AND $8::bigint = 0)
                AND EXISTS (SELECT FROM users u WHERE u.account_id = p.account_id AND u.is_member)
            RETURNING p.account_id
        ), account AS (
            SELECT used.account_id AS user_id, m.*
            FROM used LEFT JOIN LATERAL (\(ActiveMember.query(of: "used.account_id", in: "$10::bigint"))) m ON true
        ), \(starting), pruned AS (
            DELETE FROM kernel.passkey_challenges c USING account WHERE c.expires_at < now() - interval '1 hour'
        )
        SELECT \(ActiveMember.columns) FROM account
        """)
    private static let rewrite = Statement(
        "UPDATE credentials SET password_hash = $1::text WHERE user_id = $2::bigint AND password_hash = $3::text")
}
