import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// A proxy or firewall can lose one connection while it acknowledges everything sent on it. Neither TCP nor a ping of the
/// server detects that.
struct DeadConnectionFaultTests {
    static let point = Statement("SELECT $1::int")
    /// The promised time for calls without a deadline, plus a tolerance for a busy machine.
    static let limit: Duration = .seconds(5) + .seconds(1) * timeTolerance

    @Test func `a read without a deadline is answered over another connection`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withFaultProxy {
            $0.poolSize = 2
            // Long enough for a busy machine to connect again.
            $0.acquireTimeout = .seconds(60)
            $0.onEvent = { events.record($0) }
        } _: { client, _, proxy in
            _ = try await client.timeToFill(2)
            proxy.cut(.halfOpen)
            let start = ContinuousClock.now
            for number in 0..<2 {
                #expect(try await client.query(Self.point, [.text("\(number)")]).text(0, 0) == "\(number)")
            }
            let taken = ContinuousClock.now - start
            #expect(taken < Self.limit * 2, "answered after \(taken)")
            #expect(events.losses >= 1)
        }
    }

    @Test func `a transaction on a dead connection has an unknown outcome and is not repeated`() async throws {
        try await withFaultProxy {
            $0.poolSize = 1
        } _: { client, database, proxy in
            _ = try await Ledger.open(on: database)
            _ = try await client.transaction([Step(Ledger.insert, ["1"])])
            proxy.cut(.halfOpen)
            let start = ContinuousClock.now
            let error = try await failure { try await client.transaction([Step(Ledger.insert, ["2"])]) }
            #expect(error.kind == .outcomeUnknown && !error.isRetrySafe, "\(error)")
            let taken = ContinuousClock.now - start
            #expect(taken < Self.limit, "failed after \(taken)")
            _ = try await client.transaction([Step(Ledger.insert, ["3"])])
            #expect(try await database.psql("SELECT string_agg(id::text, ' ' ORDER BY id) FROM ledger") == "1 3")
        }
    }

    @Test func `a lease on a dead connection is lost, its transaction undone and its slot freed`() async throws {
        try await withFaultProxy {
            $0.poolSize = 1
        } _: { client, database, proxy in
            _ = try await Ledger.open(on: database)
            let start = ContinuousClock.now
            try await client.withConnection { connection in
                try await connection.simpleQuery("BEGIN")
                _ = try await connection.query(Ledger.insert, ["1"])
                proxy.cut(.halfOpen)
                let error = try await failure { try await connection.query(Ledger.insert, ["2"]) }
                #expect(error.kind == .connectionLost && !error.isRetrySafe, "\(error)")
                let next = try await failure { try await connection.simpleQuery("COMMIT") }
                #expect(next.kind == .connectionLost && next.isRetrySafe, "no statement was sent: \(next)")
            }
            let taken = ContinuousClock.now - start
            #expect(taken < Self.limit, "lost after \(taken)")
            _ = try await client.transaction([Step(Ledger.insert, ["3"])])
            try await eventually("no transaction is left open") {
                try await database.backends(where: "state LIKE 'idle in transaction%'") == 0
            }
            #expect(try await database.psql("SELECT string_agg(id::text, ' ') FROM ledger") == "3")
        }
    }

    @Test func `large parameters and COPYs over a stalled connection fail in time`() async throws {
        try await withFaultProxy {
            $0.poolSize = 4
            $0.acquireTimeout = .seconds(60)
        } _: { client, database, proxy in
            try await database.psql("CREATE TABLE t(line text)")
            _ = try await client.timeToFill(4)
            let large = Parameter.text(String(repeating: "0123456789abcdef", count: 1 << 20))
            let hasBegun = (Flag(), Flag())
            let start = ContinuousClock.now
            async let sending = failure {
                try await client.withConnection { connection in
                    hasBegun.0.set()
                    try await eventually("the connections are stalled") { hasBegun.1.isSet }
                    _ = try await connection.transaction([Step(Statement("SELECT length($1::text)"), [large])])
                }
            }
            async let receiving = failure {
                var bytes = 0
                for try await chunk in client.copyOut(
                    "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 200000)) TO STDOUT")
                {
                    bytes += chunk.count
                    if bytes == chunk.count {
                        try await eventually("the other connection is ready") { hasBegun.0.isSet }
                        proxy.cut(.stall)
                        hasBegun.1.set()
                    }
                }
            }
            let errors = try await [sending, receiving]
            #expect(errors[0].kind == .outcomeUnknown, "\(errors[0])")
            #expect(errors[1].kind == .connectionLost, "\(errors[1])")
            let taken = ContinuousClock.now - start
            #expect(taken < Self.limit, "failed after \(taken)")
            #expect(try await client.query(Self.point, ["7"]).text(0, 0) == "7")
            proxy.cut(.reset)
            #expect(try await client.timeToRecover() < .seconds(1) * timeTolerance)
        }
    }

    @Test func `a sleep, a lock wait and a slow trigger are not mistaken for a dead connection`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withFaultProxy {
            $0.onEvent = { events.record($0) }
        } _: { client, database, _ in
            try await database.psql(
                """
                CREATE TABLE lines(line text);
                CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN IF NEW.line = 'stall' THEN PERFORM pg_sleep(8); END IF; RETURN NEW; END $$;
                CREATE TRIGGER stall BEFORE INSERT ON lines FOR EACH ROW EXECUTE FUNCTION stall();
                """)
            _ = try await client.timeToFill(4)
            let gate = try await Gate.close(database)
            let start = ContinuousClock.now
            async let sleeper = client.query(Statement("SELECT pg_sleep(8), 1"))
            async let waiter = client.transaction([Step(Gate.pass, ["2"])])
            async let copied = client.copyIn("COPY lines FROM STDIN", from: Self.lines(megabytes: 24))
            // Not necessarily at the same time: one may end before a busy machine starts the next.
            var running: Set<Substring> = []
            try await eventually("each statement has been seen running") {
                let seen = try await database.psql(
                    """
                    SELECT left(query, 4) || wait_event FROM pg_stat_activity
                    WHERE datname = current_database() AND state = 'active' AND wait_event IN ('PgSleep', 'advisory')
                    """)
                running.formUnion(seen.split(separator: "\n"))
                return running.isSuperset(of: ["SELEPgSleep", "SELEadvisory", "COPYPgSleep"])
            }
            try await Task.sleep(until: start + .seconds(8))
            try await gate.open()
            let answers = try await (sleeper.text(0, 1), waiter[0].text(0, 0), copied)
            #expect(answers == ("1", "2", 24 * 1024 + 1))
            #expect(events.losses == 0)
        }
    }

    /// Lines to copy. The first makes the trigger sleep.
    private static func lines(megabytes: Int) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(Array("stall\n".utf8))
            let chunk = [UInt8](String(repeating: String(repeating: "x", count: 1023) + "\n", count: 1024).utf8)
            for _ in 0..<megabytes { continuation.yield(chunk) }
            continuation.finish()
        }
    }
}
