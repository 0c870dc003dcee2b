package import PostgresDriver

/// Who people are: signing in and out, passwords, and who a call comes from.
///
/// One for each running service. It knows the tables `users` (id, email, role, is_active), `credentials` and
/// `sign_ins`, over connections of the one database role that may touch secrets.
package final class Identity: Sendable {
    let signIns: SignIns
    let rotation: Rotation
    let ending: Ending
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokens
    let resetTokens: ResetTokens
    let passwords: Passwords
    let limits: LoginLimits
    let database: IdentityDatabase
    private let verified: TokenCache

    package let revocations: Revocations
    /// What other instances do; run its `follow` beside the service.
    package let feed: RevocationFeed

    /// - Parameters:
    ///   - database: connections of the role that may touch secrets.
    ///   - secrets: at least one; the first signs, all verify.
    ///   - roles: the roles an account may have.
    ///   - clock: seconds since 1970; sign-ins and refresh tokens go by the database's clock instead.
    package init(
        database: PostgresClient, secrets: [SigningSecret], roles: Set<String>, passwords: Passwords = Passwords(),
        clock: @escaping @Sendable () -> Double = SystemClock.now
    ) async throws {
        let database = IdentityDatabase(client: database)
        self.database = database
        self.passwords = passwords
        accessTokens = try await AccessTokens(secrets: secrets, roles: roles, clock: clock)
        refreshTokens = RefreshTokens(secrets: secrets)
        resetTokens = ResetTokens(secrets: secrets, clock: clock)
        limits = LoginLimits(clock: clock)
        signIns = SignIns(database: database)
        rotation = Rotation(database: database, tokens: refreshTokens)
        ending = Ending(database: database)
        revocations = Revocations(clock: clock)
        feed = RevocationFeed(database: database, revocations: revocations)
        verified = TokenCache()
    }

    /// Finds out who a call comes from by its `Authorization` header.
    ///
    /// Takes a database connection only for a token that is good by itself, and only while news from other instances
    /// have not come for a second.
    /// - Throws: `.unauthenticated`, or `.database` where the database had to be asked.
    package func authenticate(
        authorization: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(IdentityError) -> Caller {
        let caller: Caller
        do throws(TokenRefusal) {
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
    package func authenticateLocally(authorization: String?) throws(TokenRefusal) -> Caller {
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

    /// The token of a `Bearer` header; the scheme's case does not matter.
    private static func token(in authorization: String) throws(TokenRefusal) -> Substring {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { throw .missing }
        guard parts.count == 2 else { throw .invalid }
        return parts[1].drop { $0 == " " }
    }

    /// Both tokens for a sign-in that was just started or refreshed, by the account as it was read with it.
    func signedIn(
        _ userID: Int64, _ account: Revocations.Account, _ refreshToken: RefreshToken
    ) async throws(IdentityError) -> SignedIn {
        // What is remembered of the account may be older.
        revocations.update(account, of: userID)
        let caller = Caller(userID: userID, signInID: refreshToken.signInID, role: account.role)
        do {
            return SignedIn(
                caller: caller, accessToken: try await accessTokens.issue(for: caller),
                expiresIn: AccessTokens.lifetime, refreshToken: refreshToken.text)
        } catch {
            throw .noToken
        }
    }
}
