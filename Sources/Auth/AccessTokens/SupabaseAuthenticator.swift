import Crypto
import PostgresDriver

/// Authenticates calls with a token of Supabase Auth, as the account that is linked to the token's subject.
///
/// The account and its roles are read from the database once and cached until the revocation list reports a change, or
/// for five minutes. A call for a cached account needs no query.
final class SupabaseAuthenticator: Sendable {
    private struct CachedAccount: Sendable {
        let member: Member
        let account: Int64
        let role: String
        let additionalRoles: [HeldRole]
        let version: Int64
        let deactivations: Int64
        /// Seconds since 1970.
        let readAt: Double
    }

    /// How long an account is cached, in seconds. Shorter than `RevocationList.retention`, so that a change is still in
    /// the list for as long as an account that was read before it is cached.
    private static let cacheLifetime = 300.0

    private let verifier: SupabaseTokenVerifier
    private let database: AuthDatabase
    private let revocations: RevocationList
    private let roles: Set<String>
    private let clock: @Sendable () -> Double
    private let verified = TokenCache<SupabaseToken>()
    private let accounts = TokenCache<CachedAccount>()

    init(
        secret: SigningSecret, database: AuthDatabase, revocations: RevocationList, roles: Set<String>,
        clock: @escaping @Sendable () -> Double
    ) {
        verifier = SupabaseTokenVerifier(secret: secret, clock: clock)
        self.database = database
        self.revocations = revocations
        self.roles = roles
        self.clock = clock
    }

    /// The token of an `Authorization` header that was verified before. Nil if it is not in the cache.
    func cachedToken(of authorization: String) throws(TokenError) -> SupabaseToken? {
        guard let token = verified[authorization] else { return nil }
        guard verifier.isUsable(token) else {
            verified.remove(authorization)
            throw .expired
        }
        return token
    }

    /// Verifies the token of an `Authorization` header without access to network or disk.
    func verify(_ token: Substring, of authorization: String) throws(TokenError) -> SupabaseToken {
        let found = try verifier.verify(token)
        verified.insert(found, for: authorization)
        return found
    }

    /// The account that is linked to the token's subject.
    ///
    /// - Parameter mayUseCache: whether the revocation list is up to date.
    /// - Throws: `.unauthenticated` with `.invalid` if no account is linked and `.revoked` if it is deactivated.
    func user(
        of token: SupabaseToken, mayUseCache: Bool, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AuthenticatedUser {
        if mayUseCache, let account = accounts[token.subject], clock() < account.readAt + Self.cacheLifetime,
            !revocations.hasChange(of: account.member, since: account.version)
        {
            return AuthenticatedUser(
                member: account.member, account: account.account, signInID: token.signInID, role: account.role,
                additionalRoles: account.additionalRoles, deactivations: account.deactivations)
        }
        let (readAt, start) = (clock(), ContinuousClock.now)
        let rows = try await database.query(Self.account, [.text(token.subject)], deadline: deadline)
        guard rows.count == 1, let userID = rows.text(0, 0).flatMap({ Int64($0) }), let role = rows.text(0, 1),
            let version = rows.text(0, 2).flatMap({ Int64($0) }), roles.contains(role),
            let company = rows.text(0, 5).flatMap({ Int64($0) }), let account = rows.text(0, 6).flatMap({ Int64($0) }),
            let deactivations = rows.text(0, 7).flatMap({ Int64($0) })
        else { throw .unauthenticated(.invalid) }
        guard rows.text(0, 3) == "true" else { throw .unauthenticated(.revoked) }
        revocations.set(CompanyClosure(in: rows, column: 8), of: company, asOf: start)
        let additionalRoles = [HeldRole](in: rows, row: 0, column: 4)
        let member = Member(company: company, id: userID)
        accounts.insert(
            CachedAccount(
                member: member, account: account, role: role, additionalRoles: additionalRoles, version: version,
                deactivations: deactivations, readAt: readAt),
            for: token.subject)
        return AuthenticatedUser(
            member: member, account: account, signInID: token.signInID, role: role, additionalRoles: additionalRoles,
            deactivations: deactivations)
    }

    private static let account = Statement(
        """
        SELECT u.id::text, u.role::text, u.version::text, u.is_member::text, \([HeldRole].sql(of: "u")),
            u.company_id::text, u.account_id::text, u.deactivations::text, \(CompanyClosure.column(of: "n"))
        FROM users u JOIN kernel.companies n ON n.id = u.company_id WHERE u.supabase_user_id = $1::uuid ORDER BY u.is_member DESC, u.company_id LIMIT 1
        """)
}

/// The claims of a token of Supabase Auth that this service uses. The token gives no role here.
struct SupabaseToken: Sendable, Equatable {
    /// The account at Supabase, which `users.supabase_user_id` refers to. A lower-case UUID.
    let subject: String
    /// The sign-in at Supabase, which this service neither lists nor ends. A lower-case UUID.
    let signInID: String
    /// When the token stops being accepted, in seconds since 1970, leeway included.
    let usableUntil: Double
}

/// Verifies access tokens of a Supabase project by the secret that the project signs them with.
private struct SupabaseTokenVerifier: Sendable {
    /// In bytes.
    private static let maxLength = 8192
    private static let audience = "authenticated"
    /// The role of a person who has signed in. The keys of a project have `anon` and `service_role`, and stand for no person.
    private static let role = "authenticated"
    private static let issuerSuffix = "/auth/v1"

    private struct Claims: Decodable {
        let sub: String
        let aud: JSONWebToken.Audience
        let iss: String
        let role: String?
        let isAnonymous: Bool?
        let exp: Double
        let iat: Double?
        let nbf: Double?
        let signIn: String?

        private enum CodingKeys: String, CodingKey {
            case sub, aud, iss, role, exp, iat, nbf
            case signIn = "session_id"
            case isAnonymous = "is_anonymous"
        }
    }

    private let key: SymmetricKey
    private let clock: @Sendable () -> Double

    init(secret: SigningSecret, clock: @escaping @Sendable () -> Double) {
        key = secret.key
        self.clock = clock
    }

    func verify(_ text: some StringProtocol) throws(TokenError) -> SupabaseToken {
        let token = try JSONWebToken(text, maxLength: Self.maxLength)
        // A token of this service's own type is not one of Supabase's, even if the secret signed it.
        guard token.header.typ.map({ $0.uppercased() == "JWT" }) ?? true else { throw .invalid }
        let claims: Claims = try token.claims(signedWith: key)
        let now = clock()
        let subject = claims.sub.lowercased()
        guard SignInID.isValid(subject), claims.aud.names.contains(Self.audience), Self.isIssuer(claims.iss),
            claims.role == Self.role, claims.isAnonymous != true,
            [claims.exp, claims.iat ?? 0, claims.nbf ?? 0].allSatisfy(JSONWebToken.isPlausible),
            [claims.iat, claims.nbf].allSatisfy({ ($0 ?? 0) <= now + AccessTokens.leeway })
        else { throw .invalid }
        let usableUntil = claims.exp + AccessTokens.leeway
        guard now < usableUntil else { throw .expired }
        let signInID = claims.signIn?.lowercased() ?? subject
        return SupabaseToken(
            subject: subject, signInID: SignInID.isValid(signInID) ? signInID : subject, usableUntil: usableUntil)
    }

    func isUsable(_ token: SupabaseToken) -> Bool {
        clock() < token.usableUntil
    }

    /// `https://<project>.supabase.co/auth/v1`, or the same path on the host of a self-hosted project.
    private static func isIssuer(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.hasSuffix(issuerSuffix)
    }
}
