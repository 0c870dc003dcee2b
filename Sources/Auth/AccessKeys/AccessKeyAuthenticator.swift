import Synchronization

/// Finds the account of an access key.
///
/// Keys are looked up in memory. The database is asked for a key that is not there, which another instance may have
/// created a moment ago, and for every key while announcements of other instances are missing.
struct AccessKeyAuthenticator: Sendable {
    let ring: AccessKeyRing
    let store: AccessKeyStore
    let revocations: RevocationList
    /// The roles of which every account has one.
    let baseRoles: Set<String>
    let clock: @Sendable () -> Double
    private let lookups: LookupBudget

    init(
        ring: AccessKeyRing, store: AccessKeyStore, revocations: RevocationList, baseRoles: Set<String>,
        clock: @escaping @Sendable () -> Double
    ) {
        self.ring = ring
        self.store = store
        self.revocations = revocations
        self.baseRoles = baseRoles
        self.clock = clock
        lookups = LookupBudget()
    }

    /// - Parameter isCurrent: whether the keys in memory are complete.
    /// - Throws: `.unauthenticated`; `.busy` for an unknown key if many have been presented and the keys in memory may
    ///   not be complete.
    func user(
        of text: Substring, isCurrent: Bool, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AuthenticatedUser {
        guard let key = AccessKey(text) else { throw .unauthenticated(.invalid) }
        let hash = key.hash
        var stored = ring[hash]
        // A key does not become valid again, so that one in memory is refused without asking.
        if let stored { try check(stored) }
        if stored == nil || !isCurrent {
            // So wrong keys cannot flood the database, however many a client makes up.
            if stored == nil, !lookups.admits(at: .now) {
                throw isCurrent ? .unauthenticated(.invalid) : .busy(retryAfter: 1)
            }
            let start = ContinuousClock.now
            guard let found = try await store.key(hash: hash, deadline: deadline) else {
                throw .unauthenticated(.invalid)
            }
            ring.set(CollectionOfOne(found.key))
            try check(found.key)
            revocations.set(found.closure, of: found.key.member.company, asOf: start)
            stored = found.key
        }
        guard let stored else { throw .unauthenticated(.invalid) }
        ring.noteUse(of: stored)
        return user(of: stored)
    }

    /// Checks a key without the database. A key that is not in memory counts as invalid.
    func verify(_ text: Substring) throws(TokenError) {
        guard let stored = AccessKey(text).flatMap({ ring[$0.hash] }) else { throw .invalid }
        if let error = error(of: stored) { throw error }
    }

    private func check(_ stored: StoredAccessKey) throws(AuthError) {
        if let error = error(of: stored) { throw .unauthenticated(error) }
    }

    private func error(of stored: StoredAccessKey) -> TokenError? {
        if stored.isRevoked { return .revokedKey }
        if let expiresAt = stored.expiresAt, clock() >= expiresAt { return .expiredKey }
        return nil
    }

    private func user(of stored: StoredAccessKey) -> AuthenticatedUser {
        let isBase = baseRoles.contains(stored.acting.role)
        return AuthenticatedUser(
            member: stored.member, account: stored.account, accessKeyID: stored.id,
            role: isBase ? stored.acting.role : nil,
            additionalRoles: isBase ? [] : [stored.acting])
    }
}

/// How many unknown keys may be looked up in the database: ten at once, and ten more each second.
final class LookupBudget: Sendable {
    private static let most = 10.0
    private static let perSecond = 10.0

    private struct State {
        var left = most
        var at: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Whether one more may be looked up, and counts it.
    func admits(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            if let last = state.at, now > last {
                state.left = min(Self.most, state.left + (now - last) / .seconds(1) * Self.perSecond)
            }
            state.at = now
            guard state.left >= 1 else { return false }
            state.left -= 1
            return true
        }
    }
}
