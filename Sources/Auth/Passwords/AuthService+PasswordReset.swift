/// What is mailed to somebody who forgot a password.
package struct PasswordReset: Sendable {
    /// As the account has it, which may differ in case from what was asked for.
    package let email: String
    package let token: String
    /// Minutes until the token is good for nothing.
    package let validMinutes: Int
}

extension AuthService {
    /// Whether `remoteAddress` may ask for a reset now, of whatever account; counts the request.
    ///
    /// - Throws: `.busy` when it has asked too often.
    package func admitPasswordReset(
        remoteAddress: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        let wait = try await attempts.admitReset(network: remoteAddress.map(ClientNetwork.of), deadline: deadline)
        if let wait { throw .busy(retryAfter: wait) }
    }

    /// What to mail to `email`; nil when no active account has it, which nobody else may be told, or when it has had
    /// enough mails for the moment, the last of which is still good.
    ///
    /// How long this takes tells whether there is an account: not to be waited for by whoever asked.
    package func passwordReset(
        for email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> PasswordReset? {
        guard email.unicodeScalars.count <= 320, !email.utf8.contains(0),
            try await attempts.admitMail(to: email, deadline: deadline)
        else { return nil }
        let token = ResetToken()
        guard let address = try await resets.store(token, email: email, deadline: deadline) else { return nil }
        return PasswordReset(email: address, token: token.text, validMinutes: ResetToken.lifetime)
    }

    /// Sets a new password by a mailed token; every sign-in of the account ends.
    ///
    /// - Returns: false for a token that was not issued here, was used, or is too old.
    /// - Throws: `.password` for what is wrong with the new one, the token stays good then; `.busy` for an address that
    ///   has shown too many bad ones.
    package func resetPassword(
        token: String, new: String, remoteAddress: String? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        let network = remoteAddress.map(ClientNetwork.of)
        let token = ResetToken(token)
        let (target, wait) = try await resets.look(at: token, network: network, deadline: deadline)
        if let wait { throw .busy(retryAfter: wait) }
        guard let token, let target else {
            try await attempts.failed(network: network, deadline: deadline)
            return false
        }
        let hash = try await passwords.acceptedHash(of: new, email: target.email, deadline: deadline)
        let ended = try await resets.use(token, of: target, storing: hash, network: network, deadline: deadline)
        guard let ended else { return false }
        revocations.end(signIns: ended)
        return true
    }
}
