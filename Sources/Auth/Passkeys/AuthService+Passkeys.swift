/// Passkeys: keys that an authenticator keeps for the account, and uses for the person that it recognises.
extension AuthService {
    /// For how long a browser may take to answer a challenge, in seconds.
    package static var passkeyChallengeLifetime: Int { PasskeyChallenge.lifetime }

    /// What a browser needs to make a passkey of the user: a challenge, and the account. Nil if the account is no longer
    /// active.
    package func passkeyCreation(
        for user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> (challenge: String, user: PasskeyUser)? {
        guard let account = try await passkeys.user(user, deadline: deadline) else { return nil }
        return (passkeyChallenges.challenge(for: .addition(account: user.accountID)).text, account)
    }

    /// The challenge of a sign-in with a passkey.
    package func passkeySignInChallenge() -> String { passkeyChallenges.challenge(for: .signIn).text }

    /// Adds a passkey to the account of the user.
    ///
    /// - Throws: `.passkey`, `.idempotency`, `.database`, `.timeout` or `.cancelled`.
    package func addPasskey(
        _ new: NewPasskey, named name: String, to user: AuthenticatedUser, at party: RelyingParty,
        on terms: WriteTerms = WriteTerms(), deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> PasskeyAddition {
        let outcome: WriteOutcome<PasskeySummary>
        do throws(AuthError) {
            let verified = try ceremony(at: party).verified(new, for: .addition(account: user.accountID))
            outcome = try await passkeys.add(
                verified, transports: new.transports, named: name, to: user, on: terms, deadline: deadline)
        } catch .passkey(.challenge) {
            // An idempotency key is kept for longer than a challenge is valid.
            outcome = try await passkeys.earlierAddition(by: user, on: terms, deadline: deadline)
        }
        switch outcome {
        case .done(let summary): return .added(summary)
        case .repeated(let answer):
            let id = answer.flatMap { Int64($0) } ?? 0
            return try await passkeys.summary(id, of: user.accountID, deadline: deadline).map { .added($0) }
                ?? .removed(id)
        }
    }

    /// Signs a user in by a signature of one of the account's passkeys.
    ///
    /// A signature cannot be guessed. So failures count for the network of the client only, and failed passwords do not
    /// keep the owner of a passkey out.
    ///
    /// - Throws: `.noSuchCompany`; `.invalidCredentials` for an unknown passkey, a signature that is not accepted and a deactivated account,
    ///   not before `failureTime`; `.busy` after too many failures.
    package func login(
        passkey given: PasskeySignature, at party: RelyingParty, company: Int64? = nil, userAgent: String? = nil,
        remoteAddress: String? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> IssuedTokens {
        let network = remoteAddress.map(ClientNetwork.of)
        let start = ContinuousClock.now
        let (known, retryAfter) = try await passkeys.find(given.credentialID, network: network, deadline: deadline)
        if let retryAfter {
            try await wait(until: start + refusalTime)
            throw .busy(retryAfter: retryAfter)
        }
        if let known, given.userHandle == PasskeyUser.handle(of: known.account),
            let signature = ceremony(at: party).accepted(given, by: known)
        {
            let token = refreshTokens.firstToken(of: SignInID.make())
            let started = try await signIns.start(
                token, byPasskey: known.id, signature, userAgent: userAgent.map(Self.storable), network: network,
                in: company, deadline: deadline)
            if let started { return try issueTokens(for: started, token) }
        }
        try await throttle.recordFailure(network: network, deadline: deadline)
        try await wait(until: start + failureTime)
        throw .invalidCredentials
    }

    /// The passkeys of the user, the newest first.
    package func listPasskeys(
        of user: AuthenticatedUser, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [PasskeySummary] {
        try await passkeys.list(of: user.accountID, deadline: deadline)
    }

    /// Removes a passkey of the user. The sign-ins that it has started go on.
    ///
    /// - Returns: false if the user has no such passkey.
    package func removePasskey(
        _ id: Int64, of user: AuthenticatedUser, on terms: WriteTerms = WriteTerms(),
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        try await passkeys.remove(id, of: user, on: terms, deadline: deadline)
    }

    private var passkeys: PasskeyStore { PasskeyStore(database: database) }

    private func ceremony(at party: RelyingParty) -> PasskeyCeremony {
        PasskeyCeremony(party: party, challenges: passkeyChallenges)
    }
}

/// What the addition of a passkey answers.
package enum PasskeyAddition: Sendable {
    case added(PasskeySummary)
    /// An earlier call with the same idempotency key has added this passkey, which was removed since.
    case removed(Int64)
}

extension PasskeyCeremony {
    fileprivate func verified(
        _ new: NewPasskey, for purpose: PasskeyChallenge.Purpose
    ) throws(AuthError) -> VerifiedPasskey {
        do throws(PasskeyError) { return try verify(new, for: purpose) } catch { throw .passkey(error) }
    }

    fileprivate func accepted(
        _ given: PasskeySignature, by known: PasskeyStore.Known
    ) -> VerifiedSignature? {
        do throws(PasskeyError) { return try verify(given, by: known) } catch { return nil }
    }
}
