import Glibc
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct LoadFaultTests {
    enum Fault: CaseIterable {
        /// `kill -9` of one backend: Postgres ends all the others and recovers.
        case backendKilled
        case backendsTerminated
        case connectionsReset
        case connectionsClosed
        case connectionsRefused
        /// The network drops responses, so that the outcome of some commits is unknown.
        case responsesLost
    }

    @Test(arguments: [1, 4])
    func `faults under load lose no acknowledged write, duplicate none, and reads recover`(_ poolSize: Int) async throws
    {
        let cluster = try await TestCluster.start(settings: ["synchronous_commit": "on"])
        try await withFaultProxy(to: cluster) {
            $0.poolSize = poolSize
        } _: { client, database, proxy in
            let ledger = try await Ledger.open(on: database)
            let isOver = Flag()
            async let work: Void = ledger.run(with: client, writers: 3, until: isOver)
            do {
                for fault in Fault.allCases {
                    let before = ledger.entries.acknowledged.count
                    try await eventually("writes are acknowledged before \(fault)") {
                        ledger.entries.acknowledged.count > before + 20
                    }
                    try await Self.inject(fault, database, proxy)
                    let taken = try await client.timeToRecover()
                    #expect(taken < .seconds(1) * timeTolerance, "\(fault): recovered after \(taken)")
                }
            } catch {
                isOver.set()
                throw error
            }
            isOver.set()
            await work
            try await ledger.check(database)
            let entries = ledger.entries
            #expect(entries.slowestRead < .seconds(5) * timeTolerance)
            #expect(entries.failed + entries.unknown.count > 0, "no call was affected by the faults")
            let full = try await client.timeToFill(poolSize)
            #expect(full < .seconds(1) * timeTolerance, "all connections leased after \(full)")
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
        }
        try await cluster.stop()
    }

    /// Returns when Postgres is ready again.
    private static func inject(_ fault: Fault, _ database: TestDatabase, _ proxy: FaultProxy) async throws {
        switch fault {
        case .backendKilled:
            try await eventually("Postgres ends all backends") {
                let hasBegun = try database.cluster.log().contains("all server processes terminated; reinitializing")
                guard !hasBegun else { return true }
                // One that is ending anyway takes no other with it.
                let backend = try? await database.psql(
                    """
                    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend' AND application_name <> 'psql' ORDER BY backend_start LIMIT 1
                    """)
                if let backend = backend.flatMap({ pid_t($0) }) { kill(backend, SIGKILL) }
                try await Task.sleep(for: .milliseconds(300))
                return false
            }
            try await eventually("Postgres has recovered") {
                (try? await database.psql("SELECT count(*) FROM ledger")) != nil
            }
        case .backendsTerminated: try await database.terminateBackends()
        case .connectionsReset: proxy.cut(.reset)
        case .connectionsClosed: proxy.cut(.close)
        case .connectionsRefused:
            try proxy.refuseConnections(true)
            proxy.cut(.reset)
            try await Task.sleep(for: .milliseconds(700))
            try proxy.refuseConnections(false)
        case .responsesLost:
            proxy.set(toServer: .normal, toClient: .blackHole)
            try await Task.sleep(for: .milliseconds(50))
            proxy.set(.normal)
            proxy.cut(.reset)
        }
    }
}
