import PostgresDriver

extension AuthService {
    /// To be called after the role or the activity of a member may have changed. Access tokens that name another role
    /// are rejected from now on, and the sign-ins of an account end that is an active member of no company any more.
    package func accountChanged(
        _ member: Member, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        let ended = try await feed.refresh(member, deadline: deadline)
        try await feed.refreshChangedKeys(seconds: 60, deadline: deadline)
        if let ended {
            revocations.revoke(signIns: try await signInRevocation.all(of: ended, deadline: deadline))
        }
    }
}

extension AuthService {
    /// To be called after a member was removed. Its access tokens and keys are rejected from now on, and the sign-ins of its account if
    /// it is an active member of no company any more.
    package func memberRemoved(
        _ member: Member, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        feed.end(member)
        try await feed.refresh(seconds: 60, deadline: deadline)
    }

    /// To be called after accounts may have been given or have lost additional roles. Access tokens that name other roles
    /// are rejected from now on.
    package func rolesChanged(deadline: ContinuousClock.Instant? = nil) async throws(AuthError) {
        try await feed.refresh(seconds: 60, deadline: deadline)
        try await feed.refreshChangedKeys(seconds: 60, deadline: deadline)
    }
}

/// Ends sign-ins in the database.
///
/// Each statement returns the ids of the sign-ins that it ended, and announces them to the other instances in the same
/// transaction, on the channel `auth_sign_in_ended`.
struct SignInRevocation: Sendable {
    let database: AuthDatabase

    /// Ends the sign-in of a refresh token; with `everywhere` all sign-ins of its account.
    ///
    /// - Parameter wasIssued: whether this service issued the token. If so, it need not be the current token of its
    ///   sign-in.
    func byToken(
        _ token: RefreshToken, wasIssued: Bool, everywhere: Bool, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [String] {
        try await run(
            Self.ofToken,
            [.text(token.signInID), .bytes(token.hash), .text(String(wasIssued)), .text(String(everywhere))], deadline)
    }

    /// Ends one sign-in, if it belongs to the user.
    func one(
        _ id: String, of user: AuthenticatedUser, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<[String]> {
        let step = Step(Self.ofUser, [.text(id), .text(String(user.accountID))])
        return switch try await database.write([step], by: user.member, on: terms, deadline: deadline) {
        case .done(let results): .done(Self.ids(results[0]))
        case .repeated(let answer): .repeated(answer: answer)
        }
    }

    /// Ends all sign-ins of an account.
    func all(of account: Int64, deadline: ContinuousClock.Instant?) async throws(AuthError) -> [String] {
        try await run(Self.ofUser, [.null, .text(String(account))], deadline)
    }

    /// Replaces the password hash and ends all sign-ins of the user except the one of the call.
    ///
    /// - Parameter origin: the throttle clears the failures that it has counted for this origin.
    /// - Returns: the ids of the ended sign-ins. Nil if the stored hash is no longer `oldHash`.
    func changingPassword(
        of user: AuthenticatedUser, from oldHash: String, to newHash: String,
        clearing origin: LoginThrottle.Origin, on terms: WriteTerms, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> WriteOutcome<[String]?> {
        let account = Parameter.text(String(user.accountID))
        let change = Step(Self.changePassword, [.text(newHash), account, .text(oldHash)])
        let others = Self.stepOfOthers(of: user.accountID, except: user.signInID, ifPasswordIs: newHash)
        let outcome = try await database.write(
            [change, others, LoginThrottle.clearing(origin)], by: user.member, on: terms, deadline: deadline)
        return switch outcome {
        case .done(let results): .done(results[0].count == 1 ? Self.ids(results[1]) : nil)
        case .repeated(let answer): .repeated(answer: answer)
        }
    }

    /// Stores a password hash, whether or not there was one, and ends all sign-ins of the user.
    func settingPassword(
        of account: Int64, to hash: String, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [String] {
        let user = Parameter.text(String(account))
        let results = try await database.transaction(
            [Step(Self.setPassword, [user, .text(hash)]), Step(Self.ofUser, [.null, user])], deadline: deadline)
        return Self.ids(results[1])
    }

    private func run(
        _ statement: Statement, _ parameters: [Parameter], _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> [String] {
        Self.ids(try await database.transaction([Step(statement, parameters)], deadline: deadline)[0])
    }

    /// A step that ends all sign-ins of an account except one, if an earlier step of the transaction has stored `hash`.
    static func stepOfOthers(of account: Int64, except signInID: String?, ifPasswordIs hash: String) -> Step {
        Step(ofOthers, [.text(String(account)), signInID.map { .text($0) } ?? .null, .text(hash)])
    }

    static func ids(_ rows: Rows) -> [String] {
        (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    private static let announce = """
        SELECT id::text, pg_notify('auth_sign_in_ended', id::text)::text, \(answer("id::text")) FROM ended
        """

    /// Leaves a text as the answer of the write.
    private static func answer(_ text: String) -> String {
        "set_config('learntrack.answers', jsonb_build_array(\(text))::text, true)"
    }

    private static let ofToken = Statement(
        """
        WITH mine AS (
            SELECT id, user_id FROM sign_ins
            WHERE id = $1::uuid AND ended_at IS NULL AND (refresh_hash = $2::bytea OR $3::boolean)
        ), ended AS (
            UPDATE sign_ins s SET ended_at = now() FROM mine
            WHERE s.ended_at IS NULL AND (s.id = mine.id OR ($4::boolean AND s.user_id = mine.user_id))
            RETURNING s.id
        )
        \(announce)
        """)
    private static let ofUser = Statement(
        """
        WITH ended AS (
            UPDATE sign_ins SET ended_at = now()
            WHERE user_id = $2::bigint AND ended_at IS NULL AND ($1::uuid IS NULL OR id = $1::uuid) RETURNING id
        )
        \(announce)
        """)
    private static let ofOthers = Statement(
        """
        WITH ended AS (
            UPDATE sign_ins SET ended_at = now()
            WHERE user_id = $1::bigint AND ($2::uuid IS NULL OR id <> $2::uuid) AND ended_at IS NULL AND EXISTS (
                SELECT 1 FROM credentials WHERE user_id = $1::bigint AND password_hash = $3::text)
            RETURNING id
        )
        \(announce)
        """)
    /// The links in reset mails that were sent before become invalid.
    private static let changePassword = Statement(
        """
        WITH changed AS (
            UPDATE credentials SET password_hash = $1::text WHERE user_id = $2::bigint AND password_hash = $3::text
            RETURNING user_id
        ), resets AS (
            DELETE FROM password_resets r USING changed WHERE r.user_id = changed.user_id
        )
        SELECT user_id::text, \(answer("user_id::text")) FROM changed
        """)
    private static let setPassword = Statement(
        """
        INSERT INTO credentials (user_id, password_hash) VALUES ($1::bigint, $2::text)
        ON CONFLICT (user_id) DO UPDATE SET password_hash = excluded.password_hash
        """)
}
