import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// Reads of own rows are held to the limits of reads, although each of them is a transaction with settings.
struct SlowOwnRowsTests {
    /// Makes every read of plantings by a gardener take that long.
    private static func delay(_ seconds: String, in database: TestDatabase) async throws {
        try await database.psql(
            """
            ALTER POLICY plantings_own ON probe.plantings
                USING (gardener_id = kernel.subject() AND (SELECT pg_sleep(\(seconds))) IS NOT NULL)
            """)
    }

    @Test func `while slow reads of own rows take the places of slow reads, writes go on`() async throws {
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let sleeping = """
            FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'
            """
        var readers: [Garden.Gardener] = []
        for _ in 0..<8 { readers.append(try await garden.gardener()) }
        for reader in readers { _ = try await garden.planting(reader) }
        let writer = try await garden.gardener()
        try await Self.delay("0.4", in: database)
        // The server learns that this read is slow, and that others are quick.
        for _ in 0..<2 { _ = try await readers[0].client.call("plantings.list", ["select": "{ id }"]) }
        for _ in 0..<20 { _ = try await writer.client.call("plots.list", ["select": "{ id }"]) }

        try await Self.delay("60", in: database)
        let reads = readers.map { reader in
            Task { try await reader.client.response("plantings.list", ["select": "{ id }"]) }
        }
        try await eventually("half of the eight connections run slow reads") {
            try await database.psql("SELECT count(*) \(sleeping)") == "4"
        }
        for number in 1...5 {
            let answer = try await writer.client.response(
                "plots.update",
                ["id": JSONValue(writer.plot), "values": ["name": .string("Carré \(number)")], "select": "{ id }"])
            #expect(answer["result"] != nil, "\(answer.json)")
        }
        #expect(try await database.psql("SELECT count(*) \(sleeping)") == "4")

        try await Self.delay("0", in: database)
        try await database.psql("SELECT pg_cancel_backend(pid) \(sleeping)")
        for read in reads { _ = try await read.value }
        #expect(try await garden.server.stop() == 0)
    }
}
