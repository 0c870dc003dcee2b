import Synchronization

/// Finds the account of an `Authorization` header: verifies the token, then checks that it has not been revoked. Access keys
/// are left to ``AccessKeyAuthenticator``.
struct AccessTokenAuthenticator: Sendable {
    let tokens: AccessTokens
    let revocations: RevocationList
    let feed: RevocationFeed
    let keys: AccessKeyAuthenticator
    private let additionalRoles: Set<String>
    /// Nil if tokens of Supabase Auth are not accepted.
    let supabase: SupabaseAuthenticator?
    private let verified = TokenCache<AccessTokens.Verified>()

    /// - Parameter additionalRoles: the roles beside the base roles that are served.
    init(
        tokens: AccessTokens, revocations: RevocationList, feed: RevocationFeed, keys: AccessKeyAuthenticator,
        additionalRoles: Set<String>, supabase: SupabaseAuthenticator?
    ) {
        self.tokens = tokens
        self.revocations = revocations
        self.feed = feed
        self.keys = keys
        self.additionalRoles = additionalRoles
        self.supabase = supabase
    }

    func authenticate(
        authorization: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AuthenticatedUser {
        served(try await user(authorization: authorization, deadline: deadline))
    }

    /// The user without the roles that are not served: an account may hold roles of domains that another server serves.
    func served(_ user: AuthenticatedUser) -> AuthenticatedUser {
        guard user.additionalRoles.contains(where: { !additionalRoles.contains($0.role) }) else { return user }
        return user.keeping(user.additionalRoles.filter { additionalRoles.contains($0.role) })
    }

    private func user(
        authorization: String?, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AuthenticatedUser {
        if let key = Self.accessKey(in: authorization) {
            return try await keys.user(of: key, isCurrent: feed.isCurrent, deadline: deadline)
        }
        if let supabase, let token = try supabaseToken(in: authorization, by: supabase) {
            return try await supabase.user(of: token, mayUseCache: feed.isCurrent, deadline: deadline)
        }
        let user: AuthenticatedUser
        do throws(TokenError) {
            user = try authenticateLocally(authorization: authorization)
        } catch {
            throw .unauthenticated(error)
        }
        if !feed.isConfirmed(user) {
            guard try await feed.confirms(user, deadline: deadline) else { throw .unauthenticated(.revoked) }
        }
        return user
    }

    /// Authenticates without the database, by the revocations that are in memory.
    func authenticateLocally(authorization: String?) throws(TokenError) -> AuthenticatedUser {
        guard let authorization else { throw .missing }
        if let known = verified[authorization] {
            guard tokens.isUsable(known) else {
                verified.remove(authorization)
                throw .expired
            }
            guard !revocations.isRevoked(known.user) else { throw .revoked }
            return known.user
        }
        let found = try tokens.verify(Self.bearerToken(in: authorization))
        guard !revocations.isRevoked(found.user) else { throw .revoked }
        verified.insert(found, for: authorization)
        return found.user
    }

    /// Whether an account has other rights than when it was authenticated, as far as memory knows.
    ///
    /// A token of Supabase Auth does not name the rights, and stays valid when they change.
    func hasOtherRights(_ user: AuthenticatedUser) -> Bool {
        guard user.accessKeyID == nil, let account = revocations.state(of: user.member) else { return false }
        let present = AuthenticatedUser(
            member: user.member, account: user.accountID, signInID: user.signInID, role: account.role,
            additionalRoles: account.additionalRoles, deactivations: max(account.deactivations, user.deactivations))
        return !account.isActive || served(present) != user
    }

    /// Verifies a token of this service, or of Supabase Auth, or a key, without the database.
    func verify(authorization: String?) throws(TokenError) {
        if let key = Self.accessKey(in: authorization) { return try keys.verify(key) }
        if let supabase {
            do throws(AuthError) {
                guard try supabaseToken(in: authorization, by: supabase) == nil else { return }
            } catch {
                guard case .unauthenticated(let error) = error else { throw .invalid }
                throw error
            }
        }
        _ = try authenticateLocally(authorization: authorization)
    }

    /// The valid token of Supabase Auth in the header. Nil if the header holds any other token, valid or not, or none.
    private func supabaseToken(
        in authorization: String?, by supabase: SupabaseAuthenticator
    ) throws(AuthError) -> SupabaseToken? {
        guard let authorization, verified[authorization] == nil else { return nil }
        do throws(TokenError) {
            if let known = try supabase.cachedToken(of: authorization) { return known }
            return try supabase.verify(Self.bearerToken(in: authorization), of: authorization)
        } catch {
            guard error == .expired else { return nil }
            throw .unauthenticated(error)
        }
    }

    /// The text in a `Bearer` header that has the beginning of an access key. Tokens are longer, so that the header of most
    /// calls is not read for it.
    private static func accessKey(in authorization: String?) -> Substring? {
        guard let authorization, authorization.utf8.count < 128,
            let text = try? bearerToken(in: authorization), text.hasPrefix(AccessKey.prefix)
        else { return nil }
        return text
    }

    /// The token of a `Bearer` header (RFC 6750). The scheme is not case-sensitive.
    private static func bearerToken(in authorization: String) throws(TokenError) -> Substring {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { throw .missing }
        guard parts.count == 2 else { throw .invalid }
        return parts[1].drop { $0 == " " }
    }
}

/// The results of recent verifications, so that the next call with the same token costs a look-up and no signature.
///
/// It has two generations of a bounded size. When the young one is full it becomes the old one, and entries of the old
/// one that were not used in the meantime are dropped.
final class TokenCache<Entry: Sendable>: Sendable {
    private struct Generations {
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]
    }

    private let generations = Mutex(Generations())
    private let capacity: Int

    /// - Parameter capacity: the number of entries of a generation.
    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    subscript(key: String) -> Entry? {
        generations.withLock { generations in
            if let entry = generations.young[key] { return entry }
            guard let entry = generations.old[key] else { return nil }
            insert(entry, key, &generations)
            return entry
        }
    }

    func insert(_ entry: Entry, for key: String) {
        generations.withLock { insert(entry, key, &$0) }
    }

    func remove(_ key: String) {
        generations.withLock { generations in
            generations.young[key] = nil
            generations.old[key] = nil
        }
    }

    func removeAll() {
        generations.withLock { $0 = Generations() }
    }

    var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    private func insert(_ entry: Entry, _ key: String, _ generations: inout Generations) {
        if generations.young.count >= capacity {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = entry
    }
}
