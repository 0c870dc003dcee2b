import TextEncodings

/// Checks and makes password hashes without ever holding up anyone else.
package struct PasswordHasher: Sendable {
    package enum Verdict: Sendable, Equatable {
        case wrong
        /// Right; `replacement` is a hash of today's kind where the stored one is older.
        case right(replacement: String?)
    }

    private let threads: HashingThreadPool

    package init(threads: HashingThreadPool = HashingThreadPool()) {
        self.threads = threads
    }

    /// Compares `password` with an account's `hash`, nil where it has none.
    package func check(
        _ password: String, against hash: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Verdict {
        try await run(deadline) { Self.verdict(on: password, against: hash) }
    }

    /// What `check` finds, on the calling thread.
    ///
    /// Costs one hash of today's kind at least, whether there is a hash or not, of whatever kind it is, and whether it
    /// matches: the time of the answer does not tell one case from another.
    static func verdict(on password: String, against hash: String?) -> Verdict {
        guard let hash, PasswordHash.isUsable(hash) else {
            _ = DummyHash.matches(password)
            return .wrong
        }
        if PasswordHash.isCurrent(hash) {
            return PasswordHash.matches(password, hash) ? .right(replacement: nil) : .wrong
        }
        guard PasswordHash.matches(password, hash) else {
            _ = DummyHash.matches(password)
            return .wrong
        }
        // What the old hash did not read must not become part of the password by a slip of the keyboard.
        guard PasswordHash.provesWhole(password, hash) else {
            _ = DummyHash.matches(password)
            return .right(replacement: nil)
        }
        return .right(replacement: PasswordHash.make(of: password))
    }

    /// A hash of `password` to store for the account of `email`.
    ///
    /// - Throws: `.password` when it is not good enough.
    package func acceptedHash(
        of password: String, email: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> String {
        if let fault = PasswordPolicy.violation(in: password, email: email) { throw .password(fault) }
        guard let hash = try await run(deadline, { PasswordHash.make(of: password) }) else { throw .hashingFailed }
        return hash
    }

    private func run<R: Sendable>(
        _ deadline: ContinuousClock.Instant?, _ work: @escaping @Sendable () -> R
    ) async throws(AuthError) -> R {
        do throws(HashingThreadPoolError) {
            return try await threads.run(deadline: deadline, work)
        } catch {
            throw AuthError(error)
        }
    }
}

/// A hash of today's kind that nobody knows the password of: what an unknown account is checked against.
///
/// Made on first use, on a hashing thread, and kept: making one costs as much as checking one.
private enum DummyHash {
    private static let hash = PasswordHash.make(of: Base64URL.encode(RandomBytes.make(32)))

    static func matches(_ password: String) -> Bool {
        hash.map { PasswordHash.matches(password, $0) } ?? false
    }
}
