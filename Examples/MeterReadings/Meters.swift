import PostgresDriver

/// What can be done with meters: each method is one conversation with Postgres.
struct Meters {
    let client: PostgresClient

    init(_ client: PostgresClient) {
        self.client = client
    }

    /// Makes the tables, or leaves them as they are. Several statements in one text need a connection of their own.
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

    // MARK: COPY in, within a transaction that takes several steps

    /// Loads readings as CSV; those that are there already are left alone, so that a file may be loaded twice.
    /// - Returns: how many lines there were, and how many of them were new.
    func load<Chunks: AsyncSequence & Sendable>(
        _ csv: Chunks
    ) async throws -> (read: Int, new: Int) where Chunks.Element == [UInt8] {
        try await client.withConnection { connection in
            try await connection.simpleQuery("BEGIN; CREATE TEMP TABLE incoming (LIKE readings) ON COMMIT DROP")
            // A line that is none fails here. The connection is given back inside its transaction, and so undone.
            let read = try await connection.copyIn("COPY incoming FROM STDIN WITH (FORMAT csv)", from: csv)
            let new = try await connection.query(Self.takeOver).affected
            try await connection.simpleQuery("COMMIT")
            return (read, new)
        }
    }

    // MARK: A transaction in one flight, and what to do when nobody knows how it ended

    /// Replaces a reading, keeps what it was, and tells whoever watches.
    /// - Returns: false when there is no such reading, or it says so already.
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
                // Made a second time it changes nothing, so it may be made again even if it may have succeeded. Where that
                // is not so, only `isRetrySafe` allows it.
                let isWorthwhile = [.outcomeUnknown, .connectionLost, .unavailable].contains(error.kind)
                guard isWorthwhile, attempts < 3 else { throw error }
            }
        }
    }

    // MARK: A read

    /// What a meter has used day by day.
    func consumption(of meter: String) async throws(PostgresError) -> [(date: String, kWh: String)] {
        let rows = try await client.query(Self.daily, [.text(meter)], deadline: .now + .seconds(5))
        return (0..<rows.count).map { row in (rows[row, "day"] ?? "", rows[row, "used"] ?? "") }
    }

    // MARK: COPY out and notifications

    /// All readings as CSV, in chunks of whole lines.
    func export() -> CopyOut {
        client.copyOut("COPY (SELECT meter, at, kwh FROM readings ORDER BY meter, at) TO STDOUT WITH (FORMAT csv)")
    }

    func corrections() throws(PostgresError) -> Notifications {
        try client.listen(to: ["meter_corrections"])
    }

    // MARK: Statements: one object per text, which is prepared once per connection

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
