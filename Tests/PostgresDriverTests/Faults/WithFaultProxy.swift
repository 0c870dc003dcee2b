import Foundation
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

/// How many times as long as promised a call may take in a test, because the machine may be busy.
let timeTolerance = 4

/// How often tests repeat what depends on chance: with `FAULT_ROUNDS=10` they run ten times as long.
let rounds = ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 1

/// Runs `body` with a client that connects to an empty database of its own through a fault proxy. Afterwards expects the
/// client to have closed every socket, and the server every backend.
func withFaultProxy(
    to cluster: TestCluster? = nil, _ change: (inout PostgresClient.Configuration) -> Void = { _ in },
    _ body: (PostgresClient, TestDatabase, FaultProxy) async throws -> Void
) async throws {
    let cluster = if let cluster { cluster } else { try await TestCluster.own() }
    let database = try await TestDatabase.create(migrated: false, on: cluster)
    let proxy = try FaultProxy(to: cluster)
    var configuration = PostgresClient.Configuration(connectionString: proxy.connectionString(to: database))
    configuration.shutdownGrace = .milliseconds(500)
    change(&configuration)
    let client = PostgresClient(configuration)
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(client, database, proxy))
    } catch {
        outcome = .failure(error)
    }
    await client.shutdown()
    try outcome.get()
    try await eventually("the client closes every socket") { proxy.openConnections == 0 }
    try await eventually("no backend is left") { try await database.backends() == 0 }
    try await database.drop()
}

extension PostgresClient {
    static let one = Statement("SELECT 1")

    /// Repeats a read until it succeeds, and returns how long that took.
    func timeToRecover() async throws -> Duration {
        let start = ContinuousClock.now
        try await eventually("calls succeed again") { (try? await query(Self.one).count) == 1 }
        return ContinuousClock.now - start
    }

    /// Leases that many connections at the same time, and returns how long it took until all were leased.
    func timeToFill(_ size: Int) async throws -> Duration {
        let start = ContinuousClock.now
        let held = LockedValue(0)
        return try await withThrowingTaskGroup { group in
            for _ in 0..<size {
                group.addTask {
                    try await self.withConnection { connection in
                        _ = try await connection.query(Self.one)
                        held.withLock { $0 += 1 }
                        try await eventually("all connections are leased") { held.value == size }
                        return ContinuousClock.now - start
                    }
                }
            }
            return try await group.reduce(.zero) { max($0, $1) }
        }
    }
}

/// Writes numbered rows during faults, and records what the client reported about each.
final class Ledger: Sendable {
    struct Entries {
        var acknowledged: Set<Int> = []
        /// Rows of unknown outcome: stored or not.
        var unknown: Set<Int> = []
        var failed = 0
        var reads = 0
        var failedReads = 0
        var slowestRead = Duration.zero
    }

    static let insert = Statement("INSERT INTO ledger VALUES ($1::int)")
    private let last = LockedValue(0)
    private let all = LockedValue(Entries())

    var entries: Entries { all.value }

    static func open(on database: TestDatabase) async throws -> Ledger {
        try await database.psql("CREATE TABLE ledger(id int)")
        return Ledger()
    }

    /// Writes with `writers` tasks and reads with as many until the flag is set.
    func run(with client: PostgresClient, writers: Int, until isOver: Flag) async {
        await withTaskGroup { group in
            for _ in 0..<writers {
                group.addTask { while !isOver.isSet { await self.write(with: client) } }
                group.addTask { while !isOver.isSet { await self.read(with: client) } }
            }
        }
    }

    private func write(with client: PostgresClient) async {
        let number = last.withLock { last in
            last += 1
            return last
        }
        do throws(PostgresError) {
            _ = try await client.transaction([Step(Self.insert, [.text("\(number)")])])
            all.withLock { _ = $0.acknowledged.insert(number) }
        } catch {
            all.withLock { entries in
                if error.kind == .outcomeUnknown {
                    entries.unknown.insert(number)
                } else {
                    entries.failed += 1
                }
            }
            #expect(error.isRetrySafe == (error.kind != .outcomeUnknown), "\(error)")
        }
    }

    private func read(with client: PostgresClient) async {
        let start = ContinuousClock.now
        do throws(PostgresError) {
            _ = try await client.query(PostgresClient.one)
            all.withLock { $0.reads += 1 }
        } catch {
            #expect(error.isRetrySafe, "\(error)")
            all.withLock { $0.failedReads += 1 }
        }
        let taken = ContinuousClock.now - start
        all.withLock { $0.slowestRead = max($0.slowestRead, taken) }
    }

    /// Expects every acknowledged row to be stored once, and no failed one.
    func check(_ database: TestDatabase, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let lines = try await database.psql("SELECT id FROM ledger").split(separator: "\n").compactMap { Int($0) }
        let stored = Set(lines)
        let entries = entries
        #expect(lines.count == stored.count, "a row is stored twice", sourceLocation: sourceLocation)
        #expect(
            entries.acknowledged.isSubset(of: stored), "an acknowledged row is lost", sourceLocation: sourceLocation)
        #expect(
            stored.isSubset(of: entries.acknowledged.union(entries.unknown)), "a failed row is stored",
            sourceLocation: sourceLocation)
    }
}
