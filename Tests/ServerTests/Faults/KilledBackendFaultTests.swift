import DomainKit
import Glibc
import JSON
import TestPostgres
import TestSupport
import Testing

/// operations.md, "What already held": kills of backends under sixteen writers.
@Suite struct KilledBackendFaultTests {
    private static let writers = 16
    private static let kills = 3

    /// What the writers know.
    private struct Ledger {
        var sent = 0
        var acknowledged: Set<String> = []
        var unknown: Set<String> = []
        var others: [String] = []
    }

    @Test
    func `while backends are killed under sixteen writers, no acknowledged row is lost and none is written twice`()
        async throws
    {
        let cluster = try await TestCluster.start(settings: ["synchronous_commit": "on"])
        let database = try await TestDatabase.create(migrated: true, on: cluster)
        let server = try await TestServer.start(database: database)
        let ledger = LockedValue(Ledger())
        let isOver = Flag()
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.writers {
                let client = try await server.client()
                group.addTask { while !isOver.isSet { try await Self.write(client, ledger) } }
            }
            do {
                for round in 1...Self.kills {
                    let before = ledger.withLock { $0.acknowledged.count }
                    try await eventually("writes are acknowledged") {
                        ledger.withLock { $0.acknowledged.count } > before + 50
                    }
                    try await Self.killBackend(database, round)
                }
                let before = ledger.withLock { $0.acknowledged.count }
                let start = ContinuousClock.now
                try await eventually("writes are acknowledged again") {
                    ledger.withLock { $0.acknowledged.count } > before + 20
                }
                #expect(ContinuousClock.now - start < .seconds(1) * DatabaseFaultTests.indulgence)
            } catch {
                isOver.set()
                throw error
            }
            isOver.set()
            try await group.waitForAll()
        }
        let known = ledger.value
        let stored = try await database.psql("SELECT ref_contrat FROM sessions").split(separator: "\n").map(String.init)
        #expect(known.others == [])
        #expect(Set(stored).count == stored.count, "a row was written twice")
        #expect(known.acknowledged.isSubset(of: stored))
        #expect(Set(stored).isSubset(of: known.acknowledged.union(known.unknown)))
        #expect(try await server.stop() == 0)
        try await cluster.stop()
    }

    private static func write(_ client: RPCClient, _ ledger: LockedValue<Ledger>) async throws {
        let mark = ledger.withLock { ledger in
            ledger.sent += 1
            return "k\(ledger.sent)"
        }
        let values = JSONValue.merging(Fixtures.session([("ref_contrat", .string(mark))]))
        let answer = try await client.response("sessions.create", ["values": values, "select": "{ id }"])
        ledger.withLock { ledger in
            if answer["result"] != nil {
                ledger.acknowledged.insert(mark)
            } else if answer.at("/error/data/code") == "outcome_unknown" {
                ledger.unknown.insert(mark)
            } else if answer.at("/error/data/retryable") != true {
                ledger.others.append(answer.json)
            }
        }
    }

    /// Kills a process of Postgres with SIGKILL. Postgres then ends all the others and recovers; returns when it has.
    private static func killBackend(_ database: TestDatabase, _ round: Int) async throws {
        let backend = try await database.psql(
            """
            SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'learntrack_admin %'
                AND backend_type = 'client backend' ORDER BY state = 'active' DESC LIMIT 1
            """)
        kill(try #require(pid_t(backend)), SIGKILL)
        try await eventually("Postgres has recovered") {
            let log = try database.cluster.log()
            guard log.split(separator: "\n").count(where: { $0.contains("reinitializing") }) >= round else {
                return false
            }
            return (try? await database.psql("SELECT 1")) == "1"
        }
    }
}
