import PostgresDriver
import TextEncodings

extension AuthService {
    /// Exchanges a refresh token for a new pair of tokens.
    ///
    /// For ten seconds after the exchange, everyone who presents the same token receives the same successor: a client
    /// may retry, or send several calls at once. A token that is presented later has been copied, so it ends the sign-in.
    ///
    /// - Parameter company: the company to enter; nil: the one that the sign-in has entered last.
    /// - Throws: `.noSuchCompany` if the account is not a member of the company: the token is valid as before; `.unauthenticated` with
    ///   the reason; `.database`, `.timeout` or `.cancelled`.
    package func refresh(
        _ refreshToken: String, company: Int64? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .unauthenticated(.invalid) }
        let outcome = try await rotation.exchange(token, entering: company, deadline: deadline)
        switch outcome {
        case .next(let next, let member): return try issueTokens(for: member, next)
        case .noSuchCompany: throw .noSuchCompany
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
        case next(RefreshToken, ActiveMember)
        /// The account is not an active member of the company that is asked for.
        case noSuchCompany
        case rejected(TokenError)
        /// The token was exchanged more than ten seconds ago: two clients hold it.
        case reused
    }

    func exchange(
        _ token: RefreshToken, entering company: Int64?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Outcome {
        let next = tokens.successor(of: token)
        let parameter: Parameter = company.map { .text(String($0)) } ?? .null
        let step = Step(Self.rotate, [.text(token.signInID), .bytes(token.hash), .bytes(next.hash), parameter])
        let rows = try await database.transaction([step], deadline: deadline)[0]
        if let member = ActiveMember(in: rows) { return .next(next, member) }
        return try await classify(token, parameter, deadline, asksForCompany: company != nil)
    }

    /// The outcome for a token that is not the current one of a sign-in that has not ended.
    private func classify(
        _ token: RefreshToken, _ company: Parameter, _ deadline: ContinuousClock.Instant?, asksForCompany: Bool
    ) async throws(AuthError) -> Outcome {
        let rows = try await database.query(Self.find, [.text(token.signInID), company], deadline: deadline)
        let own = ActiveMember.columnCount
        guard rows.count == 1, let hash = rows.text(0, own).flatMap(HexText.bytes) else { return .rejected(.invalid) }
        guard hash == token.hash || tokens.didIssue(token) else { return .rejected(.invalid) }
        if rows.text(0, own + 1) == "true" { return .rejected(.revoked) }
        if rows.text(0, own + 2) == "true" { return .rejected(.expired) }
        // The account became active again between the two statements. Reported as expired, although a retry would succeed.
        let member = ActiveMember(in: rows)
        // The company that is asked for, or the one that the sign-in was in: the person alone enters another one.
        let refusal: Outcome = asksForCompany ? .noSuchCompany : .rejected(.revoked)
        if hash == token.hash { return member == nil ? refusal : .rejected(.expired) }
        let recentExchanges = rows.text(0, own + 3).flatMap { Int($0) } ?? 0
        if let next = tokens.successor(of: token, leadingTo: hash, within: recentExchanges) {
            return member.map { .next(next, $0) } ?? refusal
        }
        return .reused
    }

    /// `rotated_at` holds the times of the exchanges of the last ten seconds. Their number is the
    /// number of exchanges after which a token still counts as a retry.
    private static let rotate = Statement(
        """
        WITH member AS (
            SELECT m.* FROM sign_ins s CROSS JOIN LATERAL (\(entered("$4::bigint"))) m WHERE s.id = $1::uuid
        )
        UPDATE sign_ins s
        SET refresh_hash = $3::bytea, last_used_at = now(), company_id = member.company::bigint,
            rotated_at = ARRAY(SELECT t FROM unnest(s.rotated_at) t WHERE t > now() - interval '10 seconds') || now()
        FROM member
        WHERE s.id = $1::uuid AND s.refresh_hash = $2::bytea AND s.ended_at IS NULL
            AND s.last_used_at > now() - interval '30 days' AND s.created_at > now() - interval '90 days'
            AND s.user_id = member.account::bigint
        RETURNING \(ActiveMember.columns)
        """)
    /// The member that the sign-in `s` enters: of the company that is asked for, or of the one that it was in.
    private static func entered(_ company: String) -> String {
        ActiveMember.query(of: "s.user_id", in: "coalesce(\(company), s.company_id)")
    }
    /// Columns: those of the member, hash, ended or deactivated, expired, exchanges of the last ten seconds.
    private static let find = Statement(
        """
        SELECT \(ActiveMember.columns), encode(s.refresh_hash, 'hex'),
            (s.ended_at IS NOT NULL
                OR NOT EXISTS (SELECT FROM users o WHERE o.account_id = s.user_id AND o.is_member))::text,
            (s.last_used_at <= now() - interval '30 days' OR s.created_at <= now() - interval '90 days')::text,
            (SELECT count(*) FROM unnest(s.rotated_at) t WHERE t > now() - interval '10 seconds')::text
        FROM sign_ins s LEFT JOIN LATERAL (\(entered("$2::bigint"))) m ON true
        WHERE s.id = $1::uuid AND s.user_id IS NOT NULL
        """)
}
