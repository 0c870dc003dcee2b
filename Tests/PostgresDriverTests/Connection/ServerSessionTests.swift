import Glibc
import TestPostgres
import TestSupport
import Testing

@testable import PostgresDriver

struct ServerSessionTests {
    private func connect(_ configuration: PostgresClient.Configuration) throws -> LibPQConnection {
        try Connector.connect(configuration).get()
    }

    @Test func `a session is reported as working, awaiting its client, or unknown`() async throws {
        try await withClient {
            $0.poolSize = 1
        } _: { client, database in
            let configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            let idle = try #require(
                try connect(configuration).session, "a session can be asked about after its connection was closed")
            let other = ServerSession(processID: idle.processID, server: "20000101000000000000")
            let gate = try await Gate.close(database)
            let task = Task { try await client.query(Gate.pass, ["1"]) }
            try await eventually("the read waits at the gate") { try await gate.hasWaiters() }
            let pid = try #require(
                Int32(
                    try await database.psql(
                        """
                        SELECT pid FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event = 'advisory'
                        """)))
            let busy = ServerSession(processID: pid, server: idle.server)
            let open = try connect(configuration)
            let waiting = try #require(open.session)
            try await eventually("the first session has ended") {
                try await database.backends(where: "pid = \(idle.processID)") == 0
            }
            var states = ServerSession.states(
                of: [idle, busy, waiting, other], within: .seconds(30), configuration)
            #expect(states == [idle: .awaitingClient, busy: .working, waiting: .awaitingClient])

            // The role and settings of the client do not matter.
            let role = "reader_\(database.name)"
            try await database.psql("CREATE ROLE \(role)")
            var restricted = configuration
            restricted.role = role
            states = ServerSession.states(of: [busy], within: .seconds(30), restricted)
            #expect(states == [busy: .working])
            try await database.psql("ALTER ROLE \(role) LOGIN")
            var stranger = configuration
            stranger.connectionString += " user=\(role)"
            states = ServerSession.states(of: [busy], within: .seconds(30), stranger)
            #expect(states == [:], "the sessions of another login are hidden")
            try await gate.open()
            _ = try await task.value
            try await database.psql("DROP ROLE \(role)")
            withExtendedLifetime(open) {}
        }
    }

    @Test func `a role that the server rejects is not mistaken for an unknown kind of server`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
            configuration.role = "postgres"
            #expect(try connect(configuration).session != nil)
            // Simulates another kind of server, without the functions that identify a session.
            try await database.psql(
                "REVOKE EXECUTE ON FUNCTION pg_catalog.pg_backend_pid() FROM public; CREATE ROLE plain_\(database.name)"
            )
            configuration.role = "plain_\(database.name)"
            #expect(try connect(configuration).session == nil, "the connection is usable, but without a session")
            try await database.psql("DROP ROLE plain_\(database.name)")
        }
    }
}

struct SocketSendStatusTests {
    @Test func `a full receiver shows unacknowledged bytes; other sockets show no age`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let sender = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0)
        defer {
            close(listener)
            close(sender)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #expect(bind(listener, address, size) == 0 && listen(listener, 1) == 0)
                #expect(getsockname(listener, address, &size) == 0)
                _ = connect(sender, address, size)
            }
        }
        #expect(SocketSendStatus(of: sender, .now) == SocketSendStatus())
        // The connection is never accepted, so the bytes are never read.
        let piece = [UInt8](repeating: 1, count: 64 << 10)
        var sent = 0
        for _ in 0..<1_000 {
            let count = send(sender, piece, piece.count, 0)
            guard count > 0 else { break }
            sent += count
        }
        usleep(100_000)
        let outgoing = SocketSendStatus(of: sender, .now)
        #expect(outgoing.unacknowledgedBytes > 0 && outgoing.unacknowledgedBytes <= sent)
        #expect(outgoing.unacknowledgedSince.map { ContinuousClock.now - $0 < .seconds(2) } ?? true)

        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(write(ends[0], piece, 100) == 100)
        let local = SocketSendStatus(of: ends[0], .now)
        #expect(local.unacknowledgedBytes > 0 && local.unacknowledgedSince == nil)
    }
}
