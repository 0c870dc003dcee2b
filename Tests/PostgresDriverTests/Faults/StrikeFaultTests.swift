import Glibc
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@Suite("Faults that strike under load")
struct StrikeFaultTests {
    enum Strike: CaseIterable {
        /// `kill -9` of one backend: Postgres ends all the others and recovers.
        case backendKilled
        case backendsTerminated
        case connectionsReset
        case connectionsClosed
        case connectionsRefused
        /// The network swallows what clients send, so that some commits go unanswered.
        case answersLost
    }

    @Test("nothing acknowledged is lost, nothing is there twice, and reads recover at once", arguments: [1, 4])
    func underLoad(_ poolSize: Int) async throws {
        let cluster = try await TestCluster.start(settings: ["synchronous_commit": "on"])
        try await withFaultyWay(to: cluster) {
            $0.poolSize = poolSize
        } _: { client, database, proxy in
            let ledger = try await Ledger.open(on: database)
            let isOver = Flag()
            async let work: Void = ledger.keep(with: client, writers: 3, until: isOver)
            do {
                for strike in Strike.allCases {
                    let before = ledger.entries.acknowledged.count
                    try await eventually("writes go on before \(strike)") {
                        ledger.entries.acknowledged.count > before + 20
                    }
                    try await Self.strike(strike, database, proxy)
                    let taken = try await client.timeToRecover()
                    #expect(taken < .seconds(1) * indulgence, "\(strike): back after \(taken)")
                }
            } catch {
                isOver.set()
                throw error
            }
            isOver.set()
            await work
            try await ledger.check(database)
            let entries = ledger.entries
            #expect(entries.slowestRead < .seconds(5) * indulgence)
            #expect(entries.refused + entries.unknown.count > 0, "the faults were felt")
            let full = try await client.timeToFill(poolSize)
            #expect(full < .seconds(1) * indulgence, "full after \(full)")
            #expect(try await database.backends(where: "state LIKE 'idle in transaction%'") == 0)
        }
        try await cluster.stop()
    }

    /// Returns when Postgres is ready again.
    private static func strike(_ strike: Strike, _ database: TestDatabase, _ proxy: FaultProxy) async throws {
        switch strike {
        case .backendKilled:
            let backend = try await database.psql(
                """
                SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_type = 'client backend' LIMIT 1
                """)
            try kill(#require(pid_t(backend)), SIGKILL)
            try await eventually("Postgres has recovered") {
                let hasBegun = try database.cluster.log().contains("all server processes terminated; reinitializing")
                guard hasBegun else { return false }
                return (try? await database.psql("SELECT count(*) FROM ledger")) != nil
            }
        case .backendsTerminated: try await database.endBackends()
        case .connectionsReset: proxy.cut(.reset)
        case .connectionsClosed: proxy.cut(.close)
        case .connectionsRefused:
            try proxy.refuseConnections(true)
            proxy.cut(.reset)
            try await Task.sleep(for: .milliseconds(700))
            try proxy.refuseConnections(false)
        case .answersLost:
            proxy.set(toServer: .open, toClient: .silent)
            try await Task.sleep(for: .milliseconds(50))
            proxy.set(.open)
            proxy.cut(.reset)
        }
    }
}
