extension AuthService {
    /// Signs somebody in by e-mail (in any case) and password.
    ///
    /// - Throws: `.invalidCredentials` alike for an unknown e-mail, a wrong password, a deactivated account and a stored
    ///   hash that is none, after the same work and `failureTime` at least; `.busy` after too many failures, before any
    ///   work.
    package func login(
        email: String, password: String, userAgent: String? = nil, remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        let network = remoteAddress.map(ClientNetwork.of)
        let start = ContinuousClock.now
        // Again when the stored hash changed between looking and starting: another login may have rewritten it.
        for _ in 1...3 {
            let look = try await attempts.look(email: email, network: network, deadline: deadline)
            if let seconds = look.wait { throw .busy(retryAfter: seconds) }
            let verdict = try await passwords.check(password, against: look.account?.passwordHash, deadline: deadline)
            guard case .right(let replacement) = verdict, let account = look.account, account.isActive,
                let hash = account.passwordHash
            else {
                try await attempts.failed(look.origin, deadline: deadline)
                try await wait(until: start + failureTime)
                throw .invalidCredentials
            }

            let token = refreshTokens.first(of: SignInID.make())
            let started = try await signIns.start(
                token, of: account.userID, verifiedHash: hash, replacement: replacement,
                userAgent: userAgent.map(Self.storable), origin: look.origin, deadline: deadline)
            if let started {
                return try await signedIn(account.userID, started, token)
            }
        }
        throw .invalidCredentials
    }

    /// Checking a hash of an older kind, as imported accounts have them, takes several times as long as finding out that
    /// there is no account: nobody is to see that.
    private func wait(until end: ContinuousClock.Instant) async throws(AuthError) {
        do { try await Task.sleep(until: end) } catch { throw .cancelled }
    }

    /// Exchanges a refresh token for a new pair.
    ///
    /// For ten seconds everyone who shows the same token gets the same successor; later it ends the sign-in, since two
    /// hold what one was given.
    package func refresh(
        _ refreshToken: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .unauthenticated(.invalid) }
        let outcome = try await rotation.exchange(token, deadline: deadline)
        switch outcome {
        case .next(let next, let userID, let account): return try await signedIn(userID, account, next)
        case .refused(let refusal): throw .unauthenticated(refusal)
        case .reused:
            // Here at once, whatever becomes of the database's answer.
            revocations.end(signIns: [token.signInID])
            _ = try await ending.byToken(token, isOwn: true, everywhere: false, deadline: deadline)
            throw .unauthenticated(.revoked)
        }
    }

    /// Ends the sign-in of a refresh token, its access tokens included; with `everywhere` all of that user's.
    ///
    /// A token that means nothing, or whose sign-in has ended, is no error: what was asked for is so.
    package func logout(
        refreshToken: String, everywhere: Bool = false, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        guard let token = RefreshToken(refreshToken) else { return }
        let ended = try await ending.byToken(
            token, isOwn: refreshTokens.isOwn(token), everywhere: everywhere, deadline: deadline)
        revocations.end(signIns: ended)
    }

    /// What a client calls itself, as far as it is worth keeping.
    private static func storable(_ userAgent: String) -> String {
        String(String.UnicodeScalarView(userAgent.unicodeScalars.filter { $0 != "\0" }.prefix(500)))
    }
}
