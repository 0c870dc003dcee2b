import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct NeighbourFaultTests {
    static let point = Statement("SELECT $1::int")

    @Test func `point reads keep their p99 beside more slow statements than connections`() async throws {
        try await withClient { client, _ in
            let half = Statement("SELECT pg_sleep(0.5)")
            _ = try await client.timeToFill(4)
            let alone = try await Self.readTimes(client)
            let isOver = Flag()
            let slow = (0..<6).map { _ in
                Task { while !isOver.isSet { _ = try await client.query(half) } }
            }
            // A stall of the machine can spoil one measurement, but reads behind a slow statement would spoil each.
            var measured: [(p99: Duration, longest: Duration)] = []
            var isGood = false
            while !isGood, measured.count < 4 {
                let times = try await Self.readTimes(client)
                measured.append(times)
                // Behind one such statement a read would take up to 500 ms.
                isGood =
                    times.p99 < max(alone.p99 * 4, .milliseconds(150))
                    && times.longest < max(alone.longest * 4, .milliseconds(400))
            }
            isOver.set()
            for task in slow { try await task.value }
            #expect(isGood, "beside slow statements \(measured), alone \(alone)")
        }
    }

    private static func readTimes(_ client: PostgresClient) async throws -> (p99: Duration, longest: Duration) {
        let times = try await withThrowingTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var times: [Duration] = []
                    let end = ContinuousClock.now + .seconds(1)
                    while ContinuousClock.now < end || times.count < 200 {
                        let start = ContinuousClock.now
                        _ = try await client.query(point, [.text("\(task)")])
                        times.append(ContinuousClock.now - start)
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        return (times[times.count * 99 / 100], times[times.count - 1])
    }

    @Test func `blocked writers and slow reads leave a connection to quick reads`() async throws {
        try await withClient { client, database in
            let slow = Statement("SELECT pg_sleep($1::float)")
            // From now on the client knows that this statement is slow.
            for _ in 0..<2 { _ = try await client.query(slow, ["0.4"]) }
            for number in 0..<20 { _ = try await client.query(Self.point, [.text("\(number)")]) }
            let gate = try await Gate.close(database)
            let writers = (0..<6).map { _ in Task { try await client.transaction([Step(Gate.pass, ["1"])]) } }
            try await eventually("three writers wait") {
                try await database.backends(where: "wait_event = 'advisory'") == 3
            }
            let read = Task { try await client.query(slow, ["600"]) }
            for number in 0..<100 {
                let rows = try await client.query(
                    Self.point, [.text("\(number)")], deadline: .now + .seconds(20))
                #expect(rows.text(0, 0) == "\(number)")
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(try await gate.hasWaiters())
            read.cancel()
            _ = await read.result
            try await gate.open()
            for writer in writers { _ = try await writer.value }
        }
    }

    @Test func `with every connection stuck, waiting and sent calls fail within the acquire timeout`() async throws {
        try await withClient {
            $0.acquireTimeout = .seconds(1)
        } _: { client, database in
            let isOpen = Statement("SELECT count(*) FROM t WHERE a = $1::int")
            let add = Statement("UPDATE t SET a = $1::int")
            try await database.psql("CREATE TABLE t(a int); INSERT INTO t VALUES (1)")
            // On a busy machine, opening the connections can take longer than the acquire timeout.
            try await eventually("there are four connections") { (try? await client.timeToFill(4)) != nil }
            // The client learns that both statements are quick.
            try await eventually("both statements have run") {
                guard (try? await client.transaction([Step(add, ["1"])])) != nil else { return false }
                return (try? await client.query(isOpen, ["1"])) != nil
            }
            for _ in 0..<40 { _ = try await client.query(isOpen, ["1"]) }
            let locker = PostgresClient(.init(connectionString: database.connectionString))
            let outcomes = LockedValue<[(kind: PostgresError.Kind, taken: Duration, isWrite: Bool)]>([])
            try await locker.withConnection { connection in
                try await connection.simpleQuery("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
                await withTaskGroup { group in
                    for number in 0..<60 {
                        group.addTask {
                            let start = ContinuousClock.now
                            let deadline = start + .seconds(20)
                            do throws(PostgresError) {
                                if number % 4 == 0 {
                                    _ = try await client.transaction([Step(add, ["2"])], deadline: deadline)
                                } else {
                                    _ = try await client.query(isOpen, ["2"], deadline: deadline)
                                }
                            } catch {
                                outcomes.withLock { $0.append((error.kind, .now - start, number % 4 == 0)) }
                                #expect(error.isRetrySafe)
                            }
                        }
                    }
                    // Four statements wait for the lock. All others wait for a connection and must fail in time.
                    try? await eventually("all other calls have failed", within: .seconds(10)) {
                        outcomes.withLock { $0.count } >= 56
                    }
                    group.cancelAll()
                }
                try await connection.simpleQuery("ROLLBACK")
            }
            let unavailable = outcomes.value.filter { $0.kind == .unavailable }
            #expect(unavailable.count >= 56 && unavailable.contains { $0.isWrite })
            #expect(unavailable.allSatisfy { $0.taken < .seconds(1) * timeTolerance })
            await locker.shutdown()
            #expect(try await client.timeToRecover() < .seconds(1) * timeTolerance)
            #expect(try await database.psql("SELECT a FROM t") == "1")
        }
    }
}
