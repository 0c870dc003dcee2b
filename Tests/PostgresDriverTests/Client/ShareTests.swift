import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct ShareTests {
    /// Waits at the gate if its parameter is negative, holding the lock 100 - $1 meanwhile, and is quick otherwise.
    static let unpredictable = Statement(
        """
        SELECT $1::int FROM (
            SELECT CASE WHEN $1::int < 0 THEN
                CASE WHEN pg_advisory_xact_lock_shared(100 - $1::int) IS NOT NULL THEN pg_advisory_xact_lock_shared(1) END
            END) AS gate
        """)

    private func learnThatItIsQuick(_ client: PostgresClient) async throws {
        _ = try await client.timeToFill(4)
        // On a busy machine some runs take long.
        var quickRuns = 0
        for number in 0..<5_000 where quickRuns < 50 {
            let start = ContinuousClock.now
            _ = try await client.query(Self.unpredictable, [.text("\(number)")])
            if ContinuousClock.now - start < .milliseconds(2) { quickRuns += 1 }
        }
    }

    @Test func `reads that were sent behind a statement which turns out slow run elsewhere`() async throws {
        try await withClient { client, database in
            try await learnThatItIsQuick(client)
            let gate = try await Gate.close(database)
            let stuck = Task { try await client.query(Self.unpredictable, ["-1"], for: Share(1)) }
            // These are sent in the same moment, so most of them share the connection of the first.
            let followers = (0..<60).map { number in
                Task { try await client.query(Self.unpredictable, [.text("\(number)")], for: Share(2)).text(0, 0) }
            }
            for (number, follower) in followers.enumerated() {
                #expect(try await follower.value == "\(number)")
            }
            #expect(try await gate.hasWaiters())
            try await gate.open()
            #expect(try await stuck.value.text(0, 0) == "-1")
            // Both runs have left their connections.
            for number in 0..<200 {
                #expect(
                    try await client.query(Self.unpredictable, [.text("\(number)")], for: Share(2)).text(0, 0)
                        == "\(number)")
            }
        }
    }

    @Test func `a read that runs twice and is cancelled runs nowhere any more`() async throws {
        try await withClient { client, database in
            try await learnThatItIsQuick(client)
            let gate = try await Gate.close(database)
            let head = Task { try await client.query(Self.unpredictable, ["-1"], for: Share(1)) }
            let follower = Task { try await client.query(Self.unpredictable, ["-2"], for: Share(2)) }
            try await eventually("both wait at the gate, on two connections") {
                try await database.backends(where: "wait_event = 'advisory'") == 2
            }
            follower.cancel()
            let error = try await failure { try await follower.value }
            #expect(error.kind == .cancelled)
            // Which of the two the server met first is left to chance: the other one may wait on both connections now.
            try await eventually("it runs nowhere") {
                try await database.psql(
                    """
                    SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
                    WHERE locktype = 'advisory' AND objid = 102 AND datname = current_database()
                    """) == "0"
            }
            #expect(try await gate.hasWaiters())
            try await gate.open()
            #expect(try await head.value.text(0, 0) == "-1")
            for number in 0..<100 {
                #expect(
                    try await client.query(Self.unpredictable, [.text("\(number)")], for: Share(2)).text(0, 0)
                        == "\(number)")
            }
        }
    }

    @Test func `a share whose quick statements all turn out slow leaves a connection to others`() async throws {
        try await withClient { client, database in
            try await learnThatItIsQuick(client)
            let gate = try await Gate.close(database)
            // Those of both shares are sent in the same moment, so most of them share connections.
            var stuck: [Task<Rows, any Error>] = []
            var others: [Task<String?, any Error>] = []
            for number in 0..<50 {
                stuck.append(Task { try await client.query(Self.unpredictable, ["-1"], for: Share(1)) })
                others.append(
                    Task { try await client.query(Self.unpredictable, [.text("\(number)")], for: Share(2)).text(0, 0) })
            }
            for (number, read) in others.enumerated() { #expect(try await read.value == "\(number)") }
            for number in 0..<50 {
                let rows = try await client.query(
                    Self.unpredictable, [.text("\(number)")], for: Share(2), deadline: .now + .seconds(20))
                #expect(rows.text(0, 0) == "\(number)")
            }
            let blocked = try await database.backends(where: "wait_event = 'advisory'")
            #expect((1...3).contains(blocked))
            try await gate.open()
            for task in stuck { #expect(try await task.value.count == 1) }
        }
    }

    @Test func `transactions of one share that wait for a lock leave a connection to those of others`() async throws {
        try await withClient { client, database in
            let gate = try await Gate.close(database)
            let stuck = (0..<12).map { _ in
                Task { try await client.transaction([Step(Gate.pass, ["1"])], for: Share(1)) }
            }
            try await eventually("two transactions wait at the gate") {
                try await database.backends(where: "wait_event = 'advisory'") == 2
            }
            let write = Statement("SELECT $1::int + 1")
            for number in 0..<20 {
                let rows = try await client.transaction(
                    [Step(write, [.text("\(number)")])], for: Share(2), deadline: .now + .seconds(20))
                #expect(rows[0].text(0, 0) == "\(number + 1)")
            }
            #expect(try await database.backends(where: "wait_event = 'advisory'") == 2)
            try await gate.open()
            for task in stuck { _ = try await task.value }
        }
    }

    @Test func `a share with too many waiting calls learns when to come back, and others are served`() async throws {
        try await withClient {
            $0.maxWaitingPerShare = 10
        } _: { client, database in
            _ = try await client.timeToFill(4)
            let gate = try await Gate.close(database)
            // Two transactions run, up to two more have been given to their connections, and ten wait, except that
            // all forty may have been submitted before the first ones were given to connections.
            let refused = 26...30
            let outcomes = LockedValue<[PostgresError.Kind]>([])
            await withTaskGroup { group in
                for _ in 0..<40 {
                    group.addTask {
                        do throws(PostgresError) {
                            _ = try await client.transaction([Step(Gate.pass, ["1"])], for: Share(1))
                        } catch {
                            #expect(error.isRetrySafe)
                            outcomes.withLock { $0.append(error.kind) }
                        }
                    }
                }
                group.addTask {
                    do {
                        try await eventually("those beyond the limit have failed") {
                            refused.contains(outcomes.withLock { $0.count })
                        }
                        for number in 0..<20 {
                            let rows = try await client.query(
                                Self.unpredictable, [.text("\(number)")], for: Share(2), deadline: .now + .seconds(20))
                            #expect(rows.text(0, 0) == "\(number)")
                        }
                    } catch {
                        Issue.record(error)
                    }
                    // In every case, because the transactions wait for it.
                    do { try await gate.open() } catch { Issue.record(error) }
                }
            }
            #expect(refused.contains(outcomes.value.count))
            for kind in outcomes.value { #expect(kind == .overloaded(retryAfter: .seconds(1))) }
        }
    }

    @Test func `a statement with custom plans is planned for each run, and later statements are not`() async throws {
        try await withClient {
            $0.settings["plan_cache_mode"] = "force_generic_plan"
        } _: { client, _ in
            let mode = "SELECT current_setting('plan_cache_mode'), $1::int"
            let custom = Statement(mode, planning: .custom)
            let generic = Statement(mode)
            for _ in 0..<3 {
                let customMode = try await client.query(custom, ["1"]).text(0, 0)
                let genericMode = try await client.query(generic, ["1"]).text(0, 0)
                #expect(customMode == "force_custom_plan" && genericMode == "force_generic_plan")
            }
        }
    }
}
