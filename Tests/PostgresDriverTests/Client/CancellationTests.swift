import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct CancellationTests {
    static let sleep = Statement("SELECT pg_sleep(600)")
    static let point = Statement("SELECT $1::int")

    @Test(arguments: [1, 4])
    func `a deadline ends the statement on the server`(_ poolSize: Int) async throws {
        try await withClient {
            $0.poolSize = poolSize
        } _: { client, database in
            let error = try await failure(atDeadlineWhile: { try await database.isSleeping() }) {
                try await client.query(Self.sleep, deadline: $0)
            }
            #expect(error.kind == .timeout)
            try await eventually("the statement ends on the server") { try await !database.isSleeping() }
            #expect(try await client.query(Self.point, ["1"]).text(0, 0) == "1")
        }
    }

    @Test func `a call whose deadline has passed opens no connection`() async throws {
        try await withClient { client, database in
            let error = try await failure { try await client.query(Self.point, ["1"], deadline: .now - .seconds(1)) }
            #expect(error.kind == .timeout && error.isRetrySafe)
            #expect(try await database.backends() == 0)
        }
    }

    @Test func `cancelling the task ends the statement on the server`() async throws {
        try await withClient { client, database in
            let task = Task { try await client.query(Self.sleep) }
            try await eventually("the statement runs") { try await database.isSleeping() }
            task.cancel()
            #expect(try await failure { try await task.value }.kind == .cancelled)
            try await eventually("the statement ends on the server") { try await !database.isSleeping() }
        }
    }

    @Test func `a call in a cancelled task opens no connection`() async throws {
        try await withClient { client, database in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await client.query(Self.point, ["1"])
            }
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled)
            #expect(try await database.backends() == 0)
        }
    }

    @Test func `a cancelled transaction is rolled back and its error is safe to retry`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int)")
            let task = Task {
                try await client.transaction([Step(Statement("INSERT INTO t VALUES (1)")), Step(Self.sleep)])
            }
            try await eventually("the statement runs") { try await database.isSleeping() }
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.kind == .cancelled && error.isRetrySafe)
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
        }
    }

    @Test func `after hundreds of cancellations every connection works and no transaction is open`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int PRIMARY KEY)")
            let nap = Statement("SELECT pg_sleep($1::float)")
            let insert = Statement("INSERT INTO t VALUES ($1::int)")
            let committed = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let task = Task {
                            switch number % 3 {
                            case 0: _ = try await client.query(Self.point, [.text("\(number)")])
                            case 1: _ = try await client.query(nap, ["0.02"])
                            default:
                                _ = try await client.transaction([
                                    Step(insert, [.text("\(number)")]), Step(nap, ["0.005"]),
                                ])
                            }
                        }
                        for _ in 0..<Int.random(in: 0...200) { await Task.yield() }
                        if Bool.random() {
                            // If this pause is interrupted, the call is cancelled earlier. That is fine.
                            _ = try? await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
                        }
                        task.cancel()
                        guard number % 3 == 2, case .success = await task.result else { return nil }
                        return number
                    }
                }
                return await group.reduce(into: Set<Int>()) { all, number in if let number { all.insert(number) } }
            }
            let rows = try await client.query(Statement("SELECT id FROM t"))
            #expect(Set((0..<rows.count).compactMap { rows.text($0, 0).flatMap { Int($0) } }) == committed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let rows = try await client.query(Self.point, [.text("\(number)")])
                        #expect(rows.text(0, 0) == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
            try await eventually("no statement is active") {
                try await database.backends(where: "state = 'active'") == 0
            }
            #expect(try await database.backends() <= 4)
        }
    }

    @Test func `with all connections busy a call is unavailable after the acquire timeout`() async throws {
        try await withClient {
            $0.poolSize = 1
            $0.acquireTimeout = .milliseconds(500)
        } _: { client, database in
            // On a busy machine, opening the connection can take longer than the acquire timeout.
            try await eventually("there is a connection") {
                (try? await client.query(Self.point, ["1"])) != nil
            }
            let task = Task { try await client.query(Self.sleep) }
            try await eventually("the statement runs") { try await database.isSleeping() }
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.kind == .unavailable && error.isRetrySafe)
            task.cancel()
            _ = await task.result
            try await eventually("the connection is free again") {
                (try? await client.query(Self.point, ["1"]).text(0, 0)) == "1"
            }
        }
    }
}
