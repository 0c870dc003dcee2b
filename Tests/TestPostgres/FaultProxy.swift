/// A TCP port that leads to a test cluster over a line that can be made bad: late, silent, byte by byte, slow, cut.
///
/// Each way (to the server, to the client) has its own quality, which may change at any moment and then holds for
/// connections that are open as well as for new ones.
package final class FaultProxy: Sendable {
    package enum Line: Sendable, Equatable {
        case open
        /// What is sent is lost and nobody is told. A connection that has lost something stays silent for ever, as one
        /// does whose other end has gone.
        case silent
        /// Everything arrives, but so much later.
        case late(Duration)
        /// One byte at a time, far enough apart that whoever reads sees most of them alone.
        case bytewise
        case slow(bytesPerSecond: Int)
    }

    package let port: Int
    private let line: FaultLine

    /// - Parameter cluster: one of this process's own.
    package init(to cluster: TestCluster) throws {
        line = try FaultLine(to: cluster.socketFolder + "/.s.PGSQL.5432")
        port = line.port
        try line.start()
    }

    deinit { line.end() }

    /// Leads to `database` over this proxy. Two servers at once cannot be told apart by their port alone.
    package func connectionString(to database: TestDatabase) -> String {
        "host=127.0.0.1 port=\(port) user=postgres dbname=\(database.name) sslmode=disable"
    }

    /// Changes the quality of both ways.
    package func set(_ both: Line) { set(toServer: both, toClient: both) }

    package func set(toServer: Line, toClient: Line) { line.set(toServer: toServer, toClient: toClient) }

    /// Connections whose client has not closed them.
    package var openConnections: Int { line.openConnections }

    /// Bytes that clients have sent and bytes that have reached them.
    package var traffic: (sent: Int, received: Int) { line.traffic }

    package enum End: Sendable {
        /// In good order, as by a server that closes (FIN).
        case close
        /// As by a host that knows nothing of the connection any more (RST).
        case reset
        /// Not at all: both ends believe it open, and nothing gets through. New connections are not affected.
        case forget
        /// Nothing is taken any more from either end, and nothing given: whoever sends fills the buffers in between. To be
        /// ended by another cut. New connections are not affected.
        case stall
    }

    /// Ends every connection that is open.
    package func cut(_ end: End) { line.cut(end) }

    /// Refuses new connections, or takes them again. Open ones are not affected.
    package func refuseConnections(_ refuses: Bool) throws { try line.refuseConnections(refuses) }
}
