import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("Shutting down")
struct ShutdownTests {
    @Test("what runs may finish, what waits fails, and nothing stays open")
    func orderly() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.poolSize = 1
            configuration.acquireTimeout = .seconds(60)
            configuration.shutdownGrace = .seconds(60)
            let client = PostgresClient(configuration)
            let gate = try await Gate.close(database)
            let running = Task { try await client.query(Gate.pass, ["3"]).text(0, 0) }
            try await eventually("it waits") { try await gate.isWaitedAt() }
            let waiting = Task { try await client.query(Statement("SELECT 4")) }
            let shutdown = Task { await client.shutdown() }
            let error = try await failure { try await waiting.value }
            #expect(error.kind == .closed && error.isRetrySafe)
            #expect(try await gate.isWaitedAt(), "what runs is let be")
            try await gate.open()
            #expect(try await running.value == "3")
            await shutdown.value
            #expect(try await failure { try await client.query(Statement("SELECT 5")) }.kind == .closed)
            try await eventually("no backend is left") { try await database.backends() == 0 }
            await client.shutdown()
        }
    }

    @Test("what does not finish in time is ended")
    func impatient() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.shutdownGrace = .milliseconds(200)
            let client = PostgresClient(configuration)
            let running = Task { try await client.query(Statement("SELECT pg_sleep(600)")) }
            try await eventually("it runs") { try await database.isSleeping() }
            await client.shutdown()
            #expect(try await failure { try await running.value }.kind == .closed)
        }
    }

    @Test("a client that goes out of use closes its connections")
    func outOfUse() async throws {
        try await TestDatabase.with(migrated: false) { database in
            do {
                let client = PostgresClient(.init(connectionString: database.connectionString))
                _ = try await client.query(Statement("SELECT 1"))
            }
            try await eventually("no backend is left") { try await database.backends() == 0 }
        }
    }

    @Test("clients that come and go leave no connection behind")
    func comingAndGoing() async throws {
        try await TestDatabase.with(migrated: false) { database in
            for _ in 0..<40 {
                let client = PostgresClient(.init(connectionString: database.connectionString))
                _ = try await client.query(Statement("SELECT 1"))
                _ = try await failure { try await client.query(Statement("SELECT 1/0")) }
                await client.shutdown()
            }
            try await eventually("no backend is left") { try await database.backends() == 0 }
        }
    }
}
