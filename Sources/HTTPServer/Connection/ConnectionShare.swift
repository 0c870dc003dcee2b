import NIOCore
import NIOHTTP1

/// One connection's part of the server's connections and memory. Isolated to the connection's event loop.
final class ConnectionShare {
    private let server: ServerState
    /// nil before the connection is open.
    private var connection: RegisteredConnection?
    private var isClosed = false
    /// Of the connection's other end.
    private var offLoop: OffLoopExecutor
    /// The IP address of the connection's other end.
    private(set) var remoteAddress: String?

    init(_ server: ServerState) {
        self.server = server
        offLoop = OffLoopExecutor(server.offLoop, for: AddressShare(nil))
    }

    /// - Parameter giveWay: ends the connection for another one; called on any thread.
    func open(_ address: String?, giveWay: @escaping ConnectionRegistry.GiveWay) {
        remoteAddress = address
        let part = AddressShare(address)
        offLoop = OffLoopExecutor(server.offLoop, for: part)
        connection = server.connections.open(
            part, isBounded: !server.configuration.trustedProxies.contains(address), giveWay: giveWay)
    }

    func close() {
        if let connection, !isClosed { server.connections.close(connection) }
        isClosed = true
    }

    func stayOpen() {
        if let connection { server.connections.stayedOpen(connection) }
    }

    /// Whether the connection may still be closed for another one's place.
    var givesWay: Bool { connection?.activity.givesWay(at: NIODeadline.now().uptimeNanoseconds) ?? true }

    func note(_ activity: ConnectionActivity) {
        connection?.note(activity)
    }

    /// The address of the client that sent a request: behind a trusted proxy not the connection's other end.
    func clientAddress(of head: HTTPRequestHead?) -> String? {
        let proxies = server.configuration.trustedProxies
        guard !proxies.isEmpty, let head else { return remoteAddress }
        return proxies.client(peer: remoteAddress, forwarded: head.headers[canonicalForm: "x-forwarded-for"])
    }

    /// Whether a program on this machine sent a request. It did not if a proxy may have: one on this machine connects from
    /// a loopback address as well.
    func isLocal(_ head: HTTPRequestHead) -> Bool {
        let configuration = server.configuration
        guard !configuration.isBehindProxy, configuration.trustedProxies.isEmpty, Self.isLoopback(remoteAddress) else {
            return false
        }
        return !Self.proxyHeaders.contains { head.headers.contains(name: $0) }
    }

    static func isLoopback(_ address: String?) -> Bool {
        guard let address else { return false }
        return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }

    /// The headers that proxies add to requests.
    private static let proxyHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-proto", "via"]

    /// Whether a trusted proxy sent a request and does not say who its client is.
    func hidesClient(of head: HTTPRequestHead?) -> Bool {
        let proxies = server.configuration.trustedProxies
        guard !proxies.isEmpty, let head else { return false }
        return proxies.hidesClient(peer: remoteAddress, forwarded: head.headers[canonicalForm: "x-forwarded-for"])
    }

    /// Runs the long computations of a request; the requests of one client have their turn together.
    /// - Parameter client: ``clientAddress(of:)`` of the request.
    func offLoop(for client: String?) -> OffLoopExecutor {
        guard !server.configuration.trustedProxies.isEmpty else { return offLoop }
        return OffLoopExecutor(server.offLoop, for: AddressShare(client))
    }

    // MARK: Memory

    /// Counts the body of a request that is being received.
    /// - Returns: false when there is no room for it.
    func reserve(for exchange: Exchange) -> Bool {
        let held = exchange.body.readableBytes
        guard held > ConnectionRegistry.uncountedBytes else { return true }
        let bytes = exchange.heldBytes - exchange.reservedBytes
        guard let claim = claim(exchange), server.connections.reserve(max(0, bytes), .received, for: claim) else {
            return false
        }
        exchange.reservedBytes += max(0, bytes)
        return true
    }

    /// The request is complete: its body now waits for the server.
    func clientFinished(_ exchange: Exchange) {
        guard exchange.reservedBytes > 0, let claim = claim(exchange) else { return }
        server.connections.clientFinished(claim)
    }

    func release(_ exchange: Exchange) {
        guard exchange.reservedBytes > 0, let claim = claim(exchange) else { return }
        server.connections.release(exchange.reservedBytes, .received, of: claim)
        exchange.reservedBytes = 0
    }

    /// - Returns: the claim by which unsent bytes are to be released; nil when there is no room for them.
    func reserveUnsent(_ bytes: Int, for exchange: Exchange) -> MemoryBudget.Claim? {
        guard !isClosed, let claim = claim(exchange), server.connections.reserve(bytes, .unsent, for: claim) else {
            return nil
        }
        return claim
    }

    func releaseUnsent(_ bytes: Int, _ claim: MemoryBudget.Claim) {
        server.connections.release(bytes, .unsent, of: claim)
    }

    /// Counts the bytes of a head that is not complete.
    /// - Returns: the claim by which they are to be released; nil when there is no room for them.
    func reserveHead(_ bytes: Int) -> MemoryBudget.Claim? {
        guard let connection else { return nil }
        let claim = MemoryBudget.Claim(connection: connection.id, address: connection.address, isAnonymous: true)
        return server.connections.reserve(bytes, .received, for: claim) ? claim : nil
    }

    func releaseHead(_ bytes: Int, _ claim: MemoryBudget.Claim) {
        server.connections.release(bytes, .received, of: claim)
    }

    private func claim(_ exchange: Exchange) -> MemoryBudget.Claim? {
        guard let connection else { return nil }
        let address =
            server.configuration.trustedProxies.isEmpty
            ? connection.address : AddressShare(clientAddress(of: exchange.head))
        return MemoryBudget.Claim(
            connection: connection.id, address: address,
            isAnonymous: exchange.admission(server.handler) != .authenticated)
    }
}
