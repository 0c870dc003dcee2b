import Crypto
import Glibc
package import PostgresDriver

/// Signs users in and out, manages their passwords and authenticates calls.
///
/// A server has one instance. It uses the tables `kernel.accounts`, `kernel.companies`, `users` (the members: company_id, id,
/// account_id, email, role, is_member, deactivations, version, and supabase_user_id where Supabase is used), `account_roles`, `credentials`, `sign_ins`, `access_keys`, `kernel.passkeys`,
/// `kernel.passkey_challenges`, `kernel.subscriptions`, `password_resets`, `attempts` and
/// `known_places`, over connections of the only database role that may read secrets. Any number of instances may share a
/// database: ``feed`` carries the revocations of each to the others.
///
/// Methods that take a `deadline` throw ``AuthError/timeout`` when it passes before the database has answered, and
/// ``AuthError/cancelled`` when the calling task is cancelled. They may be called from any task.
package final class AuthService: Sendable {
    let database: AuthDatabase
    let accessTokens: AccessTokens
    let refreshTokens: RefreshTokenIssuer
    let passwordHasher: PasswordHasher
    let setupToken = SetupToken()
    private let withdrawals: WithdrawalSignal
    let failureTime: Duration
    let authenticator: AccessTokenAuthenticator
    let documentLinks: DocumentLinkSigner
    let signatureLinks: SignatureLinkSigner
    let passkeyChallenges: PasskeyChallenge.Issuer
    /// The first key tags the secrets of subscriptions, all of them recognise them.
    let subscriptionKeys: [SymmetricKey]
    let subscriptionLookups = LookupBudget()
    let documentCounts: DocumentCounts

    /// Receives what other instances revoke. Run its `follow` for as long as the service is in use.
    package var feed: RevocationFeed { authenticator.feed }

    /// The number of password hashes that are being computed and the number that wait, for metrics.
    package var hashingLoad: (running: Int, waiting: Int) { passwordHasher.load }

    var revocations: RevocationList { authenticator.revocations }
    var signIns: SignInStore { SignInStore(database: database) }
    var signInRevocation: SignInRevocation { SignInRevocation(database: database) }
    var rotation: RefreshTokenRotation { RefreshTokenRotation(database: database, tokens: refreshTokens) }
    var passwordResets: PasswordResets { PasswordResets(database: database) }
    var throttle: LoginThrottle { LoginThrottle(database: database) }

    /// - Parameters:
    ///   - database: connections of the database role that may read secrets.
    ///   - secrets: at least one. The first signs tokens, all of them verify tokens.
    ///   - issuer: the value of the claims `iss` and `aud` of access tokens, such as the name of the product.
    ///   - supabaseSecret: the secret that a Supabase project signs its tokens with. Without it, tokens of Supabase Auth
    ///     are not accepted.
    ///   - roles: the base roles, of which every account has one.
    ///   - additionalRoles: the roles that an account may have beside it. Those that it holds and that are not among them
    ///     are ignored.
    ///   - failureTime: the least time that a failed login takes.
    ///   - clock: seconds since 1970, used for the expiry of access tokens. Everything that is stored in the database is
    ///     dated by the clock of the database, which all instances share.
    /// - Throws: ``SigningSecretError/empty`` if there is no secret.
    package init(
        database: PostgresClient, secrets: [SigningSecret], issuer: String, supabaseSecret: SigningSecret? = nil,
        roles: Set<String>, additionalRoles: Set<String> = [], passwordHasher: PasswordHasher = PasswordHasher(),
        failureTime: Duration = .milliseconds(250), clock: @escaping @Sendable () -> Double = SystemClock.now
    ) throws(SigningSecretError) {
        let database = AuthDatabase(client: database)
        let withdrawals = WithdrawalSignal()
        let revocations = RevocationList(withdrawals: withdrawals, clock: clock)
        self.withdrawals = withdrawals
        self.database = database
        self.passwordHasher = passwordHasher
        self.failureTime = failureTime
        accessTokens = try AccessTokens(secrets: secrets, issuer: issuer, roles: roles, clock: clock)
        refreshTokens = RefreshTokenIssuer(secrets: secrets)
        documentLinks = DocumentLinkSigner(secrets: secrets, clock: clock)
        documentCounts = DocumentCounts(clock: clock)
        signatureLinks = SignatureLinkSigner(secrets: secrets)
        passkeyChallenges = PasskeyChallenge.Issuer(secrets: secrets, clock: clock)
        subscriptionKeys = secrets.map { $0.derived(for: "subscription tag") }
        let keys = AccessKeyRing(withdrawals: withdrawals, clock: clock)
        let keyStore = AccessKeyStore(database: database)
        authenticator = AccessTokenAuthenticator(
            tokens: accessTokens, revocations: revocations,
            feed: RevocationFeed(database: database, revocations: revocations, keys: keys, keyStore: keyStore),
            keys: AccessKeyAuthenticator(
                ring: keys, store: keyStore, revocations: revocations, baseRoles: roles, clock: clock),
            additionalRoles: additionalRoles,
            supabase: supabaseSecret.map { secret in
                SupabaseAuthenticator(
                    secret: secret, database: database, revocations: revocations, roles: roles, clock: clock)
            })
    }

    /// Authenticates a call by its `Authorization` header, which holds an access token or an access key.
    ///
    /// It uses a database connection only for a token that is valid by itself: for the first token of a sign-in that
    /// another instance started, and while announcements of other instances have been missing for more than a second. For
    /// keys see ``AccessKeyAuthenticator``.
    /// - Throws: `.unauthenticated`; `.database` where the database had to be asked and did not answer; `.busy` for an
    ///   unknown key if too many would have to be looked up.
    package func authenticate(
        authorization: String?, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> AuthenticatedUser {
        try await authenticator.authenticate(authorization: authorization, deadline: deadline)
    }

    /// Verifies the token in an `Authorization` header without the database: its signature, its expiry, and the
    /// revocations that are in memory. A key counts as valid if it is in memory.
    package func verify(authorization: String?) throws(TokenError) {
        try authenticator.verify(authorization: authorization)
    }

    /// Verifies what ``verify(authorization:)`` verifies, that the account has the rights that it had when it was
    /// authenticated, and that its company is not closed.
    ///
    /// - Parameter user: as ``authenticate(authorization:deadline:)`` has answered it for the same header.
    package func isStillValid(_ user: AuthenticatedUser, authorization: String?) -> Bool {
        do throws(TokenError) {
            try authenticator.verify(authorization: authorization)
            return !authenticator.hasOtherRights(user) && revocations.closure(of: user.company) == nil
        } catch {
            return false
        }
    }

    /// Why no call is answered in the company of a user who has just been authenticated: what was asked to authenticate says that, too.
    package func closure(for user: AuthenticatedUser) -> CompanyClosure? { revocations.closure(of: user.company) }

    /// Why no call is answered in a company; nil: calls are.
    ///
    /// It uses a database connection only while announcements of other instances have been missing for more than a second.
    /// - Throws: `.database` where the database had to be asked and did not answer.
    package func closure(
        of company: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> CompanyClosure? {
        try await feed.closure(of: company, deadline: deadline)
    }

    /// Calls `observer` each time that tokens, keys or rights may have been withdrawn.
    ///
    /// - Parameter observer: called on any thread; before the call is answered that withdraws them here. It must not block.
    package func onWithdrawal(_ observer: @escaping @Sendable (Withdrawal) -> Void) {
        withdrawals.observe(observer)
    }

    /// Both tokens for a sign-in that was just started or refreshed.
    ///
    /// - Parameter member: as it was read in the same statement.
    func issueTokens(for member: ActiveMember, _ refreshToken: RefreshToken) throws(AuthError) -> IssuedTokens {
        // The list may still hold an older state of the account, which would reject the new token.
        revocations.update(member.state, of: member.member)
        let user = member.user(signInID: refreshToken.signInID)
        feed.confirm(user)
        return IssuedTokens(
            user: authenticator.served(user), accessToken: try accessTokens.issue(for: user),
            expiresIn: AccessTokens.lifetime, refreshToken: refreshToken.text)
    }
}

/// The account that a call is made for, as a verified access token names it, or an access key.
package struct AuthenticatedUser: Sendable, Hashable {
    /// The company in which the call acts.
    package let company: Int64
    /// The member of the company, unique in it.
    package let userID: Int64
    /// The person: what passwords, sign-ins and passkeys belong to.
    package let accountID: Int64
    /// The sign-in that the token was issued for, as a lower-case UUID. Empty if the call is made with an access key.
    package let signInID: String
    /// The access key that the call is made with; nil if it is made with a token.
    package let accessKeyID: Int64?
    /// One of the base roles that the service was given; nil for an access key that acts in another role.
    package let role: String?
    /// The roles beside the base role: those that the account holds, or the one in which the access key acts.
    package let additionalRoles: [HeldRole]
    /// How often the member had been deactivated when the token was issued; 0 for an access key.
    let deactivations: Int64

    /// The account of an access token.
    package init(
        member: Member, account: Int64, signInID: String, role: String, additionalRoles: [HeldRole] = [],
        deactivations: Int64 = 0
    ) {
        self.init(
            member: member, account: account, signInID: signInID, accessKeyID: nil, role: role,
            additionalRoles: additionalRoles, deactivations: deactivations)
    }

    /// The account of an access key. The key acts in one role alone.
    package init(member: Member, account: Int64, accessKeyID: Int64, role: String?, additionalRoles: [HeldRole]) {
        self.init(
            member: member, account: account, signInID: "", accessKeyID: accessKeyID, role: role,
            additionalRoles: additionalRoles, deactivations: 0)
    }

    private init(
        member: Member, account: Int64, signInID: String, accessKeyID: Int64?, role: String?,
        additionalRoles: [HeldRole], deactivations: Int64
    ) {
        company = member.company
        userID = member.id
        accountID = account
        self.signInID = signInID
        self.accessKeyID = accessKeyID
        self.role = role
        self.additionalRoles = additionalRoles
        self.deactivations = deactivations
    }

    package var member: Member { Member(company: company, id: userID) }

    /// The part of database connections that the person has in the company, with which companies and then accounts take turns.
    package var share: Share { Share(accountID, of: company) }

    /// This user with some of the additional roles.
    func keeping(_ additionalRoles: [HeldRole]) -> AuthenticatedUser {
        AuthenticatedUser(
            member: member, account: accountID, signInID: signInID, accessKeyID: accessKeyID, role: role,
            additionalRoles: additionalRoles, deactivations: deactivations)
    }
}

/// The system's wall clock.
package enum SystemClock {
    /// Seconds since 1970.
    @Sendable package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
