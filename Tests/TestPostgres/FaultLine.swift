import Foundation
import Glibc
import Synchronization
import TestSupport

/// What moves a `FaultProxy`'s bytes: one thread that polls all sockets.
final class FaultLine: Sendable {
    private struct Orders {
        var toServer = FaultProxy.Line.open
        var toClient = FaultProxy.Line.open
        var cut: FaultProxy.End?
        var listener: Int32
        var isEnding = false
        /// How many changes there have been, and how many of them the thread has carried out.
        var given = 0
        var carriedOut = 0
        var openConnections = 0
        var traffic = (sent: 0, received: 0)
    }

    let port: Int
    private let target: String
    private let orders: Mutex<Orders>
    /// Wakes the thread: the one end is written to, the other polled.
    private let bell: (ring: Int32, hear: Int32)

    init(to target: String) throws {
        self.target = target
        let (listener, port) = try listen(on: 0)
        self.port = port
        orders = Mutex(Orders(listener: listener))
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw TestEnvironmentError("no socket pair: errno \(errno)")
        }
        bell = (ends[1], ends[0])
    }

    deinit {
        close(bell.ring)
        close(bell.hear)
        orders.withLock { if $0.listener >= 0 { close($0.listener) } }
    }

    func start() throws {
        Thread.detachNewThread { self.run() }
    }

    func end() { change { $0.isEnding = true } }

    /// Returns when it holds: what is sent from then on meets the new line.
    func set(toServer: FaultProxy.Line, toClient: FaultProxy.Line) {
        carryOut { ($0.toServer, $0.toClient) = (toServer, toClient) }
    }

    /// Returns when it is done: what is sent from then on finds the connections cut.
    func cut(_ end: FaultProxy.End) { carryOut { $0.cut = end } }

    private func carryOut(_ body: (inout Orders) -> Void) {
        let number = orders.withLock { orders in
            body(&orders)
            orders.given += 1
            return orders.given
        }
        ring()
        while orders.withLock({ $0.carriedOut < number && !$0.isEnding }) { usleep(100) }
    }

    func refuseConnections(_ refuses: Bool) throws {
        try orders.withLock { orders in
            if refuses, orders.listener >= 0 {
                close(orders.listener)
                orders.listener = -1
            } else if !refuses, orders.listener < 0 {
                orders.listener = try listen(on: port).descriptor
            }
        }
        ring()
    }

    var openConnections: Int { orders.withLock { $0.openConnections } }
    var traffic: (sent: Int, received: Int) { orders.withLock { $0.traffic } }

    private func change(_ body: (inout Orders) -> Void) {
        orders.withLock { body(&$0) }
        ring()
    }

    private func ring() {
        var one: UInt8 = 1
        // A full buffer rings as well.
        _ = write(bell.ring, &one, 1)
    }

    // MARK: The thread

    private func run() {
        var connections: [FaultConnection] = []
        while true {
            let current = orders.withLock { orders in
                defer { orders.cut = nil }
                return orders
            }
            guard !current.isEnding else { break }
            for connection in connections {
                connection.toServer.line = current.toServer
                connection.toClient.line = current.toClient
                if let cut = current.cut { connection.cut(cut) }
            }
            orders.withLock { $0.carriedOut = current.given }
            let now = ContinuousClock.now
            var polled = [
                pollfd(fd: bell.hear, events: Int16(POLLIN), revents: 0),
                pollfd(fd: current.listener, events: Int16(POLLIN), revents: 0),
            ]
            var due: ContinuousClock.Instant?
            for connection in connections {
                polled += connection.interests(now)
                for time in [connection.toServer.due, connection.toClient.due] {
                    if let time, time > now { due = due.map { min($0, time) } ?? time }
                }
            }
            wait(for: &polled, until: due)
            var rung = [UInt8](repeating: 0, count: 64)
            while read(bell.hear, &rung, rung.count) > 0 {}
            if polled[1].revents != 0, let connection = accept(on: current.listener) {
                connection.toServer.line = current.toServer
                connection.toClient.line = current.toClient
                connections.append(connection)
            }
            let later = ContinuousClock.now
            for connection in connections { connection.move(later) }
            connections.removeAll { $0.isOver }
            let (open, sent, received) = connections.reduce((0, 0, 0)) { sum, each in
                (
                    sum.0 + (each.toServer.hasEnded ? 0 : 1), sum.1 + each.toServer.takeCount(),
                    sum.2 + each.toClient.takeCount()
                )
            }
            orders.withLock { orders in
                orders.openConnections = open
                orders.traffic.sent += sent
                orders.traffic.received += received
            }
        }
        for connection in connections { connection.cut(.close) }
    }

    private func wait(for polled: inout [pollfd], until due: ContinuousClock.Instant?) {
        guard let due else {
            poll(&polled, nfds_t(polled.count), -1)
            return
        }
        let left = Int(ContinuousClock.now.duration(to: due) / .microseconds(1))
        // Shorter than poll can wait.
        if left > 0, left < 1_000 { usleep(UInt32(left)) }
        poll(&polled, nfds_t(polled.count), Int32(clamping: left / 1_000))
    }

    private func accept(on listener: Int32) -> FaultConnection? {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let client = acceptClosed(listener, nil, nil, flags)
        guard client >= 0 else { return nil }
        var yes: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard let server = connectLocally(to: target) else {
            // The server is away: the connection ends as one to a host whose server is.
            FaultConnection.reset(client)
            return nil
        }
        return FaultConnection(client: client, server: server)
    }
}

/// Linux's accept4, which Glibc's module leaves out: a descriptor that no child ever inherits, from its first moment on.
private let acceptClosed:
    @convention(c) (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32) -> Int32 = {
        unsafeBitCast(
            dlsym(nil, "accept4"),
            to: (@convention(c) (
                Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32
            ) -> Int32).self)
    }()

private func listen(on port: Int) throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 256) == 0
                && getsockname(descriptor, address, &length) == 0
        }
    }
    guard isBound else {
        let code = errno
        close(descriptor)
        throw TestEnvironmentError("no port to listen on: errno \(code)")
    }
    return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
}

private func connectLocally(to path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
    guard isConnected, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}
