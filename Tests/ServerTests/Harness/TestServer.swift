import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// A running `learntrack serve` on a separate migrated database.
final class TestServer: Sendable {
    let process: LearnTrackProcess
    let database: TestDatabase
    let port: Int

    static let secret = "a-secret-for-tests-that-is-long-enough-0123456789"
    static let password = "un mot de passe pour les essais"
    static let admin = "admin@test.example"
    static let user = "user@test.example"

    private static let shared = Shared { try await start() }

    /// The server of all tests that only insert rows.
    static func running() async throws -> TestServer {
        try await shared.value()
    }

    /// Starts a server for the caller alone.
    ///
    /// - Parameters:
    ///   - database: one that has the schema; by default a new one, which the program has migrated.
    ///   - program: with the domains that it serves.
    ///   - scheme: `https` when the arguments name a certificate; ``client(_:)`` and ``connection()`` speak plain HTTP.
    static func start(
        _ arguments: [String] = [], environment: [String: String] = [:], database: TestDatabase? = nil,
        program: TestProgram = .learntrack, scheme: String = "http"
    ) async throws -> TestServer {
        let database = if let database { database } else { try await program.migratedDatabase() }
        _ = try await database.psql(accounts)
        let process = try LearnTrackProcess(
            ["serve", "--port", "0"] + arguments,
            environment: ["DATABASE_URL": database.connectionString, "JWT_SECRET": secret]
                .merging(environment) { _, new in new }, program: program)
        return try await TestServer(process, database, scheme)
    }

    private init(_ process: LearnTrackProcess, _ database: TestDatabase, _ scheme: String) async throws {
        self.process = process
        self.database = database
        port = try await process.waitUntilReady(scheme)
    }

    /// Creates, in the first company, two accounts with bcrypt hashes computed by Postgres, as an administrator does with psql.
    private static let accounts = """
        DO $$ BEGIN
        PERFORM set_config('learntrack.company', '1', true);
        INSERT INTO users (username, email, role) VALUES ('admin', '\(admin)', 'admin'), ('user', '\(user)', 'user');
        INSERT INTO credentials (user_id, password_hash)
            SELECT id, crypt('\(password)', gen_salt('bf', 4)) FROM users WHERE email IN ('\(admin)', '\(user)');
        EXCEPTION WHEN unique_violation THEN NULL; END $$
        """

    func connection() throws -> HTTPConnection {
        try HTTPConnection(port: port)
    }

    private let tokens = TokenCache()

    /// A client that is signed in to one of the two accounts; nil: without a sign-in.
    func client(_ email: String? = TestServer.admin) async throws -> RPCClient {
        guard let email else { return try RPCClient(port: port, token: nil) }
        return try RPCClient(port: port, token: try await tokens.token(of: email, at: port))
    }

    /// Sends SIGTERM and waits for the exit status.
    func stop() async throws -> Int32 {
        try process.signal(SIGTERM)
        return try await process.waitForExit()
    }
}

/// Signs in once per account, because password hashing is slow on purpose, and again before its token expires: on a slow
/// machine, the tests of one server take longer than the quarter of an hour for which a token is valid.
private actor TokenCache {
    private struct SignIn {
        let task: Task<String, any Error>
        let start: ContinuousClock.Instant
    }

    private var signIns: [String: SignIn] = [:]

    func token(of email: String, at port: Int) async throws -> String {
        if let signIn = signIns[email], .now - signIn.start < .seconds(600) { return try await signIn.task.value }
        let task = Task {
            let answer = try await RPCClient(port: port, token: nil)
                .call("auth.login", ["email": .string(email), "password": .string(TestServer.password)])
            guard let token = answer["access_token"]?.text else {
                throw TestEnvironmentError("no token: \(answer.json)")
            }
            return token
        }
        signIns[email] = SignIn(task: task, start: .now)
        return try await task.value
    }
}

/// A value that is created once, on first use.
actor Shared<Made: Sendable> {
    private let make: @Sendable () async throws -> Made
    private var task: Task<Made, any Error>?

    init(_ make: @escaping @Sendable () async throws -> Made) {
        self.make = make
    }

    func value() async throws -> Made {
        let task = self.task ?? Task { [make] in try await make() }
        self.task = task
        return try await task.value
    }
}
