import Accounts
import AccountsDomain
import Auth
import Bookshop
import DomainKit
import JSON
import NIOCore
import NIOHTTP1
import PostgresDriver
import RPCServer
import TestPostgres

/// The bookshop, served from a database of its own that has the project's migrations and the tutorial's.
struct ServedBookshop: Sendable {
    let database: TestDatabase
    let service: RPCService
    private let tokens: [Role: String]

    /// - Parameters:
    ///   - further: the roles beside those of the tutorial, each with the table of its subjects, or nil.
    ///   - capabilities: those beside the accounts.
    static func with(
        granting further: [(name: String, subject: String?)] = [], _ capabilities: [Capability] = [],
        _ body: (ServedBookshop) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            for file in try Tutorial().files where file.path.hasSuffix(".sql") {
                try await database.psql("BEGIN;\n\(file.content)\nCOMMIT;")
            }
            try await database.psql(accounts)
            let roles = [(name: "bookshop_reader", subject: "bookshop.readers")] + further
            let clients = [
                "learntrack_user", "learntrack_admin", "learntrack_auth", "learntrack_bookshop_reader",
            ].map { role in
                var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
                configuration.role = role
                configuration.poolSize = 2
                configuration.acquireTimeout = .seconds(60)
                return PostgresClient(configuration)
            }
            let owner = PostgresClient(PostgresClient.Configuration(connectionString: database.connectionString))
            let outcome: Result<Void, any Error>
            do {
                try await AccountAdministration(database: owner).serve(roles)
                outcome = .success(try await body(ServedBookshop(database, clients, roles, capabilities)))
            } catch {
                outcome = .failure(error)
            }
            for client in clients + [owner] { await client.shutdown() }
            try outcome.get()
        }
    }

    private init(
        _ database: TestDatabase, _ clients: [PostgresClient],
        _ additionalRoles: [(name: String, subject: String?)], _ capabilities: [Capability]
    ) async throws {
        self.database = database
        let identity = try AuthService(
            database: clients[2], secrets: [SigningSecret(String(repeating: "-", count: 32))], issuer: "bookshop",
            roles: ["user", "admin"], additionalRoles: Set(additionalRoles.map(\.name)))
        let granted = additionalRoles.map { Role($0.name, subject: $0.subject) }
        let kernel = try Kernel(
            title: "Bookshop",
            domains: [Bookshop.domain, Accounts.domain(granting: granted), Journal.domain],
            sortCollation: "francais", journal: "journal", identity: identity,
            databases: Databases(
                roles: [.user: clients[0], .admin: clients[1], Role("bookshop_reader"): clients[3]],
                accounts: clients[2]))
        service = try RPCService(
            kernel, version: "1.0.0",
            [AccountMethods(kernel, accounts: "users", accountRoles: "account_roles").capability] + capabilities)
        var tokens: [Role: String] = [:]
        for role in Role.base {
            tokens[role] = try await identity.login(
                email: "\(role.name)@test.example", password: Self.password, userAgent: nil
            ).accessToken
        }
        self.tokens = tokens
    }

    /// The password of both accounts.
    static let password = "un mot de passe pour les essais"
    private static let accounts = """
        INSERT INTO users (email, role) VALUES ('user@test.example', 'user'), ('admin@test.example', 'admin');
        INSERT INTO credentials (user_id, password_hash)
        SELECT id, crypt('\(password)', gen_salt('bf', 4)) FROM users
        """

    /// The body of the response to a request of an account with `role`.
    func answer(_ request: String, as role: Role) async throws -> String {
        try await answer(request, token: tokens[role] ?? "")
    }

    /// The body of the response to a request with this access token or access key.
    func answer(_ request: String, token: String) async throws -> String {
        let context = CallContext(
            requestID: "k3x-9f", headers: ["Authorization": "Bearer \(token)"],
            deadline: .now + .seconds(60))
        guard case .json(let response, _, _) = await service.answer(ByteBuffer(string: request), context) else {
            return ""
        }
        return String(buffer: response)
    }
}
