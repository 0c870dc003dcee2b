import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct ShutdownTests {
    @Test func `shutdown lets running calls finish, fails waiting ones and closes every connection`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.poolSize = 1
            configuration.acquireTimeout = .seconds(60)
            configuration.shutdownGrace = .seconds(60)
            let client = PostgresClient(configuration)
            let gate = try await Gate.close(database)
            let running = Task { try await client.query(Gate.pass, ["3"]).text(0, 0) }
            try await eventually("the read waits at the gate") { try await gate.hasWaiters() }
            let waiting = Task { try await client.query(Statement("SELECT 4")) }
            let shutdown = Task { await client.shutdown() }
            let error = try await failure { try await waiting.value }
            #expect(error.kind == .closed && error.isRetrySafe)
            #expect(try await gate.hasWaiters(), "the running call was not ended")
            try await gate.open()
            #expect(try await running.value == "3")
            await shutdown.value
            #expect(try await failure { try await client.query(Statement("SELECT 5")) }.kind == .closed)
            try await eventually("no backend is left") { try await database.backends() == 0 }
            await client.shutdown()
        }
    }

    @Test func `a call that does not finish within the grace period is closed`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.shutdownGrace = .milliseconds(200)
            let client = PostgresClient(configuration)
            let running = Task { try await client.query(Statement("SELECT pg_sleep(600)")) }
            try await eventually("the statement runs") { try await database.isSleeping() }
            await client.shutdown()
            #expect(try await failure { try await running.value }.kind == .closed)
        }
    }

    @Test func `a released client closes its connections`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            do {
                let client = PostgresClient(.init(connectionString: database.connectionString))
                _ = try await client.query(Statement("SELECT 1"))
            }
            try await eventually("no backend is left") { try await database.backends() == 0 }
        }
    }

    @Test func `forty clients in a row leave no connection behind`() async throws {
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
