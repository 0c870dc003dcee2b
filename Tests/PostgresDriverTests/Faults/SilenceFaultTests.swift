import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("Networks and servers that fall silent")
struct SilenceFaultTests {
    static let point = Statement("SELECT $1::int")

    enum Hole: CaseIterable {
        case bothWays, toServer, toClient
    }

    @Test(
        "in a black hole reads fail as retryable in time, and go on at once when it is gone", arguments: Hole.allCases)
    func blackHole(_ hole: Hole) async throws {
        try await withFaultyWay { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.set(toServer: hole == .toClient ? .open : .silent, toClient: hole == .toServer ? .open : .silent)
            let start = ContinuousClock.now
            await withTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        do throws(PostgresError) {
                            _ = try await client.query(Self.point, [.text("\(number)")])
                            Issue.record("nothing gets through")
                        } catch {
                            #expect(
                                error.isRetrySafe && [.unavailable, .connectionLost].contains(error.kind), "\(error)")
                        }
                    }
                }
            }
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(5) + .seconds(1) * indulgence, "failed after \(taken)")
            proxy.set(.open)
            let recovery = try await client.timeToRecover()
            #expect(recovery < .seconds(1) * indulgence, "back after \(recovery)")
            #expect(try await client.timeToFill(4) < .seconds(1) * indulgence)
        }
    }

    @Test("a black hole behind a statement that had just been asked about is noticed as soon")
    func blackHoleAfterSignOfLife() async throws {
        try await withFaultyWay { client, database, proxy in
            let long = Task { try await client.query(Statement("SELECT pg_sleep(600)")) }
            try await eventually("it runs") { try await database.isSleeping() }
            // By then the server has been asked whether it lives, and has said so.
            try await Task.sleep(for: .milliseconds(1_700))
            proxy.set(.silent)
            let start = ContinuousClock.now
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.isRetrySafe)
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(5) + .seconds(1), "failed after \(taken)")
            long.cancel()
            _ = await long.result
            proxy.set(.open)
            // A server does not look after its client while a statement sleeps.
            try await database.endBackends()
        }
    }

    @Test(
        "a transaction in a black hole says that its outcome is unknown, and is not made again")
    func transaction() async throws {
        try await withFaultyWay { client, database, proxy in
            let ledger = try await Ledger.open(on: database)
            _ = try await client.transaction([Step(Ledger.insert, ["1"])])
            proxy.set(toServer: .open, toClient: .silent)
            let error = try await failure { try await client.transaction([Step(Ledger.insert, ["2"])]) }
            #expect(error.kind == .outcomeUnknown && !error.isRetrySafe, "\(error)")
            proxy.set(.open)
            _ = try await client.timeToRecover()
            #expect(try await database.psql("SELECT count(*) FROM ledger WHERE id = 2") == "1", "it had been committed")
            #expect(ledger.entries.acknowledged.isEmpty)
        }
    }

    @Test("connections whose other end has gone without a word cost a read no more than its deadline")
    func halfOpen() async throws {
        try await withFaultyWay { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.cut(.forget)
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
            #expect(ContinuousClock.now - start < .seconds(2) + .seconds(1) * indulgence)
            try await eventually("the dead connections are given up") {
                let deadline = ContinuousClock.now + .milliseconds(500)
                return (try? await client.query(Self.point, ["1"], deadline: deadline)) != nil
            }
        }
    }

    @Test("a server that accepts and never answers makes calls unavailable in time")
    func neverAnswers() async throws {
        try await withFaultyWay {
            $0.acquireTimeout = .seconds(2)
        } _: { client, _, proxy in
            proxy.set(toServer: .open, toClient: .silent)
            let start = ContinuousClock.now
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.kind == .unavailable && error.isRetrySafe)
            #expect(ContinuousClock.now - start < .seconds(2) + .seconds(1) * indulgence)
            proxy.set(.open)
            let recovery = try await client.timeToRecover()
            #expect(recovery < .seconds(1) * indulgence, "back after \(recovery)")
        }
    }

    @Test("while only the postmaster stands still, calls go on over the connections there are")
    func frozenPostmaster() async throws {
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
        #expect(try await client.timeToFill(2) < .seconds(1) * indulgence)
        await client.shutdown()
        try await cluster.stop()
    }

    @Test("a server that stands still does not hold up a shutdown")
    func shutdown() async throws {
        try await withFaultyWay { client, _, proxy in
            _ = try await client.timeToFill(4)
            proxy.set(.silent)
            let read = Task { try await client.query(Self.point, ["1"]) }
            let write = Task { try await client.transaction([Step(Self.point, ["1"])]) }
            try await eventually("they are under way") { proxy.traffic.sent > 0 }
            let start = ContinuousClock.now
            await client.shutdown()
            #expect(ContinuousClock.now - start < .milliseconds(500) + .seconds(1) * indulgence)
            _ = await (read.result, write.result)
        }
    }
}
