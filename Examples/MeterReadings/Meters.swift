import PostgresDriver

/// The operations on meters. Each method is one interaction with Postgres.
struct Meters {
    let client: PostgresClient

    init(_ client: PostgresClient) {
        self.client = client
    }

    /// Creates the tables unless they exist. A text with several statements needs a leased connection.
    func create() async throws {
        try await client.withConnection { connection in
            try await connection.simpleQuery(
                """
                SET client_min_messages = warning;
                CREATE TABLE IF NOT EXISTS readings (
                    meter text, at timestamptz, kwh numeric NOT NULL CHECK (kwh >= 0), PRIMARY KEY (meter, at));
                CREATE TABLE IF NOT EXISTS corrections (
                    meter text, at timestamptz, was numeric NOT NULL, made_at timestamptz NOT NULL DEFAULT now());
                """)
        }
    }

    // MARK: COPY in, within a transaction of several steps

    /// Loads readings as CSV. Readings that exist are kept, so a file may be loaded twice.
    /// - Returns: the number of lines, and the number of new readings.
    func load<Chunks: AsyncSequence & Sendable>(
        _ csv: Chunks
    ) async throws -> (read: Int, new: Int) where Chunks.Element == [UInt8] {
        try await client.withConnection { connection in
            try await connection.simpleQuery("BEGIN; CREATE TEMP TABLE incoming (LIKE readings) ON COMMIT DROP")
            // A malformed line throws here. The connection is then returned inside its transaction, which undoes it.
            let read = try await connection.copyIn("COPY incoming FROM STDIN WITH (FORMAT csv)", from: csv)
            let new = try await connection.query(Self.takeOver).affected
            try await connection.simpleQuery("COMMIT")
            return (read, new)
        }
    }

    // MARK: A transaction in one batch, and how to handle an unknown outcome

    /// Replaces a reading, records its former value, and notifies listeners.
    /// - Returns: false if there is no such reading, or it has this value already.
    func correct(_ meter: String, at instant: String, to kWh: String) async throws(PostgresError) -> Bool {
        let values: [Parameter] = [.text(meter), .text(instant), .text(kWh)]
        var attempts = 0
        while true {
            attempts += 1
            do throws(PostgresError) {
                let results = try await client.transaction(
                    [Step(Self.keep, values), Step(Self.replace, values)], deadline: .now + .seconds(5))
                return results[1].count > 0
            } catch {
                // This transaction is idempotent, so it may be repeated even if it may have succeeded. Any other transaction
                // may be repeated only if `isRetrySafe` is true.
                let isWorthwhile = [.outcomeUnknown, .connectionLost, .unavailable].contains(error.kind)
                guard isWorthwhile, attempts < 3 else { throw error }
            }
        }
    }

    // MARK: A read

    /// The consumption of a meter per day.
    func consumption(of meter: String) async throws(PostgresError) -> [(date: String, kWh: String)] {
        let rows = try await client.query(Self.daily, [.text(meter)], deadline: .now + .seconds(5))
        return (0..<rows.count).map { row in (rows[row, "day"] ?? "", rows[row, "used"] ?? "") }
    }

    // MARK: COPY out and notifications

    /// All readings as CSV, in chunks of whole lines.
    func export() -> CopyOut {
        client.copyOut("COPY (SELECT meter, at, kwh FROM readings ORDER BY meter, at) TO STDOUT WITH (FORMAT csv)")
    }

    /// The corrections from now on.
    func corrections() throws(PostgresError) -> Notifications {
        try client.listen(to: ["meter_corrections"])
    }

    // MARK: Statements: one object per text, prepared once per connection

    private static let takeOver = Statement("INSERT INTO readings SELECT * FROM incoming ON CONFLICT DO NOTHING")
    private static let keep = Statement(
        """
        INSERT INTO corrections (meter, at, was)
        SELECT meter, at, kwh FROM readings WHERE meter = $1 AND at = $2 AND kwh <> $3 FOR UPDATE
        """)
    private static let replace = Statement(
        """
        WITH changed AS (
            UPDATE readings SET kwh = $3 WHERE meter = $1 AND at = $2 AND kwh <> $3 RETURNING meter, at, kwh)
        SELECT pg_notify('meter_corrections', format('%s %s %s', meter, at, kwh)) FROM changed
        """)
    private static let daily = Statement(
        """
        SELECT at::date AS day, max(kwh) - min(kwh) AS used FROM readings WHERE meter = $1 GROUP BY 1 ORDER BY 1
        """)
}
