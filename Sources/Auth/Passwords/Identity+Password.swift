/// A new password that was found good and hashed, to be stored once its account exists.
package struct PreparedPassword: Sendable {
    let hash: String
}

extension Identity {
    /// Changes the password of the caller's own account; all its other sign-ins end.
    ///
    /// - Throws: `.wrongCurrentPassword`, which counts as a failed sign-in; `.busy` after too many; or `.password` for
    ///   what is wrong with the new one.
    package func changePassword(
        of caller: Caller, current: String, new: String, remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) {
        for _ in 1...3 {
            let look = try await attempts.look(
                userID: caller.userID, network: remoteAddress.map(Network.of), deadline: deadline)
            guard let look, let account = look.account, account.isActive else { throw .unauthenticated(.revoked) }
            if let seconds = look.wait { throw .busy(retryAfter: seconds) }
            if let fault = PasswordPolicy.fault(in: new, email: account.email) { throw .password(fault) }
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
    package func prepare(
        password: String, email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) -> PreparedPassword {
        PreparedPassword(hash: try await passwords.acceptedHash(of: password, email: email, deadline: deadline))
    }

    /// Gives an account its password; its sign-ins, if any, end.
    package func store(
        _ password: PreparedPassword, of userID: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) {
        let ended = try await ending.settingPassword(of: userID, to: password.hash, deadline: deadline)
        revocations.end(signIns: ended)
    }
}
