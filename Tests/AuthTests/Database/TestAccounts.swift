import PostgresDriver
import TestPostgres
import TestSupport

@testable import Auth

/// A database with accounts, and instances of the service on it.
struct TestAccounts: Sendable {
    let database: TestDatabase
    let service: AuthService
    let clock: TestClock

    static let password = "une phrase de passe"

    /// Runs `body` on a migrated database of its own.
    static func with(
        passwords: PasswordHasher = PasswordHasher(), _ body: (TestAccounts) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let clock = TestClock()
            let client = client(of: database, role: "learntrack_auth")
            let service = try service(on: client, passwords, clock)
            let accounts = TestAccounts(database: database, service: service, clock: clock)
            do {
                try await body(accounts)
            } catch {
                await client.shutdown()
                throw error
            }
            await client.shutdown()
        }
    }

    /// Another instance of the service on the same database.
    func withAnotherInstance(
        supabase: String? = nil, failureTime: Duration = .zero, _ body: (AuthService) async throws -> Void
    ) async throws {
        let client = Self.client(of: database, role: "learntrack_auth")
        let other = try Self.service(
            on: client, PasswordHasher(), clock, supabase: supabase, failureTime: failureTime)
        do {
            try await body(other)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }

    static func client(of database: TestDatabase, role: String?) -> PostgresClient {
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.role = role
        configuration.poolSize = 3
        // Many tests share two cores, so that connections may take long.
        configuration.acquireTimeout = .seconds(60)
        configuration.connectTimeout = .seconds(60)
        return PostgresClient(configuration)
    }

    private static func service(
        on client: PostgresClient, _ passwords: PasswordHasher, _ clock: TestClock, supabase: String? = nil,
        failureTime: Duration = .zero
    ) throws -> AuthService {
        try AuthService(
            database: client, secrets: SigningSecret.list(ForgedToken.secret), issuer: "learntrack",
            supabaseSecret: supabase.map { try SigningSecret($0) }, roles: ["user", "admin"],
            additionalRoles: ["driver", "viewer"], passwordHasher: passwords, failureTime: failureTime,
            clock: { clock.now })
    }

    /// Creates an account by SQL, as an operator does with psql.
    ///
    /// - Parameter hash: an SQL expression; by default bcrypt of the usual password at the lowest cost.
    @discardableResult
    func add(
        _ email: String, role: String = "user", hash: String = "crypt('\(password)', gen_salt('bf', 4))"
    ) async throws -> Int64 {
        let id = try await psql("INSERT INTO users (email, role) VALUES ('\(email)', '\(role)') RETURNING id")
        try await psql("INSERT INTO credentials SELECT \(id), \(hash)")
        return Int64(id) ?? 0
    }

    /// Serves the role `driver`, whose subjects are two trucks, and `viewer` and `unserved`, which have none.
    func addRoles() async throws {
        try await psql(
            """
            CREATE TABLE trucks (id bigserial PRIMARY KEY); INSERT INTO trucks SELECT FROM generate_series(1, 2);
            SELECT kernel.role_serve('driver', 'trucks'), kernel.role_serve('viewer'), kernel.role_serve('unserved')
            """)
    }

    /// Gives an account a role by SQL.
    func give(_ id: Int64, _ role: String, subject: Int? = nil) async throws {
        try await psql(
            "INSERT INTO account_roles (account_id, role, subject) VALUES (\(id), '\(role)', \(subject.map(String.init) ?? "NULL"))"
        )
    }

    @discardableResult
    func psql(_ sql: String) async throws -> String {
        try await database.psql(sql).split(separator: "\n").first.map(String.init) ?? ""
    }

    func login(_ email: String, _ password: String = password) async throws -> IssuedTokens {
        try await service.login(email: email, password: password, userAgent: "test")
    }

    /// Dates the exchanges of every refresh token back by an interval.
    func age(rotationsBy interval: String) async throws {
        try await psql(
            "UPDATE sign_ins SET rotated_at = ARRAY(SELECT t - interval '\(interval)' FROM unnest(rotated_at) t)")
    }

    /// Dates the exchanges an hour ahead, so that the ten seconds for retries do not pass during a slow test.
    func stretchRotations() async throws {
        try await age(rotationsBy: "-1 hour")
    }

    /// Dates every counted attempt and its pause back by an interval.
    func age(attemptsBy interval: String) async throws {
        try await psql(
            "UPDATE attempts SET last_at = last_at - interval '\(interval)', not_before = not_before - interval '\(interval)'"
        )
    }

    /// Prolongs every pause that has begun by an hour, so that it does not end during a slow test.
    func stretch() async throws {
        try await age(attemptsBy: "-1 hour")
    }

    /// The pause of an account, in seconds from its last failure.
    func pause(of email: String) async throws -> String {
        try await psql(
            "SELECT extract(epoch FROM not_before - last_at)::integer FROM attempts WHERE slot = kernel.attempt_slot(0, '\(email)')"
        )
    }

    /// The seconds that a login has to wait. Nil if it is admitted, whether it succeeds or fails.
    func wait(
        _ email: String, _ password: String, from address: String? = nil, by service: AuthService? = nil
    ) async throws -> Int? {
        let instance = service ?? self.service
        do throws(AuthError) {
            _ = try await instance.login(email: email, password: password, remoteAddress: address)
            return nil
        } catch {
            switch error {
            case .invalidCredentials: return nil
            case .busy(let seconds): return seconds
            default: throw error
            }
        }
    }

    /// The error for the access token of `signedIn`. Nil if it is accepted.
    func rejection(of signedIn: IssuedTokens, by service: AuthService? = nil) async throws -> TokenError? {
        let instance = service ?? self.service
        return try await Self.rejection { () async throws(AuthError) in
            _ = try await instance.authenticate(authorization: "Bearer " + signedIn.accessToken)
        }
    }

    /// The error for the exchange of `token`. Nil if it succeeds.
    func rejection(ofRefresh token: String) async throws -> TokenError? {
        try await Self.rejection { () async throws(AuthError) in
            _ = try await service.refresh(token)
        }
    }

    private static func rejection(_ body: () async throws(AuthError) -> Void) async throws -> TokenError? {
        do {
            try await body()
            return nil
        } catch {
            guard case .unauthenticated(let refusal) = error else { throw error }
            return refusal
        }
    }
}

extension AuthService {
    /// An access key that is created without terms.
    func newAccessKey(
        for account: Int64, as role: String, subject: Int64? = nil, name: String, expiresAt: String? = nil
    ) async throws(AuthError) -> (AccessKeySummary, key: String) {
        let creation = try await createAccessKey(
            for: account, as: role, subject: subject, name: name, expiresAt: expiresAt,
            by: Member(company: 1, id: account))
        guard case .created(let summary, let key) = creation else { throw .noSuchAccount }
        return (summary, key)
    }
}
