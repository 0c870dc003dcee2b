import TextEncodings

/// Hashes and verifies passwords on a thread pool of their own.
package struct PasswordHasher: Sendable {
    package enum Verification: Sendable, Equatable {
        case noMatch
        /// `replacement` is a hash of the current kind, to be stored if the verified one is of an older kind.
        case match(replacement: String?)
    }

    private let threads: HashingThreadPool

    package init(threads: HashingThreadPool = HashingThreadPool()) {
        self.threads = threads
    }

    /// The number of hashes that are being computed and the number that wait.
    package var load: (running: Int, waiting: Int) { threads.load }

    /// Compares a password with the hash of an account, which is nil if there is no account or no password.
    ///
    /// - Parameter origin: which part of the queue the work waits in.
    /// - Throws: `.busy` if too many hashes are waiting.
    package func verify(
        _ password: String, against hash: String?, for origin: HashingOrigin,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Verification {
        try await run(origin, deadline) { Self.verification(of: password, against: hash) }
    }

    /// Does the work of `verify` on the calling thread.
    ///
    /// In every case it computes at least one hash of the current kind, so the duration does not show whether there is a
    /// hash, of which kind it is, or whether it matches.
    static func verification(of password: String, against hash: String?) -> Verification {
        guard let hash, PasswordHash.isUsable(hash) else {
            _ = DummyHash.matches(password)
            return .noMatch
        }
        if PasswordHash.isCurrent(hash) {
            return PasswordHash.matches(password, hash) ? .match(replacement: nil) : .noMatch
        }
        guard PasswordHash.matches(password, hash) else {
            _ = DummyHash.matches(password)
            return .noMatch
        }
        // The old hash covers only the beginning of a long password. If the rest was mistyped, a new hash of all of it
        // would lock the user out.
        guard PasswordHash.coversAll(of: password, hash) else {
            _ = DummyHash.matches(password)
            return .match(replacement: nil)
        }
        return .match(replacement: PasswordHash.make(of: password))
    }

    /// A hash of a new password for the account of `email`, which the caller may set.
    ///
    /// - Throws: `.password` if the password violates the policy, `.busy` if too many hashes are waiting.
    package func acceptedHash(
        of password: String, email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> String {
        if let error = PasswordPolicy.violation(in: password, email: email) { throw .password(error) }
        guard let hash = try await run(.known(account: email), deadline, { PasswordHash.make(of: password) }) else {
            throw .hashingFailed
        }
        return hash
    }

    private func run<R: Sendable>(
        _ origin: HashingOrigin, _ deadline: ContinuousClock.Instant?, _ work: @escaping @Sendable () -> R
    ) async throws(AuthError) -> R {
        do throws(HashingThreadPoolError) {
            return try await threads.run(for: origin, deadline: deadline, work)
        } catch {
            throw AuthError(error)
        }
    }
}

/// A hash of a random password, which the passwords for unknown accounts are compared with.
///
/// It is made on a hashing thread when it is first needed, and kept: making it costs as much as comparing with it.
private enum DummyHash {
    private static let hash = PasswordHash.make(of: Base64URL.encode(RandomBytes.make(32)))

    static func matches(_ password: String) -> Bool {
        hash.map { PasswordHash.matches(password, $0) } ?? false
    }
}
