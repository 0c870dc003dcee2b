import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct CancellationFaultTests {
    static let echo = Statement("SELECT $1::int")
    static let nap = Statement("SELECT pg_sleep($1::float), $2::int")
    static let insert = Statement("INSERT INTO ledger VALUES ($1::int)")

    /// How the calls ended.
    struct Tally {
        var acknowledged: Set<Int> = []
        var cancelled = 0
        var completed = 0
    }

    @Test func `a statement is cancelled while its rows arrive`() async throws {
        try await withFaultProxy { client, database, _ in
            // Reading all rows would take many times as long as this test allows.
            let isActive = "state = 'active' AND query LIKE '%series%'"
            let many = Statement("SELECT repeat('x', 100) FROM generate_series(1, 50000000)")
            try await client.withConnection { connection in
                let task = Task { try await connection.query(many) }
                try await eventually("rows arrive") { try await database.backends(where: "query LIKE '%series%'") > 0 }
                let start = ContinuousClock.now
                task.cancel()
                let error = try await failure { try await task.value }
                #expect(error.kind == .cancelled)
                let taken = ContinuousClock.now - start
                #expect(taken < .seconds(1) * timeTolerance, "ended after \(taken)")
                let one = try await connection.query(PostgresClient.one)
                #expect(one.count == 1)
            }
            let late = try await failure(atDeadlineWhile: { try await database.backends(where: isActive) > 0 }) {
                try await client.query(many, deadline: $0)
            }
            #expect(late.kind == .timeout)
            try await eventually("the statement has ended on the server") {
                try await database.backends(where: isActive) == 0
            }
        }
    }

    @Test(arguments: [2, 4])
    func `thousands of cancelled calls affect no other call and leave every connection clean`(_ poolSize: Int)
        async throws
    {
        try await withFaultProxy {
            $0.poolSize = poolSize
            $0.acquireTimeout = .seconds(60)
        } _: { client, database, _ in
            try await database.psql("CREATE TABLE ledger(id int)")
            let isOver = Flag()
            // Calls that are not cancelled: each must get its own result.
            let neighbours = Task {
                var number = 0
                while !isOver.isSet {
                    number += 1
                    #expect(try await client.query(Self.echo, [.text("\(number)")]).text(0, 0) == "\(number)")
                    if number % 16 == 0 {
                        let rows = try await client.transaction([Step(Self.nap, ["0.001", .text("\(number)")])])
                        #expect(rows[0].text(0, 1) == "\(number)")
                    }
                }
                return number
            }
            let tally = LockedValue(Tally())
            let count = 1_000 * rounds
            let next = LockedValue(0)
            await withTaskGroup { group in
                for _ in 0..<24 {
                    group.addTask {
                        while let number = next.withLock({ next in
                            next < count
                                ? {
                                    next += 1; return next
                                }() : nil
                        }) {
                            await Self.cancelSomewhere(number, client, tally)
                        }
                    }
                }
            }
            isOver.set()
            #expect(try await neighbours.value > 0)
            let full = try await client.timeToFill(poolSize)
            #expect(full < .seconds(1) * timeTolerance, "all connections leased after \(full)")
            let (cancelled, completed) = tally.withLock { ($0.cancelled, $0.completed) }
            #expect(cancelled > 0 && completed > 0, "\(cancelled) were cancelled, \(completed) were not")
            try await eventually("no statement is active") {
                try await database.backends(where: "state = 'active'") == 0
            }
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
            #expect(try await database.backends() <= poolSize)
            let stored = try await database.psql("SELECT id FROM ledger").split(separator: "\n").compactMap { Int($0) }
            #expect(Set(stored).count == stored.count, "a row is stored twice")
            #expect(
                Set(stored) == tally.withLock { $0.acknowledged },
                "cancelled transactions are undone, all others stored")
        }
    }

    @Test func `a delayed cancel request cancels no later statement`() async throws {
        try await withFaultProxy {
            $0.poolSize = 1
            $0.acquireTimeout = .seconds(60)
        } _: { client, database, proxy in
            _ = try await client.timeToFill(1)
            let isOver = Flag()
            let neighbours = Task {
                var number = 0
                while !isOver.isSet {
                    number += 1
                    #expect(try await client.query(Self.echo, [.text("\(number)")]).text(0, 0) == "\(number)")
                    _ = try await client.transaction([Step(Self.echo, [.text("\(number)")])])
                }
                return number
            }
            // The request can arrive after its statement has ended, since the response is delayed as well.
            proxy.set(.delayed(.milliseconds(30)))
            for number in 0..<12 * rounds {
                let call = Task { try await client.query(Self.nap, ["0.05", .text("\(number)")]) }
                try await Task.sleep(for: .milliseconds(number % 12 * 15))
                call.cancel()
                _ = await call.result
            }
            isOver.set()
            #expect(try await neighbours.value > 0)
            proxy.set(.normal)
            try await eventually("no statement is active") {
                try await database.backends(where: "state = 'active'") == 0
            }
        }
    }

    @Test func `shutdown waits for a cancel request in flight`() async throws {
        try await withFaultProxy {
            $0.poolSize = 1
            $0.shutdownGrace = .seconds(60)
        } _: { client, database, proxy in
            let call = Task { try await client.query(Self.nap, ["600", "1"]) }
            try await eventually("the statement runs") { try await database.isSleeping() }
            proxy.set(.delayed(.seconds(4)))
            call.cancel()
            _ = await call.result
            try await eventually("the cancel request is in flight") { proxy.openConnections == 2 }
            // The statement ends while the cancel request is in flight.
            try await database.terminateBackends()
            await client.shutdown()
            try await eventually("every connection is closed", within: .seconds(2)) { proxy.openConnections == 0 }
        }
    }

    /// Makes a quick or slow read, transaction or lease, and cancels it at a random moment.
    private static func cancelSomewhere(
        _ number: Int, _ client: PostgresClient, _ tally: LockedValue<Tally>
    ) async {
        let call = Task {
            let id = Parameter.text("\(number)")
            switch number % 8 {
            case 0, 1, 2: _ = try await client.query(echo, [id])
            case 3: _ = try await client.query(nap, ["0.01", id])
            case 4: _ = try await client.query(nap, ["10", id])
            case 5: _ = try await client.transaction([Step(insert, [id])])
            case 6: _ = try await client.transaction([Step(insert, [id]), Step(nap, ["0.01", id])])
            default:
                try await client.withConnection { connection in
                    try await connection.simpleQuery("BEGIN")
                    _ = try await connection.query(nap, ["0.002", id])
                    try await connection.simpleQuery("ROLLBACK")
                }
            }
        }
        switch number % 5 {
        case 0: break
        case 1: for _ in 0..<Int.random(in: 1...50) { await Task.yield() }
        default: await pause(upTo: number % 8 == 4 ? 20_000 : 8_000)
        }
        // Slow calls are always cancelled.
        if number % 8 == 4 || number % 7 != 0 { call.cancel() }
        let result = await call.result
        tally.withLock { tally in
            switch result {
            case .success:
                tally.completed += 1
                if number % 8 == 5 || number % 8 == 6 { tally.acknowledged.insert(number) }
            case .failure(let error as PostgresError):
                tally.cancelled += 1
                #expect(error.kind == .cancelled && error.isRetrySafe, "\(error)")
            case .failure(let error): Issue.record(error)
            }
        }
    }

    private static func pause(upTo microseconds: Int) async {
        // Never throws: the task that runs this is not cancelled.
        try? await Task.sleep(for: .microseconds(Int.random(in: 0...microseconds)))
    }
}
