import CLibPQ
import PostgresDriver

/// Compares the driver with libpq alone on the same Postgres: one query, a hundred queries at once, and reading a hundred
/// rows.
struct DriverBenchmark {
    private static let rounds = 2_000

    let connectionString: String

    func run() async throws {
        let floor = try ProtocolFloor(connectionString)
        floor.run(
            "CREATE TABLE IF NOT EXISTS micro_items AS SELECT id, 'item ' || id AS name FROM generate_series(1, 1000) id"
        )
        floor.run("CREATE UNIQUE INDEX IF NOT EXISTS micro_items_id ON micro_items (id)")
        var configuration = PostgresClient.Configuration(connectionString: connectionString)
        configuration.poolSize = 1
        let client = PostgresClient(configuration)
        try await roundTrip(client, floor)
        try await pipeline(client, floor)
        try await decoding(client, floor)
        await client.shutdown()
        floor.run("DROP TABLE micro_items")
    }

    private static let byID = "SELECT id, name FROM micro_items WHERE id = $1"

    /// One caller that runs one statement at a time.
    private func roundTrip(_ client: PostgresClient, _ floor: ProtocolFloor) async throws {
        let statement = Statement(Self.byID)
        floor.prepare("point", Self.byID)
        var ours = Measurement()
        var bare = Measurement()
        for round in 0..<Self.rounds {
            let id = String(round % 1_000 + 1)
            try await ours.measure { _ = try await client.query(statement, [.text(id)]) }
            bare.measure { PQclear(floor.execute("point", id)) }
        }
        Report.add("round trip", ours, floor: bare)
    }

    /// A hundred callers at once. The result is the time for each statement.
    private func pipeline(_ client: PostgresClient, _ floor: ProtocolFloor) async throws {
        let statement = Statement(Self.byID)
        let ids = (1...100).map { String($0) }
        var ours = Measurement(operations: ids.count)
        var bare = Measurement(operations: ids.count)
        for _ in 0..<Self.rounds / 10 {
            try await ours.measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for id in ids { group.addTask { _ = try await client.query(statement, [.text(id)]) } }
                    try await group.waitForAll()
                }
            }
            bare.measure { floor.pipeline("point", ids) }
        }
        Report.add("pipeline of 100, per statement", ours, floor: bare)
    }

    /// Reading a hundred rows of twelve columns byte by byte, without the network.
    private func decoding(_ client: PostgresClient, _ floor: ProtocolFloor) async throws {
        let columns = (1...12).map { "CASE WHEN id % 5 = \($0 % 5) THEN NULL ELSE 'value ' || id END" }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM generate_series(1, $1::integer) id"
        let rows = try await client.query(Statement(sql), ["100"])
        floor.prepare("page", sql)
        guard let result = floor.execute("page", "100") else { return }
        defer { PQclear(result) }
        var ours = Measurement()
        var bare = Measurement()
        var sums = (ours: 0, bare: 0)
        for _ in 0..<Self.rounds {
            ours.measure { sums.ours &+= Self.sum(rows) }
            bare.measure { sums.bare &+= Self.sum(result) }
        }
        precondition(sums.ours == sums.bare, "both must read the same bytes")
        Report.add("100 rows of 12 columns, read", ours, floor: bare)
    }

    private static func sum(_ rows: Rows) -> Int {
        var sum = 0
        for row in 0..<rows.count {
            for column in 0..<rows.columnCount {
                rows.withBytes(row, column) { bytes in
                    guard let bytes else { return }
                    for byte in bytes { sum &+= Int(byte) }
                }
            }
        }
        return sum
    }

    private static func sum(_ result: OpaquePointer) -> Int {
        var sum = 0
        for row in 0..<PQntuples(result) {
            for column in 0..<PQnfields(result) where PQgetisnull(result, row, column) == 0 {
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
                for byte in bytes { sum &+= Int(byte) }
            }
        }
        return sum
    }
}
