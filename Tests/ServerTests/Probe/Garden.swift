import DomainKit
import JSON
import Synchronization
import TestPostgres
import TestSupport
import Testing

/// A server of the probe domain with a coordinator. Tests share it, each with gardeners of its own.
final class Garden: Sendable {
    /// A gardener with an account in the role `gardener`, and a plot.
    struct Gardener: Sendable {
        let id: Int
        let account: JSONValue
        let email: String
        let client: RPCClient
        let plot: Int
    }

    let server: TestServer
    private static let coordinatorEmail = "coordinator@test.example"
    private let count = Atomic<Int>(0)

    private static let shared = Shared { try await Garden(.probe()) }

    static func running() async throws -> Garden { try await shared.value() }

    convenience init(
        _ program: TestProgram, on cluster: TestCluster? = nil, arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        try await self.init(
            TestServer.start(
                arguments, environment: environment, database: program.migratedDatabase(on: cluster), program: program))
    }

    init(_ server: TestServer) async throws {
        self.server = server
        _ = try await Self.account(Self.coordinatorEmail, role: "coordinator", subject: nil, on: server)
        let coordinator = try await coordinator()
        for code in ["tomate", "haricot"] {
            _ = try await coordinator.call("crops.create", ["values": ["code": .string(code), "name": .string(code)]])
        }
    }

    /// A client of the coordinator over a connection of its own, because the server closes idle ones.
    func coordinator() async throws -> RPCClient { try await server.client(Self.coordinatorEmail) }

    /// A new gardener.
    func gardener() async throws -> Gardener {
        let number = count.add(1, ordering: .relaxed).newValue
        let email = "gardener\(number)@test.example"
        let created = try await coordinator().call(
            "gardeners.create", ["values": ["name": .string("Jardinier \(number)")], "select": "{ id }"])
        let id = try #require(created["id"]?.int)
        let account = try await Self.account(email, role: "gardener", subject: id, on: server)
        let client = try await server.client(email)
        let plot = try await client.call(
            "plots.create",
            ["values": ["number": JSONValue(number), "name": .string("Carré \(number)")], "select": "{ id }"])
        return Gardener(
            id: id, account: account, email: email, client: client, plot: try #require(plot["id"]?.int))
    }

    /// A planting on the plot of a gardener.
    func planting(_ gardener: Gardener) async throws -> Int {
        let sown = try await gardener.client.call(
            "plots.sow", ["id": JSONValue(gardener.plot), "lines": [["crop": "tomate"]], "select": "{ id }"])
        return try #require(sown.at("/items/0/id").int)
    }

    private static func account(
        _ email: String, role: String, subject: Int?, on server: TestServer
    ) async throws -> JSONValue {
        let id = try await server.database.psql(
            """
            WITH made AS (INSERT INTO users (username, email, role) VALUES ('\(email)', '\(email)', 'user') RETURNING id)
            INSERT INTO credentials (user_id, password_hash)
            SELECT id, crypt('\(TestServer.password)', gen_salt('bf', 4)) FROM made RETURNING user_id
            """)
        let account = JSONValue(try #require(id.split(separator: "\n").first.flatMap { Int($0) }))
        _ = try await server.client().call(
            "account_roles.create",
            [
                "values": [
                    "account_id": account, "role": .string(role), "subject": subject.map { JSONValue($0) } ?? .null,
                ]
            ])
        return account
    }
}
