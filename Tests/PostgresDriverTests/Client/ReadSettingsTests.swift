import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// A read with settings is a transaction, and for the pool a read like others.
struct ReadSettingsTests {
    private static let set = Statement("SELECT set_config('app.tenant', $1, true)")
    private static let tenant = Statement("SELECT current_setting('app.tenant', true)")

    private static func settings(_ tenant: String) -> Step { Step(set, [.text(tenant)]) }

    @Test func `a read sees its settings, and the next read on the connection does not`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            for number in 0..<5 {
                let rows = try await client.query(Self.tenant, settings: Self.settings("tenant \(number)"))
                #expect(rows.text(0, 0) == "tenant \(number)")
                #expect(try await client.query(Self.tenant).text(0, 0) ?? "" == "")
            }
            // Sent in the same moment, so that they follow each other on the connection.
            let reads = (0..<100).map { number in
                Task {
                    let settings = number % 2 == 0 ? Self.settings("tenant \(number)") : nil
                    return try await client.query(Self.tenant, settings: settings).text(0, 0) ?? ""
                }
            }
            for (number, read) in reads.enumerated() {
                #expect(try await read.value == (number % 2 == 0 ? "tenant \(number)" : ""))
            }
        }
    }

    @Test func `behind a transaction pooler, a read sees its settings and no others`() async throws {
        try await PooledDatabase.with { pooled in
            try await pooled.client { client in
                for number in 0..<20 {
                    let rows = try await client.query(Self.tenant, settings: Self.settings("tenant \(number)"))
                    #expect(rows.text(0, 0) == "tenant \(number)")
                    #expect(try await client.query(Self.tenant).text(0, 0) ?? "" == "")
                }
            }
        }
    }

    @Test func `settings that the server refuses fail their read alone`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            let refused = Step(Statement("SELECT set_config('app.tenant', (1 / $1::int)::text, true)"), ["0"])
            for _ in 0..<3 {
                let error = try await failure { try await client.query(Self.tenant, settings: refused) }
                #expect(error.kind == .server && error.sqlState == "22012", "\(error)")
                #expect(
                    try await client.query(Self.tenant, settings: Self.settings("other")).text(0, 0) == "other")
            }
            let unknown = Step(Statement("SELECT no_such_function($1)"), ["0"])
            let error = try await failure { try await client.query(Self.tenant, settings: unknown) }
            #expect(error.sqlState == "42883", "\(error)")
            let invalid = try await failure {
                try await client.query(Self.tenant, settings: Self.settings("a\u{0}"))
            }
            #expect(invalid.kind == .invalidParameter)
        }
    }

    @Test func `a read that its settings make read-only cannot write, and keeps its connection`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t (a int)")
            let backend = Statement("SELECT pg_backend_pid()")
            let before = try await client.query(backend).text(0, 0)
            let readOnly = Step(Statement("SELECT set_config('transaction_read_only', 'on', true)"))
            let error = try await failure {
                try await client.query(Statement("INSERT INTO t VALUES (1) RETURNING a"), settings: readOnly)
            }
            #expect(error.sqlState == "25006", "\(error)")
            #expect(try await client.query(backend).text(0, 0) == before)
            _ = try await client.transaction([Step(Statement("INSERT INTO t VALUES (2)"))])
            #expect(try await database.psql("SELECT a FROM t") == "2")
        }
    }

    @Test func `reads with settings that were sent behind a slow statement run elsewhere`() async throws {
        try await withClient { client, database in
            _ = try await client.timeToFill(4)
            let read = ShareTests.unpredictable
            // The client learns that the statement is quick.
            for number in 0..<50 { _ = try await client.query(read, [.text("\(number)")]) }
            let gate = try await Gate.close(database)
            let stuck = Task { try await client.query(read, ["-1"], settings: Self.settings("1"), for: Share(1)) }
            // These are sent in the same moment, so some of them share the connection of the first.
            let followers = (0..<60).map { number in
                Task {
                    try await client.query(
                        read, [.text("\(number)")], settings: Self.settings("2"), for: Share(2)
                    ).text(0, 0)
                }
            }
            for (number, follower) in followers.enumerated() {
                #expect(try await follower.value == "\(number)")
            }
            #expect(try await gate.hasWaiters())
            try await gate.open()
            #expect(try await stuck.value.text(0, 0) == "-1")
        }
    }

    @Test func `slow reads with settings take half of the connections, and writes go on`() async throws {
        try await withClient { client, database in
            let slow = Statement("SELECT pg_sleep($1::float)")
            let point = Statement("SELECT $1::int")
            // From now on the client knows that this statement is slow, and that others are quick.
            for _ in 0..<2 { _ = try await client.query(slow, ["0.4"], settings: Self.settings("1")) }
            for number in 0..<20 { _ = try await client.query(point, [.text("\(number)")]) }
            _ = try await client.timeToFill(4)
            let reads = (0..<6).map { _ in
                Task { try await client.query(slow, ["600"], settings: Self.settings("1")) }
            }
            try await eventually("two slow reads run") {
                try await database.backends(where: "wait_event = 'PgSleep'") == 2
            }
            for number in 0..<20 {
                let parameters: [Parameter] = [.text("\(number)")]
                let written = try await client.transaction(
                    [Step(point, parameters)], deadline: .now + .seconds(20))
                #expect(written[0].text(0, 0) == "\(number)")
                let rows = try await client.query(
                    point, parameters, settings: Self.settings("2"), deadline: .now + .seconds(20))
                #expect(rows.text(0, 0) == "\(number)")
            }
            #expect(try await database.backends(where: "wait_event = 'PgSleep'") == 2)
            for read in reads { read.cancel() }
            for read in reads { _ = await read.result }
        }
    }

    @Test func `a read with settings that loses its connection runs again`() async throws {
        try await withClient { client, database in
            let gate = try await Gate.close(database)
            let read = Task {
                try await client.query(
                    Statement("SELECT current_setting('app.tenant') FROM pg_advisory_xact_lock_shared(1)"),
                    settings: Self.settings("first"))
            }
            try await eventually("the read waits at the gate") { try await gate.hasWaiters() }
            try await gate.terminateWaiters()
            try await eventually("it waits again") { try await gate.hasWaiters() }
            try await gate.open()
            #expect(try await read.value.text(0, 0) == "first")
        }
    }
}
