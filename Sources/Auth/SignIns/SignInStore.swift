import PostgresDriver

/// The sign-ins in the database: a row for each successful login.
struct SignInStore: Sendable {
    let database: AuthDatabase

    /// An account as a login needs it.
    struct Account: Sendable {
        let userID: Int64
        let email: String
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
            userID: id, email: email, isActive: rows.text(0, 2) == "true", passwordHash: rows.text(0, 3))
    }

    /// Starts a sign-in, and with it clears the failures that the throttle has counted for its origin.
    ///
    /// The statement checks again that the password is still the verified one, that the account is active and that the
    /// throttle admits the attempt. So a correct guess among many simultaneous ones is worth no more than one in a
    /// sequence of guesses.
    /// - Parameter replacement: a hash of the current kind to store in place of `verifiedHash`.
    /// - Returns: the account as it is now. Nil if one of the checks failed.
    func start(
        _ token: RefreshToken, of userID: Int64, verifiedHash: String, replacement: String?, userAgent: String?,
        origin: LoginThrottle.Origin, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AccountState? {
        var steps = [
            Step(
                replacement == nil ? Self.insert : Self.insertAndRewrite,
                [
                    .text(token.signInID), .text(String(userID)), .bytes(token.hash),
                    userAgent.map { .text($0) } ?? .null, .text(verifiedHash), .text(origin.email),
                    origin.network.map { .text($0) } ?? .null, .text(String(origin.isKnown)),
                ])
        ]
        if let replacement {
            steps.append(Step(Self.rewrite, [.text(replacement), .text(String(userID)), .text(verifiedHash)]))
        }
        let results = try await database.transaction(steps, deadline: deadline)
        return AccountState(activeIn: results[0], row: 0, firstColumn: 0)
    }

    /// Starts a sign-in with a passkey whose signature was verified.
    ///
    /// The statement checks that the challenge has not served before, that the count of the authenticator has grown (one
    /// that does not count is always at 0), and that the account is active.
    /// - Returns: the account as it is now. Nil if one of the checks failed.
    func start(
        _ token: RefreshToken, byPasskey passkey: Int64, _ signature: VerifiedSignature, userAgent: String?,
        network: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AccountState? {
        let step = Step(
            Self.insertByPasskey,
            [
                .text(token.signInID), .text(String(passkey)), .bytes(token.hash),
                userAgent.map { .text($0) } ?? .null, .bytes(signature.challenge.nonce),
                .text(String(signature.challenge.expiresAt)), network.map { .text($0) } ?? .null,
                .text(String(signature.signCount)), .text(String(signature.mayBeBackedUp)),
            ])
        let rows = try await database.transaction([step], deadline: deadline)[0]
        return AccountState(activeIn: rows, row: 0, firstColumn: 0)
    }

    /// The sign-ins of the user that have not ended, the most recently used first.
    func list(
        of user: AuthenticatedUser, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [SignInSummary] {
        let rows = try await database.query(Self.openSignIns, [.text(String(user.userID))], deadline: deadline)
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
        SELECT u.id::text, u.email::text, u.is_active::text, c.password_hash
        FROM users u LEFT JOIN credentials c ON c.user_id = u.id WHERE lower(u.email) = lower($1::text)
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
                SELECT c.user_id, u.role::text, u.version::text, \([HeldRole].sql(of: "u.id")) AS roles
                FROM credentials c JOIN users u ON u.id = c.user_id
                WHERE c.user_id = $2::bigint AND c.password_hash = $5::text AND u.is_active
                    AND NOT EXISTS (
                        SELECT FROM attempts a WHERE a.not_before > now()
                            AND a.slot IN ((SELECT slot FROM governing), kernel.attempt_slot(2, $7::text)))
                FOR \(lock) OF c
            ), \(starting), cleared AS (
                DELETE FROM attempts a USING account, governing WHERE a.slot = governing.slot
            )
            SELECT role, version, roles FROM account
            """)
    }

    /// The parts of a statement that start the sign-in of `account`, with the id $1, the hash $3 of its token, the user agent
    /// $4 and the network $7.
    ///
    /// They also delete rows that are out of date: places that the account has not signed in from for 90 days, and sign-ins
    /// that ended, or expired, 90 days ago.
    private static let starting = """
        started AS (
            INSERT INTO sign_ins (id, user_id, refresh_hash, user_agent)
            SELECT $1::uuid, account.user_id, $3::bytea, $4::text FROM account
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
        ), account AS (
            UPDATE kernel.passkeys p SET sign_count = $8::bigint, last_used_at = now(), may_be_backed_up = $9::boolean
            FROM users u, spent
            WHERE p.id = $2::bigint AND u.id = p.account_id AND u.is_active
                AND (p.sign_count < $8::bigint OR p.sign_count = 0 AND $8::bigint = 0)
            RETURNING u.id AS user_id, u.role::text, u.version::text, \([HeldRole].sql(of: "u.id")) AS roles
        ), \(starting), pruned AS (
            DELETE FROM kernel.passkey_challenges c USING account WHERE c.expires_at < now() - interval '1 hour'
        )
        SELECT role, version, roles FROM account
        """)
    private static let rewrite = Statement(
        "UPDATE credentials SET password_hash = $1::text WHERE user_id = $2::bigint AND password_hash = $3::text")
}
