import Glibc
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct LossTests {
    static let point = Statement("SELECT $1::int")
    static let sleep = Statement("SELECT pg_sleep(600)")

    @Test func `a read whose backend was terminated is run again once`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.onEvent = { events.record($0) }
        } _: { client, database in
            let gate = try await Gate.close(database)
            let task = Task { try await client.query(Gate.pass, ["5"]).text(0, 0) }
            try await eventually("the read waits at the gate") { try await gate.hasWaiters() }
            try await gate.terminateWaiters()
            try await eventually("the connection is lost") { events.losses == 1 }
            try await gate.open()
            #expect(try await task.value == "5")
        }
    }

    @Test func `a read that keeps losing its connection fails and is safe to retry`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            let isOver = Flag()
            let task = Task {
                defer { isOver.set() }
                return try await client.query(Self.sleep)
            }
            try await eventually("the read fails") {
                try await database.terminateBackends()
                return isOver.isSet
            }
            let error = try await failure { try await task.value }
            #expect(error.kind == .connectionLost && error.isRetrySafe)
        }
    }

    @Test func `a transaction terminated before its last step is known to be undone`() async throws {
        try await withClient { client, database in
            try await database.psql("CREATE TABLE t(id int)")
            let task = Task {
                try await client.transaction([Step(Statement("INSERT INTO t VALUES (1)")), Step(Self.sleep)])
            }
            try await eventually("the statement runs") { try await database.isSleeping() }
            try await database.terminateBackends()
            let error = try await failure { try await task.value }
            #expect(error.kind == .connectionLost && error.isRetrySafe && error.sqlState == "57P01")
            #expect(try await database.psql("SELECT count(*) FROM t") == "0")
        }
    }

    @Test func `a transaction whose server crashed has an unknown outcome and is not repeated`() async throws {
        let cluster = try await TestCluster.start(settings: ["synchronous_commit": "on"])
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString)
        configuration.acquireTimeout = .seconds(60)
        let client = PostgresClient(configuration)
        try await cluster.psql("CREATE TABLE t(id int)")
        let task = Task {
            try await client.transaction([Step(Statement("INSERT INTO t VALUES (1)")), Step(Self.sleep)])
        }
        try await eventually("the statement runs") {
            try await cluster.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()"
            ) == "1"
        }
        let backend = try #require(
            pid_t(
                try await cluster.psql(
                    "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()")))
        kill(backend, SIGKILL)
        let error = try await failure { try await task.value }
        #expect(error.kind == .outcomeUnknown && !error.isRetrySafe)
        #expect(try await client.query(Statement("SELECT count(*) FROM t")).text(0, 0) == "0")
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `calls succeed after all idle connections have died`() async throws {
        try await withClient { client, database in
            for _ in 0..<5 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        group.addTask { _ = try await client.query(Self.point, [.text("\(number)")]) }
                    }
                    try await group.waitForAll()
                }
                // Termination takes a moment, and a connection that breaks during a call is a different case. A connection that
                // was being opened for one of the calls has its backend a little later.
                try await eventually("the backends are gone") {
                    try await database.terminateBackends()
                    return try await database.backends() == 0
                }
                #expect(try await client.query(Self.point, ["1"]).text(0, 0) == "1")
                #expect(try await client.transaction([Step(Self.point, ["2"])])[0].text(0, 0) == "2")
            }
        }
    }

    @Test func `calls are unavailable in time while the server is stopped, and succeed after its restart`() async throws
    {
        let cluster = try await TestCluster.start()
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString)
        configuration.acquireTimeout = .seconds(1)
        let client = PostgresClient(configuration)
        #expect(try await client.query(Self.point, ["1"]).text(0, 0) == "1")
        for mode in [TestCluster.StopMode.fast, .immediate] {
            try await cluster.stop(mode)
            let error = try await failure { try await client.query(Self.point, ["1"]) }
            #expect(error.kind == .unavailable && error.isRetrySafe)
            #expect(error.cause != nil, "the error has a cause")
            try await cluster.startAgain()
            try await eventually("calls succeed again") {
                (try? await client.query(Self.point, ["1"]).text(0, 0)) == "1"
            }
        }
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `under load through a restart every acknowledged write is stored exactly once`() async throws {
        let cluster = try await TestCluster.start(settings: ["fsync": "on", "synchronous_commit": "on"])
        var configuration = PostgresClient.Configuration(connectionString: cluster.connectionString)
        configuration.acquireTimeout = .seconds(60)
        let client = PostgresClient(configuration)
        try await cluster.psql("CREATE TABLE t(id int)")
        let insert = Statement("INSERT INTO t VALUES ($1::int)")
        let isOver = Flag()
        let (acknowledged, unknown) = try await withThrowingTaskGroup(of: (Set<Int>, Set<Int>).self) { group in
            for task in 0..<8 {
                group.addTask {
                    var acknowledged: Set<Int> = []
                    var unknown: Set<Int> = []
                    var number = task * 1_000_000
                    while !isOver.isSet {
                        number += 1
                        do {
                            _ = try await client.transaction([Step(insert, [.text("\(number)")])])
                            acknowledged.insert(number)
                        } catch let error as PostgresError where error.kind == .outcomeUnknown {
                            unknown.insert(number)
                        } catch let error as PostgresError {
                            #expect(error.isRetrySafe, "\(error)")
                        }
                    }
                    return (acknowledged, unknown)
                }
            }
            group.addTask {
                for mode in [TestCluster.StopMode.fast, .immediate] {
                    try await Task.sleep(for: .milliseconds(200))
                    try await cluster.stop(mode)
                    try await cluster.startAgain()
                    _ = try await client.query(Self.point, ["1"])
                }
                isOver.set()
                return ([], [])
            }
            return try await group.reduce(into: (Set<Int>(), Set<Int>())) { all, some in
                all.0.formUnion(some.0)
                all.1.formUnion(some.1)
            }
        }
        let rows = try await client.query(Statement("SELECT id, count(*) FROM t GROUP BY id"))
        let there = Set((0..<rows.count).compactMap { rows.text($0, 0).flatMap { Int($0) } })
        #expect(acknowledged.isSubset(of: there), "an acknowledged write is lost")
        #expect(there.isSubset(of: acknowledged.union(unknown)), "a failed write is stored")
        #expect((0..<rows.count).allSatisfy { rows.text($0, 1) == "1" }, "a write is stored twice")
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `reads fail within seconds while the server is frozen, and succeed once it runs again`() async throws {
        let cluster = try await TestCluster.start()
        let client = PostgresClient(.init(connectionString: cluster.connectionString))
        try await eventually("there is a connection") {
            (try? await client.query(Self.point, ["1"])) != nil
        }
        try cluster.freeze()
        let start = ContinuousClock.now
        let reads = (0..<5).map { number in Task { try await client.query(Self.point, [.text("\(number)")]) } }
        for read in reads {
            let error = try await failure { try await read.value }
            #expect(error.isRetrySafe, "\(error)")
        }
        #expect(ContinuousClock.now - start < .seconds(25), "five seconds are promised; this machine may be busy")
        try cluster.thaw()
        try await eventually("calls succeed again") {
            (try? await client.query(Self.point, ["1"]).text(0, 0)) == "1"
        }
        await client.shutdown()
        try await cluster.stop()
    }

    @Test func `a long statement is not mistaken for a dead server`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.onEvent = { events.record($0) }
        } _: { client, _ in
            let rows = try await client.query(Statement("SELECT pg_sleep(6), 1"))
            #expect(rows.text(0, 1) == "1")
            #expect(events.losses == 0)
        }
    }

    @Test func `a wrong address or a malformed connection string fails with the reason`() async throws {
        var configuration = PostgresClient.Configuration(connectionString: "host=/nowhere/at/all dbname=x user=y")
        configuration.acquireTimeout = .milliseconds(300)
        let client = PostgresClient(configuration)
        let error = try await failure { try await client.query(Self.point, ["1"]) }
        #expect(error.kind == .unavailable && error.cause?.contains("/nowhere/at/all") == true)
        await client.shutdown()
        let unreadable = PostgresClient.Configuration(connectionString: "this is = not = one")
        let other = PostgresClient(unreadable)
        #expect(try await failure { try await other.query(Self.point, ["1"]) }.kind == .unavailable)
        await other.shutdown()
    }

    @Test func `connections past their maximum age are replaced without losing calls`() async throws {
        let events = EventRecorder<PostgresEvent>()
        try await withClient {
            $0.maxConnectionAge = .milliseconds(50)
            $0.poolSize = 2
            $0.onEvent = { events.record($0) }
        } _: { client, database in
            var number = 0
            try await eventually("several connections have been used") {
                number += 1
                let rows = try await client.query(Self.point, [.text("\(number)")])
                #expect(rows.text(0, 0) == "\(number)")
                return events.connects >= 4
            }
            #expect(events.losses == 0)
            try await eventually("the old connections are closed") { try await database.backends() <= 2 }
        }
    }
}
