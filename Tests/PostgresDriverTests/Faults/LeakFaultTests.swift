import TestPostgres
import TestSupport
import Testing

@testable import PostgresDriver

struct LeakFaultTests {
    static let nap = Statement("SELECT pg_sleep(0.05)")

    /// Weak references to every connection and request that was seen in use.
    @Reactor
    final class Census {
        private struct Entry {
            weak var object: AnyObject?
        }

        private var entries: [Entry] = []
        private(set) var connections = 0
        private(set) var requests = 0

        nonisolated init() {}

        func count(_ client: PostgresClient) {
            for connection in client.pool.connections {
                guard let connection else { continue }
                connections += 1
                entries.append(Entry(object: connection))
                for request in connection.sentRequests {
                    requests += 1
                    entries.append(Entry(object: request))
                }
            }
        }

        var alive: Int { entries.count { $0.object != nil } }
    }

    @Test func `hundreds of lost connections and their requests are freed`() async throws {
        try await withFaultProxy {
            $0.poolSize = 3
        } _: { client, database, proxy in
            _ = try await Ledger.open(on: database)
            let census = Census()
            for round in 0..<60 * rounds {
                await withTaskGroup { group in
                    for kind in 0..<6 { group.addTask { try? await Self.work(kind, client) } }
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
                    await census.count(client)
                    proxy.cut(round.isMultiple(of: 2) ? .reset : .close)
                }
            }
            let (connections, requests) = await (census.connections, census.requests)
            #expect(connections > 30 && requests > 30, "\(connections), \(requests)")
            _ = try await client.timeToRecover()
            await client.shutdown()
            try await eventually("every connection and request is freed") { await census.alive == 0 }
        }
    }

    private static func work(_ kind: Int, _ client: PostgresClient) async throws {
        switch kind {
        case 0: _ = try await client.query(nap)
        case 1: _ = try await client.transaction([Step(Ledger.insert, ["1"]), Step(nap)])
        case 2:
            try await client.withConnection { connection in
                try await connection.simpleQuery("BEGIN")
                _ = try await connection.query(nap)
            }
        case 3:
            for try await _ in client.copyOut("COPY (SELECT i FROM generate_series(1, 100000) i) TO STDOUT") {}
        case 4: _ = try await client.query(nap, deadline: .now + .milliseconds(10))
        default:
            let task = Task { try await client.query(nap) }
            await Task.yield()
            task.cancel()
            _ = try await task.value
        }
    }
}
