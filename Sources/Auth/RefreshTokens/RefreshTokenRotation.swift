import PostgresDriver
import TextEncodings

extension AuthService {
    /// Exchanges a refresh token for a new pair of tokens.
    ///
    /// For ten seconds after the exchange, everyone who presents the same token receives the same successor: a client
    /// may retry, or send several calls at once. A token that is presented later has been copied, so it ends the sign-in.
    /// - Throws: `.unauthenticated` with the reason; `.database`, `.timeout` or `.cancelled`.
    package func refresh(
        _ refreshToken: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .unauthenticated(.invalid) }
        let outcome = try await rotation.exchange(token, deadline: deadline)
        switch outcome {
        case .next(let next, let userID, let account): return try issueTokens(for: userID, account, next)
        case .rejected(let error): throw .unauthenticated(error)
        case .reused:
            // Revoked on this instance before the database is asked, in case it does not answer.
            revocations.revoke(signIns: [token.signInID])
            _ = try await signInRevocation.byToken(token, wasIssued: true, everywhere: false, deadline: deadline)
            throw .unauthenticated(.revoked)
        }
    }
}

/// The exchange of a refresh token for its successor in the database.
struct RefreshTokenRotation: Sendable {
    let database: AuthDatabase
    let tokens: RefreshTokenIssuer

    enum Outcome: Sendable {
        /// The token to use from now on.
        case next(RefreshToken, userID: Int64, AccountState)
        case rejected(TokenError)
        /// The token was exchanged more than ten seconds ago: two clients hold it.
        case reused
    }

    func exchange(
        _ token: RefreshToken, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Outcome {
        let next = tokens.successor(of: token)
        let step = Step(Self.rotate, [.text(token.signInID), .bytes(token.hash), .bytes(next.hash)])
        let rows = try await database.transaction([step], deadline: deadline)[0]
        if let (userID, account) = account(in: rows) { return .next(next, userID: userID, account) }
        return try await classify(token, deadline)
    }

    /// The outcome for a token that is not the current one of a sign-in that has not ended.
    private func classify(
        _ token: RefreshToken, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Outcome {
        let rows = try await database.query(Self.find, [.text(token.signInID)], deadline: deadline)
        guard let (userID, account) = account(in: rows), let hash = rows.text(0, 4).flatMap(HexText.bytes) else {
            return .rejected(.invalid)
        }
        guard hash == token.hash || tokens.didIssue(token) else { return .rejected(.invalid) }
        if rows.text(0, 5) == "true" { return .rejected(.revoked) }
        if rows.text(0, 6) == "true" { return .rejected(.expired) }
        // The account became active again between the two statements. Reported as expired, although a retry would succeed.
        if hash == token.hash { return .rejected(.expired) }
        let recentExchanges = rows.text(0, 7).flatMap { Int($0) } ?? 0
        if let next = tokens.successor(of: token, leadingTo: hash, within: recentExchanges) {
            return .next(next, userID: userID, account)
        }
        return .reused
    }

    private func account(in rows: Rows) -> (Int64, AccountState)? {
        guard rows.count == 1, let id = rows.text(0, 0).flatMap({ Int64($0) }),
            let account = AccountState(activeIn: rows, row: 0, firstColumn: 1)
        else { return nil }
        return (id, account)
    }

    /// `rotated_at` holds the times of the exchanges of the last ten seconds. Their number is the
    /// number of exchanges after which a token still counts as a retry.
    private static let rotate = Statement(
        """
        UPDATE sign_ins s
        SET refresh_hash = $3::bytea, last_used_at = now(),
            rotated_at = ARRAY(SELECT t FROM unnest(s.rotated_at) t WHERE t > now() - interval '10 seconds') || now()
        FROM users u
        WHERE s.id = $1::uuid AND s.refresh_hash = $2::bytea AND s.ended_at IS NULL
            AND s.last_used_at > now() - interval '30 days' AND s.created_at > now() - interval '90 days'
            AND u.id = s.user_id AND u.is_active
        RETURNING u.id::text, u.role::text, u.version::text, \([HeldRole].sql(of: "u.id"))
        """)
    /// Columns: user, role, version, additional roles, hash, ended or deactivated, expired, exchanges of the last ten seconds.
    private static let find = Statement(
        """
        SELECT u.id::text, u.role::text, u.version::text, \([HeldRole].sql(of: "u.id")), encode(s.refresh_hash, 'hex'),
            (s.ended_at IS NOT NULL OR NOT u.is_active)::text,
            (s.last_used_at <= now() - interval '30 days' OR s.created_at <= now() - interval '90 days')::text,
            (SELECT count(*) FROM unnest(s.rotated_at) t WHERE t > now() - interval '10 seconds')::text
        FROM sign_ins s JOIN users u ON u.id = s.user_id WHERE s.id = $1::uuid
        """)
}
