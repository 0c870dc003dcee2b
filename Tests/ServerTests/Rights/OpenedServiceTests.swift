import Accounts
import AccountsDomain
import Auth
import CRMDomain
import Documents
import DomainKit
import Files
import JSON
import NIOCore
import NIOHTTP1
import Outbox
import PostgresDriver
import RPCServer
import TestPostgres
import Testing

/// security.md, Rights: "the server's own check switched off (in a test): Postgres still refuses: grants and row-level
/// security per database role".
@Suite struct OpenedServiceTests {
    @Test(arguments: Role.base)
    func `with the check of the server disabled, Postgres refuses what the table refuses, as 403, and no row changes`(
        role: Role
    ) async throws {
        try await OpenedService.with { service in
            let before = try await service.fingerprint()
            var tried = 0
            for (entity, _) in SpecifiedRights.table {
                for (method, operation, params) in Self.calls(of: entity)
                where !SpecifiedRights.roles(for: operation, on: entity).contains(role) {
                    // The role user may read some entries of the journal: see the test of histories.
                    if entity == "journal", operation == .read { continue }
                    let answer = try await service.call("\(entity).\(method)", params, as: role)
                    #expect(answer.at("/error/code") == 403, "\(role) \(entity).\(method): \(answer.json)")
                    #expect(answer.at("/error/data/code") == "forbidden")
                    tried += 1
                }
            }
            #expect(tried == (role == .admin ? 4 : 27))
            #expect(try await service.fingerprint() == before)
        }
    }

    @Test(arguments: Role.base)
    func `with the check of the server disabled, what the table allows succeeds`(role: Role) async throws {
        try await OpenedService.with { service in
            for (entity, _) in SpecifiedRights.table {
                for (method, operation, params) in Self.calls(of: entity)
                where SpecifiedRights.roles(for: operation, on: entity).contains(role) {
                    let answer = try await service.call("\(entity).\(method)", params, as: role)
                    #expect(answer["result"] != nil, "\(role) \(entity).\(method): \(answer.json)")
                }
            }
        }
    }

    /// security.md, Identity: "deactivation, role change … | the access token is refused at once on the instance that did
    /// it". This service does not receive notifications from the database.
    @Test(arguments: [["role": "admin"], ["is_active": false]] as [JSONValue])
    func `an account that loses its role or is deactivated is refused at once`(values: JSONValue) async throws {
        try await OpenedService.with { service in
            let update = try await service.call("users.update", ["id": 2, "values": values], as: .admin)
            #expect(update.at("/result/id") == 2, "\(update.json)")
            #expect(try await service.call("sessions.list", [:], as: .user).at("/error/data/reason") == "revoked")
            #expect(try await service.call("sessions.list", [:], as: .admin)["result"] != nil)
        }
    }

    @Test func `no history shows the role user what it may not read`() async throws {
        try await OpenedService.with { service in
            let all = try await service.call("journal.list", ["first": 500], as: .user)
            let tables = Set(all.at("/result/items").array.compactMap { $0["table_name"]?.text })
            #expect(
                tables == [
                    "sessions", "formateurs", "clients", "ecoles", "programmes", "prospects", "relances", "organisme",
                ])
            let accounts = try await service.call("users.history", ["id": 1], as: .user)
            // No entry is visible, and the role may not check whether the account exists either.
            #expect(accounts["result"] == nil && accounts["error"] != nil, "\(accounts.json)")
        }
    }

    /// A call of each method that succeeds for a role with the right to make it.
    private static func calls(of entity: String) -> [(String, Operation, JSONValue)] {
        let values: JSONValue =
            switch entity {
            case "sessions": .merging(Fixtures.session())
            case "formateurs": ["prenom": "Élodie", "nom": "Dupré"]
            case "clients": ["raison_sociale": "Société"]
            case "ecoles": ["nom": "École"]
            case "prospects": ["raison_sociale": "Prospect"]
            case "relances": ["prospect_id": 1, "date": "2026-01-12"]
            case "programmes": ["intitule": "Nouveau"]
            case "organisme": ["ville": "Lyon"]
            case "users": ["email": "nina@test.example"]
            default: [:]
            }
        var calls: [(String, Operation, JSONValue)] = [
            ("list", .read, [:]), ("get", .read, ["id": 1]), ("aggregate", .read, ["select": "{ count }"]),
            ("create", .create, ["values": values]), ("delete", .delete, ["id": 2]),
        ]
        // The journal has no writable column.
        if entity != "journal" {
            let changes: [String: JSONValue] = ["users": ["username": "Nina"], "programmes": ["objectifs": "Savoir"]]
            let change = changes[entity] ?? values
            calls.append(("update", .update, ["id": 1, "values": change]))
        }
        if entity == "sessions" { calls.insert(("duplicate", .create, ["id": 1]), at: 0) }
        if entity == "users" {
            let secret = JSONValue.merging([("email", "zoe@test.example"), ("password", "un long mot de passe")])
            calls.append(("create", .create, ["values": secret]))
        }
        return calls
    }
}

/// The service without HTTP on a separate database. Its role table allows everything to every role.
private struct OpenedService: Sendable {
    private let service: RPCService
    private let database: TestDatabase
    private let tokens: [Role: String]

    static func with(_ body: (OpenedService) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.psql(rows)
            func client(_ role: String) -> PostgresClient {
                var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
                configuration.role = role
                configuration.poolSize = 2
                configuration.acquireTimeout = .seconds(60)
                return PostgresClient(configuration)
            }
            let clients = [client("learntrack_user"), client("learntrack_admin"), client("learntrack_auth")]
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(OpenedService(database, clients)))
            } catch {
                outcome = .failure(error)
            }
            for client in clients { await client.shutdown() }
            try outcome.get()
        }
    }

    private init(_ database: TestDatabase, _ clients: [PostgresClient]) async throws {
        let identity = try AuthService(
            database: clients[2], secrets: SigningSecret.list(TestServer.secret), issuer: "learntrack",
            roles: ["user", "admin"])
        self.database = database
        let kernel = try Kernel(
            title: "", domains: [CRM.domain.opened, Accounts.domain.opened, Journal.domain.opened],
            sortCollation: "francais", journal: "journal", identity: identity,
            databases: Databases(roles: [.user: clients[0], .admin: clients[1]], accounts: clients[2]))
        let documents = try Documents(kernel)
        service = try RPCService(
            kernel, version: "",
            [
                documents.capability(opening: []), AccountMethods(kernel, accounts: "users").capability,
                FileService(kernel, documents).capability, Notices(kernel).capability,
            ])
        var tokens: [Role: String] = [:]
        for role in Role.base {
            tokens[role] = try await identity.login(
                email: "\(role.name)@test.example", password: TestServer.password, userAgent: nil
            ).accessToken
        }
        self.tokens = tokens
    }

    private static let rows = """
        INSERT INTO formateurs (prenom, nom) VALUES ('Anne', 'Un'), ('Paul', 'Deux');
        INSERT INTO clients (raison_sociale) VALUES ('Un'), ('Deux');
        INSERT INTO ecoles (nom) VALUES ('Un'), ('Deux');
        INSERT INTO prospects (raison_sociale) VALUES ('Un'), ('Deux');
        INSERT INTO relances (prospect_id, date) VALUES (1, '2026-01-12'), (1, '2026-01-13');
        INSERT INTO programmes (intitule) VALUES ('Un'), ('Deux');
        INSERT INTO organisme (raison_sociale) VALUES ('Un');
        INSERT INTO sessions (module, date, debut, fin, modalite) SELECT 'SwiftUI', '2026-01-12', '09:00', '17:00', 'P'
        FROM generate_series(1, 2);
        INSERT INTO users (email, role) VALUES ('autre@test.example', 'user'), ('user@test.example', 'user'),
            ('admin@test.example', 'admin');
        INSERT INTO credentials (user_id, password_hash)
        SELECT id, crypt('\(TestServer.password)', gen_salt('bf', 4)) FROM users WHERE id > 1
        """

    func call(_ method: String, _ params: JSONValue, as role: Role) async throws -> JSONValue {
        let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params.json)}"#
        let context = CallContext(
            requestID: "r", headers: ["Authorization": "Bearer \(tokens[role] ?? "")"], deadline: .now + .seconds(60))
        guard case .json(let answer, _, _) = await service.answer(ByteBuffer(string: body), context) else {
            return .null
        }
        return try JSONValue.parse(Array(answer.readableBytesView))
    }

    /// A fingerprint of all rows in the tables of the domain and in the journal.
    func fingerprint() async throws -> String {
        let tables = SpecifiedRights.table.map(\.entity) + ["credentials"]
        let sums = tables.map { "SELECT '\($0)', md5(string_agg(t::text, ',' ORDER BY t::text)) FROM \($0) t" }
        return try await database.psql(sums.joined(separator: " UNION ALL ") + " ORDER BY 1")
    }
}

extension Domain {
    /// The same domain with every operation allowed to every role.
    fileprivate var opened: Domain {
        let everyone: Grants = [.user, .admin]
        let access = Access(read: everyone, create: everyone, update: everyone, delete: everyone)
        return Domain(
            name: name, schema: schema,
            entities: entities.map { entity in
                Entity(
                    name: entity.name, rows: entity.rows, noun: entity.noun, columns: entity.columns,
                    derived: entity.derived,
                    relations: entity.relations, search: entity.search, defaultOrder: entity.defaultOrder,
                    rules: entity.rules, access: access, isDuplicable: entity.isDuplicable)
            }, methods: methods)
    }
}
