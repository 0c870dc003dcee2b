import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct StatementTests {
    static let prepared = Statement("SELECT count(*) FROM pg_prepared_statements")

    @Test func `a connection keeps no more prepared statements than configured`() async throws {
        try await withClient {
            $0.poolSize = 1
            $0.statementCacheSize = 10
        } _: { client, _ in
            let statements = (0..<50).map { Statement("SELECT \($0)") }
            for _ in 0..<3 {
                for (number, statement) in statements.enumerated() {
                    #expect(try await client.query(statement).text(0, 0) == "\(number)")
                }
            }
            try await eventually("the server has deallocated the evicted statements") {
                let count = try await client.query(Self.prepared).text(0, 0)
                return count.flatMap { Int($0) }.map { $0 <= 11 } ?? false
            }
        }
    }

    @Test func `eviction under concurrent calls loses no result`() async throws {
        try await withClient {
            $0.statementCacheSize = 3
        } _: { client, _ in
            let statements = (0..<12).map { Statement("SELECT \($0) + $1::int") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    group.addTask {
                        let which = (number * 7) % 12
                        let rows = try await client.query(statements[which], [.text("\(number)")])
                        #expect(rows.text(0, 0) == "\(number + which)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a statement whose columns changed is prepared again in reads and transactions`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            try await database.psql("CREATE TABLE t(a int); INSERT INTO t VALUES (1)")
            let all = Statement("SELECT * FROM t")
            for column in ["b", "c", "d"] {
                _ = try await client.query(all)
                _ = try await client.query(all)
                try await database.psql("ALTER TABLE t ADD COLUMN \(column) int DEFAULT 7")
                #expect(try await client.query(all)[0, column] == "7")
                try await database.psql("ALTER TABLE t ADD COLUMN \(column)2 int DEFAULT 8")
                let results = try await client.transaction([Step(Statement("UPDATE t SET a = a + 1")), Step(all)])
                #expect(results[1][0, "\(column)2"] == "8")
            }
            #expect(try await database.psql("SELECT a FROM t") == "4", "each update happened once")
        }
    }

    @Test func `schema changes under load leave no lasting error`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(a int); INSERT INTO t VALUES (1)")
            let all = Statement("SELECT * FROM t")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<60 {
                            let rows = try await client.query(all)
                            #expect(rows[0, "a"] == "1")
                        }
                    }
                }
                group.addTask {
                    for number in 0..<10 { try await database.psql("ALTER TABLE t ADD COLUMN x\(number) int") }
                }
                try await group.waitForAll()
            }
            #expect(try await client.query(all).columnCount == 11)
        }
    }

    @Test func `statements deallocated by a lease are prepared again`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            let one = Statement("SELECT 1")
            _ = try await client.query(one)
            try await client.withConnection { connection in
                try await connection.simpleQuery("DEALLOCATE ALL")
                #expect(try await connection.query(one).text(0, 0) == "1")
                try await connection.simpleQuery("DEALLOCATE ALL")
            }
            #expect(try await client.query(one).text(0, 0) == "1")
            try await client.withConnection { try await $0.simpleQuery("DEALLOCATE ALL") }
            #expect(try await client.transaction([Step(one)])[0].text(0, 0) == "1")
        }
    }

    @Test func `a stale plan is not retried within a transaction begun by hand`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, _ in
            let one = Statement("SELECT 1")
            try await client.withConnection { connection in
                _ = try await connection.query(one)
                try await connection.simpleQuery("DEALLOCATE ALL")
                try await connection.simpleQuery("BEGIN")
                #expect(try await failure { try await connection.query(one) }.sqlState == "26000")
                #expect(try await failure { try await connection.query(Statement("SELECT 2")) }.sqlState == "25P02")
                try await connection.simpleQuery("ROLLBACK")
                #expect(try await connection.query(one).text(0, 0) == "1")
            }
        }
    }
}
