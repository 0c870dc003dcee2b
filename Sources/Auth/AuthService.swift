package import PostgresDriver

/// Who people are: signing in and out, passwords, and who a call comes from.
///
/// One for each running service. It knows the tables `users` (id, email, role, is_active), `credentials`, `sign_ins`,
/// `password_resets`, `attempts` and `known_places`, over connections of the one database role that may touch secrets.
package final class AuthService: Sendable {
    let signIns: SignInStore
    let rotation: RefreshTokenRotation
    let ending: SignInRevocation
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokens
    let resets: PasswordResets
    let passwords: PasswordHasher
    let attempts: LoginThrottle
    let setupToken = SetupToken()
    let failureTime: Duration
    let database: AuthDatabase
    private let verified: TokenCache<AccessTokens.Verified>
    /// Nil: their tokens are not accepted.
    private let supabase: SupabaseAuthenticator?

    package let revocations: RevocationList
    /// What other instances do; run its `follow` beside the service.
    package let feed: RevocationFeed

    /// - Parameters:
    ///   - database: connections of the role that may touch secrets.
    ///   - secrets: at least one; the first signs, all verify.
    ///   - supabaseSecret: what a Supabase project signs its tokens with; nil: those are not accepted.
    ///   - roles: the roles an account may have.
    ///   - failureTime: how long a failed sign-in takes at least.
    ///   - clock: seconds since 1970, for access tokens; what the database holds goes by the database's clock, the same for
    ///     all instances.
    package init(
        database: PostgresClient, secrets: [SigningSecret], supabaseSecret: SigningSecret? = nil,
        roles: Set<String>, passwords: PasswordHasher = PasswordHasher(), failureTime: Duration = .milliseconds(250),
        clock: @escaping @Sendable () -> Double = SystemClock.now
    ) async throws {
        let database = AuthDatabase(client: database)
        self.database = database
        self.passwords = passwords
        self.failureTime = failureTime
        accessTokens = try await AccessTokens(secrets: secrets, roles: roles, clock: clock)
        refreshTokens = RefreshTokens(secrets: secrets)
        resets = PasswordResets(database: database)
        attempts = LoginThrottle(database: database)
        signIns = SignInStore(database: database)
        rotation = RefreshTokenRotation(database: database, tokens: refreshTokens)
        ending = SignInRevocation(database: database)
        revocations = RevocationList(clock: clock)
        feed = RevocationFeed(database: database, revocations: revocations)
        verified = TokenCache()
        supabase = supabaseSecret.map { [revocations] secret in
            SupabaseAuthenticator(
                secret: secret, database: database, revocations: revocations, roles: roles, clock: clock)
        }
    }

    /// Finds out who a call comes from by its `Authorization` header.
    ///
    /// Takes a database connection only for a token that is good by itself, and only while news from other instances
    /// have not come for a second.
    /// - Throws: `.unauthenticated`, or `.database` where the database had to be asked.
    package func authenticate(
        authorization: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> AuthenticatedUser {
        if let supabase, let token = try supabaseToken(in: authorization, by: supabase) {
            return try await supabase.caller(of: token, mayRemember: feed.isCurrent, deadline: deadline)
        }
        let caller: AuthenticatedUser
        do throws(TokenError) {
            caller = try authenticateLocally(authorization: authorization)
        } catch {
            throw .unauthenticated(error)
        }
        if !feed.isCurrent {
            guard try await feed.confirms(caller, deadline: deadline) else { throw .unauthenticated(.revoked) }
        }
        return caller
    }

    /// The same by what this instance knows alone.
    package func authenticateLocally(authorization: String?) throws(TokenError) -> AuthenticatedUser {
        guard let authorization else { throw .missing }
        if let known = verified[authorization] {
            guard accessTokens.isUsable(known) else {
                verified.remove(authorization)
                throw .expired
            }
            guard !revocations.refuses(known.caller) else { throw .revoked }
            return known.caller
        }
        let found = try accessTokens.verify(Self.token(in: authorization))
        guard !revocations.refuses(found.caller) else { throw .revoked }
        verified.insert(found, for: authorization)
        return found.caller
    }

    /// The token of Supabase Auth in the header; nil when there is another there, good or bad, or none.
    private func supabaseToken(
        in authorization: String?, by supabase: SupabaseAuthenticator
    ) throws(AuthError) -> SupabaseToken? {
        guard let authorization, verified[authorization] == nil else { return nil }
        do throws(TokenError) {
            if let known = try supabase.known(authorization) { return known }
            return try supabase.verify(Self.token(in: authorization), of: authorization)
        } catch {
            guard error == .expired else { return nil }
            throw .unauthenticated(error)
        }
    }

    /// The token of a `Bearer` header; the scheme's case does not matter.
    private static func token(in authorization: String) throws(TokenError) -> Substring {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { throw .missing }
        guard parts.count == 2 else { throw .invalid }
        return parts[1].drop { $0 == " " }
    }

    /// Both tokens for a sign-in that was just started or refreshed, by the account as it was read with it.
    func signedIn(
        _ userID: Int64, _ account: AccountState, _ refreshToken: RefreshToken
    ) async throws(AuthError) -> IssuedTokens {
        // What is remembered of the account may be older.
        revocations.update(account, of: userID)
        let caller = AuthenticatedUser(userID: userID, signInID: refreshToken.signInID, role: account.role)
        do {
            return IssuedTokens(
                caller: caller, accessToken: try await accessTokens.issue(for: caller),
                expiresIn: AccessTokens.lifetime, refreshToken: refreshToken.text)
        } catch {
            throw .signingFailed
        }
    }
}
