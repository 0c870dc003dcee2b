import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct PipeliningTests {
    @Test(arguments: [1, 3])
    func `an error affects only its own call`(_ poolSize: Int) async throws {
        try await withClient {
            $0.poolSize = poolSize
        } _: { client, _ in
            let divide = Statement("SELECT 100 / $1::int")
            let good = Statement("SELECT $1::int * 2")
            // Statements that are known to be quick share Syncs.
            for _ in 0..<5 {
                _ = try await client.query(divide, ["4"])
                _ = try await client.query(good, ["1"])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    group.addTask {
                        if number % 7 == 0 {
                            let error = try await failure { try await client.query(divide, ["0"]) }
                            #expect(error.sqlState == "22012")
                        } else {
                            #expect(try await client.query(good, [.text("\(number)")]).text(0, 0) == "\(number * 2)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a statement that cannot be prepared fails each time and affects only its own call`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            let bad = Statement("SELECT no_such_column")
            let good = Statement("SELECT $1::int")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        if number % 5 == 0 {
                            let error = try await failure { try await client.query(bad) }
                            #expect(error.sqlState == "42703")
                        } else {
                            let rows = try await client.query(good, [.text("\(number)")])
                            #expect(rows.text(0, 0) == "\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a write through query is not reported as done when a neighbour undid it`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t(id int)")
            let insert = Statement("INSERT INTO t VALUES ($1::int) RETURNING id")
            let divide = Statement("SELECT 1 / $1::int")
            for number in 0..<4 {
                _ = try await client.query(insert, [.text("-\(number)")])
                _ = try await client.query(divide, ["1"])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...300 {
                    group.addTask { _ = try await client.query(insert, [.text("\(number)")]) }
                    if number % 10 == 0 {
                        group.addTask { _ = try await failure { try await client.query(divide, ["0"]) } }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.psql("SELECT count(*), count(DISTINCT id) FROM t WHERE id > 0") == "300|300")
        }
    }

    @Test func `point reads succeed while long statements run`() async throws {
        try await withClient { client, database in
            let point = Statement("SELECT $1::int")
            let sleep = Statement("SELECT pg_sleep(600)")
            // Even on a starved machine, where no statement counts as quick, the reads must not wait for the sleepers.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        let error = try await failure { try await client.query(sleep) }
                        #expect(error.kind == .cancelled)
                    }
                }
                try await eventually("the long statements run") {
                    try await database.backends(where: "state = 'active' AND query LIKE '%pg_sleep(600)%'") >= 1
                }
                for number in 0..<50 {
                    #expect(try await client.query(point, [.text("\(number)")]).text(0, 0) == "\(number)")
                }
                #expect(try await database.isSleeping(), "the reads waited for the long statements")
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a statement that becomes slow delays only the calls sent before that`() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, database in
            let changing = Statement("SELECT pg_sleep($1::float)")
            let point = Statement("SELECT $1::int")
            for _ in 0..<10 {
                _ = try await client.query(changing, ["0"])
                _ = try await client.query(point, ["1"])
            }
            let slow = Task { try await client.query(changing, ["600"]) }
            try await eventually("the slow statement runs") { try await database.isSleeping() }
            for number in 0..<30 {
                #expect(try await client.query(point, [.text("\(number)")]).text(0, 0) == "\(number)")
            }
            #expect(try await database.isSleeping())
            slow.cancel()
            #expect(try await failure { try await slow.value }.kind == .cancelled)
        }
    }

    @Test func `reads in flight when their neighbour is cancelled get their results`() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, _ in
            let nap = Statement("SELECT pg_sleep($1::float), $2::int")
            for _ in 0..<3 { _ = try await client.query(nap, ["0", "0"]) }
            for round in 0..<8 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let victim = Task { try await client.query(nap, ["0.05", "-1"]) }
                    for number in 0..<20 {
                        group.addTask {
                            let rows = try await client.query(nap, ["0.001", .text("\(number)")])
                            #expect(rows.text(0, 1) == "\(number)", "round \(round)")
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
                    victim.cancel()
                    _ = await victim.result
                    try await group.waitForAll()
                }
            }
        }
    }
}
