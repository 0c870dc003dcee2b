import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct UnresponsiveServerFaultTests {
    static let point = Statement("SELECT $1::int")

    enum Hole: CaseIterable {
        case bothWays, toServer, toClient
    }

    @Test(arguments: Hole.allCases)
    func `reads in a black hole fail in time and succeed at once after it`(_ hole: Hole) async throws {
        try await withFaultProxy { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.set(
                toServer: hole == .toClient ? .normal : .blackHole, toClient: hole == .toServer ? .normal : .blackHole)
            let start = ContinuousClock.now
            await withTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        do throws(PostgresError) {
                            _ = try await client.query(Self.point, [.text("\(number)")])
                            Issue.record("a call succeeded in the black hole")
                        } catch {
                            #expect(
                                error.isRetrySafe && [.unavailable, .connectionLost].contains(error.kind), "\(error)")
                        }
                    }
                }
            }
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(5) + .seconds(1) * timeTolerance, "failed after \(taken)")
            proxy.set(.normal)
            let recovery = try await client.timeToRecover()
            #expect(recovery < .seconds(1) * timeTolerance, "recovered after \(recovery)")
            #expect(try await client.timeToFill(4) < .seconds(1) * timeTolerance)
        }
    }

    @Test func `a black hole is detected as soon behind a statement that was just probed`() async throws {
        try await withFaultProxy { client, database, proxy in
            let long = Task { try await client.query(Statement("SELECT pg_sleep(600)")) }
            try await eventually("the statement runs") { try await database.isSleeping() }
            // By then the server has been pinged and has answered.
            try await Task.sleep(for: .milliseconds(1_700))
            proxy.set(.blackHole)
            let start = ContinuousClock.now
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.isRetrySafe)
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(5) + .seconds(1) * timeTolerance, "failed after \(taken)")
            long.cancel()
            _ = await long.result
            proxy.set(.normal)
            // The server would not notice the lost client while its statement sleeps.
            try await database.terminateBackends()
        }
    }

    @Test func `a transaction in a black hole has an unknown outcome and is not repeated`() async throws {
        try await withFaultProxy { client, database, proxy in
            let ledger = try await Ledger.open(on: database)
            _ = try await client.transaction([Step(Ledger.insert, ["1"])])
            proxy.set(toServer: .normal, toClient: .blackHole)
            let error = try await failure { try await client.transaction([Step(Ledger.insert, ["2"])]) }
            #expect(error.kind == .outcomeUnknown && !error.isRetrySafe, "\(error)")
            proxy.set(.normal)
            _ = try await client.timeToRecover()
            #expect(
                try await database.psql("SELECT count(*) FROM ledger WHERE id = 2") == "1",
                "the transaction was committed")
            #expect(ledger.entries.acknowledged.isEmpty)
        }
    }

    @Test func `half-open connections delay a read by its deadline at most`() async throws {
        try await withFaultProxy { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.cut(.halfOpen)
            let start = ContinuousClock.now
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        do throws(PostgresError) {
                            let deadline = ContinuousClock.now + .seconds(2)
                            _ = try await client.query(Self.point, [.text("\(number)")], deadline: deadline)
                        } catch {
                            #expect(error.isRetrySafe && [.timeout, .unavailable].contains(error.kind), "\(error)")
                        }
                    }
                }
            }
            #expect(ContinuousClock.now - start < .seconds(2) + .seconds(1) * timeTolerance)
            try await eventually("the dead connections are replaced") {
                let deadline = ContinuousClock.now + .milliseconds(500)
                return (try? await client.query(Self.point, ["1"], deadline: deadline)) != nil
            }
        }
    }

    @Test func `a server that accepts but never answers is unavailable in time`() async throws {
        try await withFaultProxy {
            $0.acquireTimeout = .seconds(2)
        } _: { client, _, proxy in
            proxy.set(toServer: .normal, toClient: .blackHole)
            let start = ContinuousClock.now
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.kind == .unavailable && error.isRetrySafe)
            #expect(ContinuousClock.now - start < .seconds(2) + .seconds(1) * timeTolerance)
            proxy.set(.normal)
            let recovery = try await client.timeToRecover()
            #expect(recovery < .seconds(1) * timeTolerance, "recovered after \(recovery)")
        }
    }

    @Test func `while only the postmaster is frozen calls use the open connections`() async throws {
        let cluster = try await TestCluster.start()
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString)
        configuration.poolSize = 2
        let client = PostgresClient(configuration)
        _ = try await client.timeToFill(1)
        try cluster.freezePostmaster()
        for number in 0..<20 {
            #expect(try await client.query(Self.point, [.text("\(number)")]).text(0, 0) == "\(number)")
        }
        try cluster.thaw()
        #expect(try await client.timeToFill(2) < .seconds(1) * timeTolerance)
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `a frozen server does not delay shutdown`() async throws {
        try await withFaultProxy { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.set(.blackHole)
            let read = Task { try await client.query(Self.point, ["1"]) }
            let write = Task { try await client.transaction([Step(Self.point, ["1"])]) }
            try await eventually("the calls are in flight") { proxy.traffic.sent > 0 }
            let start = ContinuousClock.now
            await client.shutdown()
            #expect(ContinuousClock.now - start < .milliseconds(500) + .seconds(1) * timeTolerance)
            _ = await (read.result, write.result)
        }
    }
}
