import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct SizeFaultTests {
    @Test func `65,535 parameters are sent, and one more is rejected before sending`() async throws {
        try await withClient { client, _ in
            func sum(_ count: Int) -> Statement {
                Statement(
                    "SELECT cardinality(ARRAY[" + (1...count).map { "$\($0)::int2" }.joined(separator: ",") + "])")
            }
            let parameters = [Parameter](repeating: "7", count: 65_535)
            #expect(try await client.query(sum(65_535), parameters).text(0, 0) == "65535")
            let error = try await failure { try await client.query(PostgresClient.one, parameters + ["7"]) }
            #expect(error.kind == .invalidParameter && error.isRetrySafe)
            #expect(error.cause?.contains("65535") == true && error.cause?.contains("65536") == true)
            #expect(try await client.transaction([Step(sum(65_535), parameters)])[0].text(0, 0) == "65535")
        }
    }

    @Test func `a row of 100 MB and a parameter of 32 MB arrive complete beside other calls`() async throws {
        try await withClient { client, _ in
            let size = 100 << 20
            let neighbours = Task {
                for number in 0..<50 {
                    let rows = try await client.query(Statement("SELECT \(number)"))
                    #expect(rows.text(0, 0) == "\(number)")
                }
            }
            let rows = try await client.query(Statement("SELECT repeat('0123456789abcdef', \(size / 16)), 'end'"))
            rows.withBytes(0, 0) { bytes in
                #expect(bytes?.count == size)
                #expect(bytes?.suffix(16).elementsEqual("0123456789abcdef".utf8) == true)
            }
            #expect(rows.text(0, 1) == "end")
            let bytes = [UInt8](repeating: 0xa5, count: 32 << 20)
            let echo = try await client.query(Statement("SELECT length($1::bytea), md5($1::bytea)"), [.bytes(bytes)])
            #expect(echo.text(0, 0) == "\(32 << 20)")
            try await neighbours.value
        }
    }

    @Test func `of 10,000 statements in flight a tenth fails, and each gets its own result`() async throws {
        try await withClient {
            $0.poolSize = 2
        } _: { client, _ in
            let divide = Statement("SELECT $1::int / $2::int")
            try await withThrowingTaskGroup { group in
                for number in 0..<10_000 {
                    group.addTask {
                        let isBad = number % 10 == 3
                        do throws(PostgresError) {
                            let rows = try await client.query(divide, [.text("\(number)"), isBad ? "0" : "1"])
                            #expect(!isBad && rows.text(0, 0) == "\(number)")
                        } catch {
                            #expect(isBad && error.kind == .server && error.sqlState == "22012", "\(error)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `results are complete when the network delivers byte by byte`() async throws {
        try await withFaultProxy {
            $0.acquireTimeout = .seconds(60)
        } _: { client, database, proxy in
            proxy.set(.bytewise)
            try await database.psql("CREATE TABLE t(id int)")
            let echo = Statement("SELECT $1::int, $2::text, NULL, ''")
            let divide = Statement("SELECT 1 / $1::int")
            let insert = Statement("INSERT INTO t VALUES ($1::int) RETURNING id")
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        switch number % 4 {
                        case 0:
                            let error = try await failure { try await client.query(divide, ["0"]) }
                            #expect(error.sqlState == "22012")
                        case 1:
                            let rows = try await client.transaction([
                                Step(insert, [.text("\(number)")]), Step(echo, ["1", "é"]),
                            ])
                            #expect(rows[0].text(0, 0) == "\(number)" && rows[1].text(0, 1) == "é")
                        default:
                            let rows = try await client.query(echo, [.text("\(number)"), "naïve €uro"])
                            #expect(rows.text(0, 0) == "\(number)" && rows.text(0, 1) == "naïve €uro")
                            #expect(rows.isNull(0, 2) && rows.text(0, 3) == "")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.psql("SELECT count(*), count(DISTINCT id) FROM t") == "15|15")
        }
    }

    @Test func `large parameters and results pass each other over a slow network`() async throws {
        try await withFaultProxy {
            $0.poolSize = 1
            $0.acquireTimeout = .seconds(60)
        } _: { client, _, proxy in
            let echo = Statement("SELECT $1::text, repeat($1::text, 2)")
            _ = try await client.query(echo, ["warm"])
            proxy.set(.slow(bytesPerSecond: 8 << 20))
            let text = String(repeating: "abcdefgh", count: 32 << 10)
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        let rows = try await client.query(echo, [.text(text)])
                        #expect(rows.text(0, 0) == text && rows.text(0, 1)?.utf8.count == text.utf8.count * 2)
                    }
                }
                try await group.waitForAll()
            }
            proxy.set(.delayed(.milliseconds(30)))
            let start = ContinuousClock.now
            #expect(try await client.query(echo, ["far"]).text(0, 0) == "far")
            #expect(ContinuousClock.now - start >= .milliseconds(30), "late at least one way")
        }
    }

    @Test func `continuous schema changes fail no prepared read or transaction`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(a int); INSERT INTO t VALUES (0)")
            let all = Statement("SELECT * FROM t")
            let add = Statement("UPDATE t SET a = a + 1 RETURNING *")
            let isOver = Flag()
            let done = try await withThrowingTaskGroup { group in
                for task in 0..<6 {
                    group.addTask {
                        var updates = 0
                        while !isOver.isSet {
                            if task < 4 {
                                #expect(try await client.query(all).count == 1)
                            } else {
                                let rows = try await client.transaction([Step(all), Step(add), Step(all)])
                                updates += rows[1].affected
                            }
                        }
                        return updates
                    }
                }
                for number in 0..<30 {
                    try await database.psql(
                        number.isMultiple(of: 2)
                            ? "ALTER TABLE t ADD COLUMN b int" : "ALTER TABLE t DROP COLUMN b")
                }
                isOver.set()
                return try await group.reduce(0, +)
            }
            #expect(done > 0)
            #expect(try await database.psql("SELECT a FROM t") == "\(done)", "each update happened once")
        }
    }
}
