import PostgresDriver

/// Invitations to a company: the person who got the mail becomes a member, and nobody else makes one of them.
extension AuthService {
    /// What a link invites to.
    package struct CompanyInvitation: Sendable, Equatable {
        package let company: Int64
        /// The name of the company.
        package let name: String
        /// Whom it invites, as the mail went to.
        package let email: String
        /// Whether the account has a password, with which the invitation is accepted; otherwise it gets its first one.
        package let hasPassword: Bool
    }

    /// The invitation of a link, for the page that shows it. Nil if it is used, too old or withdrawn.
    ///
    /// - Throws: `.closed` while the company is; `.busy` if too many invalid links have come from this address.
    package func companyInvitation(
        token: String, remoteAddress: String? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> CompanyInvitation? {
        try await target(of: ResetToken(token), from: remoteAddress.map(ClientNetwork.of), deadline)?.invitation
    }

    /// Makes the person a member whom a link invites.
    ///
    /// - Parameters:
    ///   - user: who is signed in; nil: `password` proves who it is.
    ///   - password: that of the account, or the first one of an account that has none.
    /// - Returns: the account and the company. Nil if the link is used, too old or withdrawn, or invites another account than that of
    ///   `user`.
    /// - Throws: `.closed` while the company is; `.invalidCredentials` for a wrong password; `.password` if the first one violates
    ///   the policy or is missing; `.busy`.
    package func acceptInvitation(
        token: String, password: String?, as user: AuthenticatedUser?, remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> (account: Int64, company: Int64)? {
        let network = remoteAddress.map(ClientNetwork.of)
        guard let token = ResetToken(token), let target = try await target(of: token, from: network, deadline) else {
            return nil
        }
        var hash: String?
        if let user {
            guard user.accessKeyID == nil, user.accountID == target.account else { return nil }
        } else if target.invitation.hasPassword {
            try await verify(password, of: target.account, from: network, deadline)
        } else {
            guard let password else { throw .password(.tooShort) }
            hash = try await passwordHasher.acceptedHash(
                of: password, email: target.invitation.email, deadline: deadline)
        }
        let step = Step(
            Self.join,
            [
                .text(String(target.account)), .bytes(token.hash), .text("\(ResetToken.invitationLifetime) days"),
                hash.map { .text($0) } ?? .null,
            ])
        let rows = try await database.row(of: step, deadline: deadline)
        guard let company = rows.text(0, 0).flatMap({ Int64($0) }) else { return nil }
        return (target.account, company)
    }

    /// Verifies the password of an account that is not signed in, as a sign-in does.
    private func verify(
        _ password: String?, of account: Int64, from network: String?, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) {
        let start = ContinuousClock.now
        guard let check = try await throttle.check(account: account, network: network, deadline: deadline) else {
            throw .invalidCredentials
        }
        if let seconds = check.retryAfter {
            try await wait(until: start + refusalTime)
            throw .busy(retryAfter: seconds)
        }
        let result = try await passwordHasher.verify(
            password ?? "", against: check.account?.passwordHash, for: check.hashingOrigin, deadline: deadline)
        guard result != .noMatch else {
            try await throttle.recordFailure(check.origin, deadline: deadline)
            try await wait(until: start + failureTime)
            throw .invalidCredentials
        }
    }

    private func target(
        of token: ResetToken?, from network: String?, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> (invitation: CompanyInvitation, account: Int64)? {
        let rows = try await database.row(
            of: Self.find,
            [token.map { .bytes($0.hash) } ?? .null, network.map { .text($0) } ?? .null], deadline: deadline)
        if let seconds = rows.text(0, 5).flatMap({ Int($0) }) { throw .busy(retryAfter: seconds) }
        guard let account = rows.text(0, 0).flatMap({ Int64($0) }),
            let company = rows.text(0, 1).flatMap({ Int64($0) }),
            let name = rows.text(0, 2), let email = rows.text(0, 3)
        else {
            try await throttle.recordFailure(network: network, deadline: deadline)
            return nil
        }
        if let closure = CompanyClosure(in: rows, column: 6) { throw .closed(closure) }
        let invitation = CompanyInvitation(
            company: company, name: name, email: email, hasPassword: rows.text(0, 4) == "true")
        return (invitation, account)
    }

    /// Columns: account, company, its name, the address, whether the account has a password, the seconds that the network has to wait,
    /// why the company is closed.
    private static let find = Statement(
        """
        SELECT t.account::text, t.company::text, t.name::text, t.email::text, t.has_password::text,
            (SELECT nullif(ceil(greatest(extract(epoch FROM a.not_before - now()), 0)), 0)::integer::text
             FROM attempts a WHERE a.slot = kernel.attempt_slot(2, $2::text)),
            t.closure
        FROM (VALUES (true)) one LEFT JOIN (
            SELECT u.account_id AS account, u.company_id AS company, n.name, u.email,
                EXISTS (SELECT FROM credentials c WHERE c.user_id = u.account_id) AS has_password,
                \(CompanyClosure.column(of: "n")) AS closure
            FROM kernel.invitation_tokens i
            JOIN users u ON u.company_id = i.company_id AND u.id = i.user_id
            JOIN kernel.companies n ON n.id = u.company_id
            WHERE i.token_hash = $1::bytea AND i.created_at > now() - interval '\(ResetToken.invitationLifetime) days'
                AND u.is_active AND u.joined_at IS NULL AND lower(u.email) = i.email) t ON true
        """)
    private static let join = Statement(
        "SELECT kernel.join_company($1::bigint, $2::bytea, $3::interval, $4::text)::text")
}
