package import PostgresDriver

extension AuthService {
    /// Changes the password of the user's own account and ends all its other sign-ins.
    ///
    /// A call that is sent again under its idempotency key does nothing if `new` is the password that the account has.
    ///
    /// - Throws: `.wrongCurrentPassword`, which counts as a failed login; `.busy` after too many of them; `.password` if
    ///   the new password violates the policy; `.idempotency`.
    package func changePassword(
        of user: AuthenticatedUser, current: String, new: String, remoteAddress: String? = nil,
        on terms: WriteTerms = WriteTerms(), deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        // Repeated if the stored hash changed in the meantime: a login at the same moment may have rewritten it.
        for _ in 1...3 {
            let check = try await throttle.check(
                account: user.accountID, network: remoteAddress.map(ClientNetwork.of), deadline: deadline)
            guard let check, let account = check.account, account.isActive else { throw .unauthenticated(.revoked) }
            if let seconds = check.retryAfter { throw .busy(retryAfter: seconds) }
            if let error = PasswordPolicy.violation(in: new, email: account.email) { throw .password(error) }
            guard let oldHash = account.passwordHash,
                try await passwordHasher.verify(
                    current, against: oldHash, for: .known(account: account.email), deadline: deadline) != .noMatch
            else {
                // After the first call, its current password is the former one.
                if let stored = account.passwordHash, try await isRepeated(by: user.member, on: terms, deadline) {
                    return try await confirmRepeated(new, stored, check, account.email, deadline)
                }
                try await throttle.recordFailure(check.origin, deadline: deadline)
                throw .wrongCurrentPassword
            }
            let newHash = try await passwordHasher.acceptedHash(of: new, email: account.email, deadline: deadline)
            let outcome = try await signInRevocation.changingPassword(
                of: user, from: oldHash, to: newHash, clearing: check.origin, on: terms, deadline: deadline)
            switch outcome {
            case .done(nil): continue
            case .done(let ended?): if !terms.isDryRun { revocations.revoke(signIns: ended) }
            case .repeated: try await confirmRepeated(new, oldHash, check, account.email, deadline)
            }
            return
        }
        throw .wrongCurrentPassword
    }

    /// Whether an earlier call under the idempotency key has changed the password.
    ///
    /// A key that is in use is not refused here. Else a guess under such a key would not count as a failed login.
    private func isRepeated(
        by member: Member, on terms: WriteTerms, _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> Bool {
        guard terms.once != nil else { return false }
        do throws(AuthError) {
            guard case .repeated = try await database.write([], by: member, on: terms, deadline: deadline) else {
                return false
            }
            return true
        } catch .idempotency {
            return false
        }
    }

    /// Passwords are not part of a call's digest, so that no hash of them is kept that is fast to try. The stored hash says
    /// whether a call under a known key has the same new password.
    private func confirmRepeated(
        _ new: String, _ stored: String, _ check: LoginAttemptCheck, _ email: String,
        _ deadline: ContinuousClock.Instant?
    ) async throws(AuthError) {
        guard
            try await passwordHasher.verify(new, against: stored, for: .known(account: email), deadline: deadline)
                != .noMatch
        else {
            try await throttle.recordFailure(check.origin, deadline: deadline)
            throw .idempotency(.otherParams)
        }
    }

    /// Validates and hashes the password of an account that is about to be created.
    ///
    /// - Returns: the statement that stores the hash, for the transaction and the database role that create the account.
    ///   It must follow the INSERT of the account.
    /// - Throws: `.password` if the password violates the policy.
    package func initialPasswordStep(
        _ password: String, email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Step {
        let hash = try await passwordHasher.acceptedHash(of: password, email: email, deadline: deadline)
        return Step(Self.initialPassword, [.text(hash)])
    }

    /// The statement that invites an account that is about to be created to choose its password. It must follow the INSERT of the
    /// account.
    package static let invitationStep = Step(Statement("SELECT kernel.invite(currval('users_id_seq'))"))

    private static let initialPassword = Statement("SELECT kernel.first_secret(currval('users_id_seq'), $1::text)")
}

// MARK: Password resets

/// The content of a mail that lets its reader choose a new password.
package struct PasswordReset: Sendable {
    /// As the account has it, which may differ in case from the e-mail of the request.
    package let email: String
    package let token: String
    /// For how many minutes the token is valid.
    package let validMinutes: Int
}

/// The content of a mail that lets the owner of a new account choose a password.
package struct Invitation: Sendable {
    package let email: String
    package let token: String
    /// For how many days the token is valid.
    package let validDays: Int
    /// The company that it invites to; nil for the owner of a new account, who chooses a password.
    package let company: String?
}

extension AuthService {
    /// Counts a request for a password reset, for whichever account.
    ///
    /// - Throws: `.busy` if too many requests have come from this address.
    package func admitPasswordReset(
        remoteAddress: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        let seconds = try await throttle.countResetRequest(
            network: remoteAddress.map(ClientNetwork.of), deadline: deadline)
        if let seconds { throw .busy(retryAfter: seconds) }
    }

    /// Creates a token for a reset mail.
    ///
    /// The duration of this call shows whether the account exists, so the answer to a request must not wait for it.
    /// - Returns: nil if no active account has this e-mail, which must not be disclosed, or if enough mails have been sent
    ///   to it for the moment. The token of the last one is still valid then.
    package func passwordReset(
        for email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> PasswordReset? {
        guard email.unicodeScalars.count <= 320, !email.utf8.contains(0),
            try await throttle.admitsMail(to: email, deadline: deadline)
        else { return nil }
        let token = ResetToken()
        guard let address = try await passwordResets.store(token, email: email, deadline: deadline) else { return nil }
        return PasswordReset(email: address, token: token.text, validMinutes: ResetToken.lifetime)
    }

    /// Creates a token for the mail that invites a person to a company, or the owner of a new account to choose the first password. The
    /// tokens before stay valid.
    ///
    /// - Returns: nil if the member is not active, or has joined and its account has a password.
    package func invitation(
        of member: Member, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Invitation? {
        let token = ResetToken()
        guard let stored = try await passwordResets.storeInvitation(token, of: member, deadline: deadline) else {
            return nil
        }
        return Invitation(
            email: stored.email, token: token.text, validDays: ResetToken.invitationLifetime, company: stored.company)
    }

    /// Sets a new password by the token of a reset mail or an invitation and ends every sign-in of the account.
    ///
    /// - Returns: false if the token was not issued here, was used before, or has expired.
    /// - Throws: `.password` if the new password violates the policy, in which case the token stays valid; `.busy` if too
    ///   many invalid tokens have come from this address.
    package func resetPassword(
        token: String, new: String, remoteAddress: String? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        let network = remoteAddress.map(ClientNetwork.of)
        let token = ResetToken(token)
        let (target, retryAfter) = try await passwordResets.find(token, network: network, deadline: deadline)
        if let retryAfter { throw .busy(retryAfter: retryAfter) }
        guard let token, let target else {
            try await throttle.recordFailure(network: network, deadline: deadline)
            return false
        }
        let hash = try await passwordHasher.acceptedHash(of: new, email: target.email, deadline: deadline)
        let ended = try await passwordResets.use(
            token, of: target, storing: hash, network: network, deadline: deadline)
        guard let ended else { return false }
        revocations.revoke(signIns: ended)
        return true
    }
}
