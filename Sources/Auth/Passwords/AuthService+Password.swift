package import PostgresDriver

extension AuthService {
    /// Changes the password of the caller's own account; all its other sign-ins end.
    ///
    /// - Throws: `.wrongCurrentPassword`, which counts as a failed sign-in; `.busy` after too many; or `.password` for
    ///   what is wrong with the new one.
    package func changePassword(
        of caller: AuthenticatedUser, current: String, new: String, remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) {
        for _ in 1...3 {
            let look = try await attempts.look(
                userID: caller.userID, network: remoteAddress.map(ClientNetwork.of), deadline: deadline)
            guard let look, let account = look.account, account.isActive else { throw .unauthenticated(.revoked) }
            if let seconds = look.wait { throw .busy(retryAfter: seconds) }
            if let fault = PasswordPolicy.violation(in: new, email: account.email) { throw .password(fault) }
            guard let oldHash = account.passwordHash,
                try await passwords.check(current, against: oldHash, deadline: deadline) != .wrong
            else {
                try await attempts.failed(look.origin, deadline: deadline)
                throw .wrongCurrentPassword
            }
            let newHash = try await passwords.acceptedHash(of: new, email: account.email, deadline: deadline)
            let ended = try await ending.changingPassword(
                of: caller.userID, from: oldHash, to: newHash, except: caller.signInID, clearing: look.origin,
                deadline: deadline)
            if let ended {
                revocations.end(signIns: ended)
                return
            }
        }
        throw .wrongCurrentPassword
    }

    /// Checks and hashes the password of an account that is about to be created.
    ///
    /// - Returns: the statement that gives it to the account, to be run by the role that creates accounts after the
    ///   account's INSERT, in the same transaction.
    package func firstSecret(
        _ password: String, email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Step {
        Step(
            Self.firstSecret, [.text(try await passwords.acceptedHash(of: password, email: email, deadline: deadline))])
    }

    private static let firstSecret = Statement("SELECT premier_secret(currval('users_id_seq'), $1::text)")
}
