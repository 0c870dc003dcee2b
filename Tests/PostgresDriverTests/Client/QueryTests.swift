import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct QueryTests {
    static let echo = Statement("SELECT $1::text AS value")

    @Test(arguments: [
        "", "plain", "é漢字🇫🇷", "quotes ' \" \\ $1", "\u{1}\u{7f}\n\t", String(repeating: "long ", count: 100_000),
    ])
    func `text values come back unchanged`(_ value: String) async throws {
        try await withClient { client, _ in
            let rows = try await client.query(Self.echo, [.text(value)])
            #expect(rows.count == 1 && rows.columnCount == 1)
            #expect(rows.text(0, 0) == value)
            #expect(rows[0, "value"] == value)
            #expect(rows.withBytes(0, 0) { $0?.count } == value.utf8.count)
        }
    }

    @Test func `a missing column has an empty name, also after the client is gone`() async throws {
        let kept = LockedValue<Rows?>(nil)
        try await withClient { client, _ in
            let rows = try await client.query(Statement("SELECT 1 AS one"))
            kept.withLock { $0 = rows }
        }
        let rows = try #require(kept.value)
        #expect(rows.columnName(0) == "one")
        #expect(rows.columnName(1).isEmpty && rows.columnName(-1).isEmpty)
    }

    @Test func `a place that the result does not have reads as null, and a row that must be there is asked for`()
        async throws
    {
        try await withClient { client, _ in
            let none = try await client.query(Statement("SELECT 1 AS one WHERE false"))
            #expect(none.text(0, 0) == nil && none.isNull(0, 0) && none.withBytes(0, 0) { $0 == nil })
            #expect(none[0, "one"] == nil)
            let error = try await failure { try none.withRow() }
            #expect(error.kind == .missingRow && !error.isRetrySafe)
            let rows = try await client.query(Statement("SELECT 1 AS one")).withRow()
            #expect(rows.text(0, 0) == "1")
            for (row, column) in [(0, 1), (1, 0), (-1, 0), (0, -1), (Int.max, Int.min)] {
                #expect(rows.text(row, column) == nil && rows.isNull(row, column))
            }
        }
    }

    @Test func `null differs from the empty string`() async throws {
        try await withClient { client, _ in
            let rows = try await client.query(Statement("SELECT $1::text AS a, $2::text AS b"), [nil, ""])
            #expect(rows.isNull(0, 0) && !rows.isNull(0, 1))
            #expect(rows.text(0, 0) == nil && rows.text(0, 1) == "")
            #expect(rows.withBytes(0, 0) { $0 == nil })
            #expect(rows[0, "nothing"] == nil)
        }
    }

    @Test func `a NUL in a text is rejected, never truncated`() async throws {
        try await withClient { client, _ in
            let error = try await failure { try await client.query(Self.echo, ["before\0after"]) }
            #expect(error.kind == .invalidParameter && error.isRetrySafe)
            #expect(!error.description.contains("before"))
        }
    }

    @Test func `bytes are sent in binary form, zeros included`() async throws {
        try await withClient { client, _ in
            let bytes: [UInt8] = (0...255).map { $0 }
            let statement = Statement("SELECT encode($1::bytea, 'hex'), octet_length($2::bytea)")
            let rows = try await client.query(statement, [.bytes(bytes), .bytes([])])
            let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(rows.text(0, 0) == hexadecimal)
            #expect(rows.text(0, 1) == "0")
        }
    }

    @Test func `more parameters than the protocol allows are rejected with their number`() async throws {
        try await withClient { client, _ in
            let error = try await failure {
                try await client.query(Self.echo, Array(repeating: "x", count: 65_536))
            }
            #expect(error.kind == .invalidParameter)
            #expect(error.description.contains("65536"))
        }
    }

    @Test func `five thousand parameters are accepted`() async throws {
        try await withClient { client, _ in
            let list = (1...5_000).map { "$\($0)::int" }.joined(separator: ",")
            let rows = try await client.query(
                Statement("SELECT sum(x) FROM unnest(ARRAY[\(list)]) x"), (1...5_000).map { .text(String($0)) })
            #expect(rows.text(0, 0) == "12502500")
        }
    }

    @Test func `megabytes in both directions at once do not deadlock`() async throws {
        try await withClient { client, _ in
            let text = String(repeating: "0123456789abcdef", count: 500_000)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await client.query(Self.echo, [.text(text)]).text(0, 0) == text }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test func `the message of a data exception quotes the parameter, its description does not`() async throws {
        try await withClient { client, _ in
            let error = try await #require(throws: PostgresError.self) {
                try await client.query(Statement("SELECT $1::text::bigint"), ["xyzzy"])
            }
            #expect(error.sqlState == "22P02")
            #expect(error.server?.message.contains("xyzzy") == true)
            #expect(!error.description.contains("xyzzy") && error.description.contains("22P02"))
        }
    }

    @Test func `an error carries the server's fields, and its description no value`() async throws {
        try await withClient { client, database in
            try await database.psql(
                "CREATE TABLE t(id int PRIMARY KEY, secret text UNIQUE); INSERT INTO t VALUES (1, 'xyzzy')")
            let error = try await failure {
                try await client.transaction([Step(Statement("INSERT INTO t VALUES (2, $1)"), ["xyzzy"])])
            }
            #expect(error.kind == .server && error.sqlState == "23505" && error.isRetrySafe)
            #expect(error.server?.constraint == "t_secret_key" && error.server?.table == "t")
            #expect(error.server?.severity == "ERROR")
            #expect(error.server?.detail?.contains("xyzzy") == true)
            #expect(!error.description.contains("xyzzy") && error.description.contains("23505"))
            let syntax = try await failure { try await client.query(Statement("SELECT FROM FROM")) }
            #expect(syntax.sqlState == "42601" && syntax.server?.position == 13)
        }
    }

    @Test func `a thousand concurrent queries get their own results over the pool's connections`() async throws {
        try await withClient { client, database in
            try await withThrowingTaskGroup(of: (Int, String?).self) { group in
                for number in 0..<1_000 {
                    group.addTask { (number, try await client.query(Self.echo, [.text(String(number))]).text(0, 0)) }
                }
                for try await (number, text) in group { #expect(text == String(number)) }
            }
            #expect(try await database.backends() <= 4)
        }
    }

    @Test func `settings and role apply from the first statement on`() async throws {
        let role = "driver_\(UInt32.random(in: 0 ... .max))"
        try await TestCluster.shared().psql("CREATE ROLE \(role)")
        try await withClient {
            $0.role = role
            $0.settings = ["TimeZone": "Asia/Tokyo", "DateStyle": "SQL, DMY"]
            $0.applicationName = "driver tests"
        } _: { client, _ in
            let rows = try await client.query(
                Statement(
                    """
                    SELECT current_user, current_setting('TimeZone'), current_setting('DateStyle'),
                        current_setting('application_name'), current_setting('client_encoding')
                    """))
            let values = (0..<5).map { rows.text(0, $0) }
            #expect(values == [role, "Asia/Tokyo", "SQL, DMY", "driver tests", "UTF8"])
        }
        try await TestCluster.shared().psql("DROP ROLE \(role)")
    }

    @Test func `COPY in a query is rejected and the client stays usable`() async throws {
        try await withClient { client, _ in
            let error = try await failure { try await client.query(Statement("COPY (SELECT 1) TO STDOUT")) }
            #expect(error.kind == .protocolViolation || error.kind == .server)
            #expect(try await client.query(Self.echo, ["on"]).text(0, 0) == "on")
        }
    }

    @Test func `an empty statement and one without columns have results`() async throws {
        try await withClient { client, _ in
            #expect(try await client.query(Statement("")).count == 0)
            let rows = try await client.query(Statement("SELECT FROM generate_series(1, 3)"))
            #expect(rows.count == 3 && rows.columnCount == 0 && rows.affected == 3)
        }
    }
}
