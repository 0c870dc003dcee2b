import PostgresDriver
import Synchronization

/// Callers who come with a token of Supabase Auth: accepted as the account that is linked to theirs.
///
/// Who that is and what they may do is asked of the database once and remembered until the account changes, which the
/// revocations tell; nothing is asked for each request.
final class SupabaseAuthenticator: Sendable {
    private struct Account: Sendable {
        let userID: Int64
        let role: String
        let version: Int64
        let readAt: Double
    }

    /// Seconds; less than the revocations' memory, so that no change is missed by a memory of both.
    private static let memory = 300.0

    private let tokens: SupabaseTokenVerifier
    private let database: AuthDatabase
    private let revocations: RevocationList
    private let roles: Set<String>
    private let clock: @Sendable () -> Double
    private let verified = TokenCache<SupabaseToken>()
    private let accounts = TokenCache<Account>()

    init(
        secret: SigningSecret, database: AuthDatabase, revocations: RevocationList, roles: Set<String>,
        clock: @escaping @Sendable () -> Double
    ) {
        tokens = SupabaseTokenVerifier(secret: secret, clock: clock)
        self.database = database
        self.revocations = revocations
        self.roles = roles
        self.clock = clock
    }

    /// The token in an `Authorization` header that was found good before; nil when it is not known.
    func known(_ authorization: String) throws(TokenError) -> SupabaseToken? {
        guard let token = verified[authorization] else { return nil }
        guard tokens.isUsable(token) else {
            verified.remove(authorization)
            throw .expired
        }
        return token
    }

    /// Verifies the token of an `Authorization` header; touches neither network nor disk.
    func verify(_ token: Substring, of authorization: String) throws(TokenError) -> SupabaseToken {
        let found = try tokens.verify(token)
        verified.insert(found, for: authorization)
        return found
    }

    /// - Parameter mayRemember: whether the revocations in memory are up to date.
    func caller(
        of token: SupabaseToken, mayRemember: Bool, deadline: ContinuousClock.Instant?
    ) async throws(AuthError) -> AuthenticatedUser {
        if mayRemember, let account = accounts[token.subject], clock() < account.readAt + Self.memory,
            !revocations.hasNews(of: account.userID, since: account.version)
        {
            return AuthenticatedUser(userID: account.userID, signInID: token.signInID, role: account.role)
        }
        let readAt = clock()
        let rows = try await database.query(Self.account, [.text(token.subject)], deadline: deadline)
        guard rows.count == 1, let userID = rows.text(0, 0).flatMap({ Int64($0) }), let role = rows.text(0, 1),
            let version = rows.text(0, 2).flatMap({ Int64($0) }), roles.contains(role)
        else { throw .unauthenticated(.invalid) }
        guard rows.text(0, 3) == "true" else { throw .unauthenticated(.revoked) }
        accounts.insert(
            Account(userID: userID, role: role, version: version, readAt: readAt), for: token.subject)
        return AuthenticatedUser(userID: userID, signInID: token.signInID, role: role)
    }

    private static let account = Statement(
        """
        SELECT id::text, role::text, version::text, is_active::text FROM users WHERE supabase_user_id = $1::uuid
        """)
}
