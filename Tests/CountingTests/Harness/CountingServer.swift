import DomainKit
import Foundation
import JSON
import Synchronization
import TestPostgres
import TestSupport
import Testing

@testable import ServerTests

/// A server of the domain `counting`, and what tests make on it. Tests share one, each with locations of its own.
final class CountingServer: Sendable {
    let server: TestServer
    private static let made = Atomic<Int>(0)

    /// The Postgres server of this target: a change is in the feed once every older transaction of the cluster has ended, and
    /// other suites keep transactions open for long.
    static let cluster = Shared { try await TestCluster.start() }

    private static let shared = Shared {
        try await CountingServer(serving: ["counting"])
    }

    static func running() async throws -> CountingServer { try await shared.value() }

    private static let forClosing = Shared { try await CountingServer(serving: ["crm", "counting"]) }

    /// The server of the tests that close days: the command closes those of all locations. It serves another domain, too.
    static func closing() async throws -> CountingServer { try await forClosing.value() }

    /// - Parameter hasJobs: whether the server runs the jobs, which close the days of all locations each minute.
    init(serving domains: [String], hasJobs: Bool = false) async throws {
        let program = TestProgram.learntrack(serving: domains)
        let database = try await program.migratedDatabase(on: Self.cluster.value())
        server = try await TestServer.start(database: database, program: program)
        if !hasJobs {
            let database = server.database
            try await eventually("the jobs are entered") {
                try await database.psql("UPDATE kernel.jobs SET next_at = now() + interval '1 day' RETURNING 1") != ""
            }
        }
    }

    /// A client of the administrator, over a connection of its own.
    func admin() async throws -> RPCClient { try await server.client() }

    /// A client with an access key, over a connection of its own.
    func client(_ key: String) throws -> RPCClient { try RPCClient(port: server.port, token: key) }

    @discardableResult
    func psql(_ sql: String) async throws -> String { try await server.database.psql(sql) }

    /// A number that no other call has returned.
    static func unique() -> Int { made.add(1, ordering: .relaxed).newValue }

    // MARK: Accounts

    /// A new account without a role of the domain.
    func account() async throws -> JSONValue {
        let email = "compte\(Self.unique())@test.example"
        let made = try await admin().call("users.create", ["values": ["email": .string(email)], "select": "{ id }"])
        return try #require(made["id"])
    }

    /// The access key of a new account that has this role: the answer of `auth.create_access_key`.
    func key(role: String, subject: Int? = nil) async throws -> JSONValue {
        let account = try await account()
        let admin = try await admin()
        _ = try await admin.call(
            "account_roles.create",
            [
                "values": [
                    "account_id": account, "role": .string(role), "subject": subject.map { JSONValue($0) } ?? .null,
                ]
            ])
        return try await admin.call(
            "auth.create_access_key", ["account_id": account, "role": .string(role), "name": "Essai"])
    }

    /// A client in the role `counting_viewer`.
    func viewer() async throws -> RPCClient {
        try client(try #require(try await key(role: "counting_viewer")["key"]?.text))
    }

    // MARK: Locations

    /// A new location. By default its day started about twelve hours ago in UTC, so that it ends during no test.
    func site(_ values: [(String, JSONValue)] = []) async throws -> Site {
        let client = try await admin()
        let usual: [(String, JSONValue)] = [
            ("name", .string("Lieu \(Self.unique())")), ("max_capacity", 100), ("timezone", "UTC"),
            ("operational_boundary_hour", JSONValue(Self.quietHour())),
        ]
        let made = try await client.call(
            "locations.create",
            ["values": .merging(usual + values), "select": "{ id timezone operational_boundary_hour }"])
        let rule = DayRule(made["timezone"]?.text ?? "", made["operational_boundary_hour"]?.int ?? 0)
        return Site(served: self, id: try #require(made["id"]?.int), rule: rule, admin: client)
    }

    /// The hour of UTC that is eleven to twelve hours away in both directions.
    static func quietHour() -> Int { (now().microseconds / Moment.hour + 12) % 24 }

    /// The present instant by the clock of this machine, which Postgres shares.
    static func now() -> Moment {
        let seconds = Date().timeIntervalSince1970
        return Moment(microseconds: Int((seconds * 1_000_000).rounded(.down)))
    }
}
