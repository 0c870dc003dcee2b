/// A TCP proxy in front of a test cluster that simulates a bad network: delayed, slow, silent, or cut.
///
/// ```swift
/// let proxy = try FaultProxy(to: cluster)
/// let client = PostgresClient(.init(connectionString: proxy.connectionString(to: database)))
/// proxy.set(.blackHole)
/// ```
///
/// Each direction has its own condition. A change applies to open connections as well as to new ones. The proxy ends when
/// it is released.
package final class FaultProxy: Sendable {
    package enum Condition: Sendable, Equatable {
        case normal
        /// All bytes are lost without notice. A connection that has lost bytes stays silent even when the condition ends, as
        /// one does after its other end is gone.
        case blackHole
        /// All bytes arrive, but later by this time.
        case delayed(Duration)
        /// Bytes arrive one by one, so far apart that the receiver reads most of them alone.
        case bytewise
        case slow(bytesPerSecond: Int)
    }

    package enum Cut: Sendable {
        /// An orderly end, as by a server that closes the connection (FIN).
        case close
        /// A reset, as by a host that does not know the connection (RST).
        case reset
        /// No end at all: both sides keep the connection open, but all bytes are lost. New connections work.
        case halfOpen
        /// The proxy stops reading and writing, so that the buffers of the senders fill up. Another cut must follow. New
        /// connections work.
        case stall
    }

    package let port: Int
    private let relay: FaultRelay

    /// - Parameter cluster: one that this process has started.
    package init(to cluster: TestCluster) throws {
        relay = try FaultRelay(to: cluster.socketFolder + "/.s.PGSQL.5432")
        port = relay.port
        relay.start()
    }

    deinit { relay.end() }

    /// The connection string of `database` through this proxy. Servers that are running at the same time have different
    /// addresses, so the port alone does not identify one.
    package func connectionString(to database: TestDatabase) -> String {
        "host=127.0.0.1 port=\(port) user=postgres dbname=\(database.name) sslmode=disable"
    }

    /// Changes the condition of both directions. Bytes that are sent after the return are subject to it.
    package func set(_ condition: Condition) { set(toServer: condition, toClient: condition) }

    package func set(toServer: Condition, toClient: Condition) { relay.set(toServer: toServer, toClient: toClient) }

    /// The number of connections that their clients have not closed.
    package var openConnections: Int { relay.openConnections }

    /// The number of bytes that clients have sent and that have reached clients.
    package var traffic: (sent: Int, received: Int) { relay.traffic }

    /// Cuts every open connection. Returns when that is done.
    package func cut(_ cut: Cut) { relay.cut(cut) }

    /// Refuses new connections, or accepts them again. Open ones are not affected.
    package func refuseConnections(_ refuses: Bool) throws { try relay.refuseConnections(refuses) }
}
