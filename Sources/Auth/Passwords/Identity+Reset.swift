/// What is mailed to somebody who forgot a password.
package struct PasswordReset: Sendable {
    /// As the account has it, which may differ in case from what was asked for.
    package let email: String
    package let token: String
    /// Minutes until the token is good for nothing.
    package let validMinutes: Int
}

extension Identity {
    /// What to mail to `email`; nil when no active account has it, which nobody else may be told.
    package func requestPasswordReset(
        email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) -> PasswordReset? {
        guard let account = try await signIns.account(email: email, deadline: deadline), account.isActive else {
            return nil
        }
        let token = resetTokens.make(for: account.userID, replacing: account.passwordHash)
        return PasswordReset(email: account.email, token: token, validMinutes: Int(ResetTokens.lifetime / 60))
    }

    /// Sets a new password by a mailed token; every sign-in of the account ends.
    ///
    /// - Returns: false for a token that was not issued here, was used, or is too old.
    /// - Throws: `.password` for what is wrong with the new one; the token stays good then.
    package func resetPassword(
        token: String, new: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) -> Bool {
        guard let claim = resetTokens.claim(in: token),
            let account = try await signIns.account(id: claim.userID, deadline: deadline), account.isActive,
            resetTokens.isGood(claim, replacing: account.passwordHash)
        else { return false }
        let hash = try await passwords.acceptedHash(of: new, email: account.email, deadline: deadline)
        let ended = try await ending.changingPassword(
            of: account.userID, from: account.passwordHash, to: hash, except: nil, deadline: deadline)
        guard let ended else { return false }
        revocations.end(signIns: ended)
        limits.succeeded(email: account.email)
        return true
    }
}
