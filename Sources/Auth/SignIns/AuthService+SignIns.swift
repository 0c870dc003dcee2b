extension AuthService {
    /// Signs a user in by e-mail, in any case, and password.
    ///
    /// - Parameters:
    ///   - company: the company to enter; nil: the first of the account's by name.
    ///   - userAgent: how the client names itself; at most 500 Unicode scalars of it are stored.
    ///   - remoteAddress: the address of the client, for the throttle. Nil if unknown, as on a Unix socket.
    /// - Throws: `.noSuchCompany` if the password is right and the account is not an active member of the company;
    ///   `.invalidCredentials` for an unknown e-mail, a wrong password, a deactivated account and a stored hash
    ///   of an unknown kind, each after the same work and not before `failureTime`; `.busy` after too many failures, after
    ///   `refusalTime` and without any work.
    package func login(
        email: String, password: String, company: Int64? = nil, userAgent: String? = nil, remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        let network = remoteAddress.map(ClientNetwork.of)
        let start = ContinuousClock.now
        // Repeated if the stored hash changed in the meantime: a login at the same moment may have rewritten it.
        for _ in 1...3 {
            let check = try await throttle.check(email: email, network: network, deadline: deadline)
            if let seconds = check.retryAfter {
                try await wait(until: start + refusalTime)
                throw .busy(retryAfter: seconds)
            }
            let result = try await verify(password, check, start, deadline)
            guard case .match(let replacement) = result, let account = check.account, account.isActive,
                let hash = account.passwordHash
            else {
                try await throttle.recordFailure(check.origin, deadline: deadline)
                try await wait(until: start + failureTime)
                throw .invalidCredentials
            }

            let token = refreshTokens.firstToken(of: SignInID.make())
            let started = try await signIns.start(
                token, of: account.id, in: company, verifiedHash: hash, replacement: replacement,
                userAgent: userAgent.map(Self.storable), origin: check.origin, deadline: deadline)
            if let started {
                return try issueTokens(for: started, token)
            }
        }
        throw .invalidCredentials
    }

    /// The least time that a refusal for too many attempts takes.
    var refusalTime: Duration { failureTime * 4 }

    /// Compares the password with the hash of the account, in the part of the hashing queue that the attempt belongs to.
    private func verify(
        _ password: String, _ check: LoginAttemptCheck, _ start: ContinuousClock.Instant,
        _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> PasswordHasher.Verification {
        do throws(AuthError) {
            return try await passwordHasher.verify(
                password, against: check.account?.passwordHash, for: check.hashingOrigin, deadline: deadline)
        } catch .busy(let seconds) {
            try await wait(until: start + refusalTime)
            throw .busy(retryAfter: seconds)
        }
    }

    /// A hash of an older kind, as imported accounts have, takes several times as long to check as finding that there is
    /// no account. Waiting hides the difference. It also slows down clients that repeat refused attempts without a pause,
    /// each of which costs a query.
    func wait(until end: ContinuousClock.Instant) async throws(AuthError) {
        do { try await Task.sleep(until: end) } catch { throw .cancelled }
    }

    static func storable(_ userAgent: String) -> String {
        String(String.UnicodeScalarView(userAgent.unicodeScalars.filter { $0 != "\0" }.prefix(500)))
    }

    /// Ends the sign-in of a refresh token and revokes its access tokens; with `everywhere` all sign-ins of its account.
    ///
    /// An invalid token, or the token of an ended sign-in, is not an error: no sign-in of it is left to end.
    package func logout(
        refreshToken: String, everywhere: Bool = false, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        guard let token = RefreshToken(refreshToken) else { return }
        let ended = try await signInRevocation.byToken(
            token, wasIssued: refreshTokens.didIssue(token), everywhere: everywhere, deadline: deadline)
        revocations.revoke(signIns: ended)
    }

    /// The sign-ins of the user that have not ended, the most recently used first.
    package func listSignIns(
        of user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [SignInSummary] {
        try await signIns.list(of: user, deadline: deadline)
    }

    /// Ends one sign-in of the user.
    ///
    /// - Returns: false if the user has no such sign-in, or another call has ended it before.
    package func endSignIn(
        _ id: String, of user: AuthenticatedUser, on terms: WriteTerms = WriteTerms(),
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        guard SignInID.isValid(id.lowercased()) else { return false }
        switch try await signInRevocation.one(id.lowercased(), of: user, on: terms, deadline: deadline) {
        case .done(let ended):
            if !terms.isDryRun { revocations.revoke(signIns: ended) }
            return !ended.isEmpty
        case .repeated:
            return true
        }
    }
}

/// The tokens that a user receives after a login or a refresh.
package struct IssuedTokens: Sendable {
    package let user: AuthenticatedUser
    package let accessToken: String
    /// Seconds until the access token expires.
    package let expiresIn: Int
    package let refreshToken: String
}

/// One sign-in in the list of its user.
package struct SignInSummary: Sendable, Equatable {
    package let id: String
    /// RFC 3339 in UTC.
    package let createdAt: String
    /// RFC 3339 in UTC.
    package let lastUsedAt: String
    package let userAgent: String?
    /// Whether the list was asked for with a token of this sign-in.
    package let isCurrent: Bool
}
