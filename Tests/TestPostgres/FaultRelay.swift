import Foundation
import Glibc
import Synchronization
import TestSupport

/// The thread of a `FaultProxy`, which polls all sockets and relays the bytes.
final class FaultRelay: Sendable {
    private struct Commands {
        var toServer = FaultProxy.Condition.normal
        var toClient = FaultProxy.Condition.normal
        var cut: FaultProxy.Cut?
        var listener: Int32
        var isEnding = false
        /// The number of commands issued, and the number that the thread has executed.
        var issued = 0
        var executed = 0
        var openConnections = 0
        var traffic = (sent: 0, received: 0)
    }

    let port: Int
    private let target: String
    private let commands: Mutex<Commands>
    /// A socket pair that wakes the thread: one end is written to, the other polled.
    private let wakeup: (write: Int32, read: Int32)

    init(to target: String) throws {
        self.target = target
        let (listener, port) = try listen(on: 0)
        self.port = port
        commands = Mutex(Commands(listener: listener))
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw TestEnvironmentError("no socket pair: errno \(errno)")
        }
        wakeup = (ends[1], ends[0])
    }

    deinit {
        close(wakeup.write)
        close(wakeup.read)
        commands.withLock { if $0.listener >= 0 { close($0.listener) } }
    }

    func start() {
        Thread.detachNewThread { self.run() }
    }

    func end() { change { $0.isEnding = true } }

    /// Returns when the thread has applied the conditions.
    func set(toServer: FaultProxy.Condition, toClient: FaultProxy.Condition) {
        execute { ($0.toServer, $0.toClient) = (toServer, toClient) }
    }

    /// Returns when the thread has cut the connections.
    func cut(_ cut: FaultProxy.Cut) { execute { $0.cut = cut } }

    private func execute(_ body: (inout Commands) -> Void) {
        let number = commands.withLock { commands in
            body(&commands)
            commands.issued += 1
            return commands.issued
        }
        wake()
        while commands.withLock({ $0.executed < number && !$0.isEnding }) { usleep(100) }
    }

    func refuseConnections(_ refuses: Bool) throws {
        try commands.withLock { commands in
            if refuses, commands.listener >= 0 {
                close(commands.listener)
                commands.listener = -1
            } else if !refuses, commands.listener < 0 {
                commands.listener = try listen(on: port).descriptor
            }
        }
        wake()
    }

    var openConnections: Int { commands.withLock { $0.openConnections } }
    var traffic: (sent: Int, received: Int) { commands.withLock { $0.traffic } }

    private func change(_ body: (inout Commands) -> Void) {
        commands.withLock { body(&$0) }
        wake()
    }

    private func wake() {
        var one: UInt8 = 1
        // When the buffer is full, the thread wakes up anyway.
        _ = write(wakeup.write, &one, 1)
    }

    // MARK: On the thread

    private func run() {
        var connections: [FaultConnection] = []
        while true {
            let current = commands.withLock { commands in
                defer { commands.cut = nil }
                return commands
            }
            guard !current.isEnding else { break }
            for connection in connections {
                connection.toServer.condition = current.toServer
                connection.toClient.condition = current.toClient
                if let cut = current.cut { connection.cut(cut) }
            }
            commands.withLock { $0.executed = current.issued }
            let now = ContinuousClock.now
            var polled = [
                pollfd(fd: wakeup.read, events: Int16(POLLIN), revents: 0),
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
            var drained = [UInt8](repeating: 0, count: 64)
            while read(wakeup.read, &drained, drained.count) > 0 {}
            if polled[1].revents != 0, let connection = accept(on: current.listener) {
                connection.toServer.condition = current.toServer
                connection.toClient.condition = current.toClient
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
            commands.withLock { commands in
                commands.openConnections = open
                commands.traffic.sent += sent
                commands.traffic.received += received
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
        // poll waits for whole milliseconds only.
        if left > 0, left < 1_000 { usleep(UInt32(left)) }
        poll(&polled, nfds_t(polled.count), Int32(clamping: left / 1_000))
    }

    private func accept(on listener: Int32) -> FaultConnection? {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let client = accept4(listener, nil, nil, flags)
        guard client >= 0 else { return nil }
        var yes: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard let server = connectLocally(to: target) else {
            // The server does not run: the client sees a reset.
            FaultConnection.reset(client)
            return nil
        }
        return FaultConnection(client: client, server: server)
    }
}

/// accept4, which the Glibc module does not import. Unlike accept followed by fcntl it never leaks the descriptor to a child.
private let accept4:
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
