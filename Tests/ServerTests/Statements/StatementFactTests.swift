import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// The contract's statements about SQL, checked in the log of Postgres.
@Suite struct StatementFactTests {
    /// A log entry of a statement that was executed.
    private struct Executed {
        /// The ids of the connection and the transaction.
        let transaction: String
        /// The name of the prepared statement; `<unnamed>` for none.
        let name: String
        let text: String

        /// nil for a line about anything else.
        init?(_ line: Substring) {
            let parts = line.components(separatedBy: " LOG:  execute ")
            guard parts.count == 2, let colon = parts[1].firstIndex(of: ":") else { return nil }
            transaction = parts[0]
            name = String(parts[1][..<colon])
            text = String(parts[1][colon...])
        }
    }

    private static func executed(_ cluster: TestCluster) throws -> [Executed] {
        try cluster.log().replacingOccurrences(of: "\n\t", with: " ").split(separator: "\n").compactMap(Executed.init)
    }

    @Test
    func
        `a read is one statement at any depth, prepared once for its shape, and a write is sent in one batch with its read`()
        async throws
    {
        let cluster = try await TestCluster.start(
            settings: ["log_statement": "all", "log_line_prefix": "%p %v "])
        let server = try await TestServer.start(
            ["--pool-size", "1"], database: try await TestDatabase.create(migrated: true, on: cluster))
        let rows = try await Fixtures(server)
        let client = try await rows.client()
        let id = try await rows.session([("client_id", JSONValue(client))])
        func select(_ mark: String) -> JSONValue {
            .string(
                "{ client { sessions(first: 3) { client { sessions(first: 2) { formateur { nom } \(mark): id } } } } }")
        }
        for day in ["2026-01-01", "2026-01-02", "2026-01-03"] {
            _ = try await rows.client.call(
                "sessions.list",
                ["select": select("lecture"), "first": 5, "where": ["date": ["gte": .string(day)]]])
        }
        _ = try await rows.client.call(
            "sessions.update", ["id": JSONValue(id), "values": ["lieu": "ici"], "select": select("ecriture")])
        try await eventually("the log tells of all four") {
            try Self.executed(cluster).contains { $0.text.contains("ecriture") }
        }
        let all = try Self.executed(cluster)

        let reads = all.filter { $0.text.contains("lecture") }
        #expect(reads.count == 3)
        #expect(Set(reads.map(\.name)).count == 1)
        #expect(reads.first?.name != "<unnamed>")
        for read in reads { #expect(all.filter { $0.transaction == read.transaction }.count == 1) }

        let last = try #require(all.first { $0.text.contains("ecriture") })
        let flight = all.filter { $0.transaction == last.transaction }
        #expect(flight.last?.text == last.text)
        #expect(flight.filter { $0.text.contains("UPDATE sessions") }.count == 1)
        #expect(flight.count <= 3, "who writes, the write, the read")
        #expect(try await server.stop() == 0)
        try await cluster.stop()
    }
}
