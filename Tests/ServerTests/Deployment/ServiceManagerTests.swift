import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// What the server tells systemd.
@Suite struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func `the service manager is told when the server is ready, that it works, and that it stops`(
        isAbstract: Bool
    ) async throws {
        let socket = try NotificationSocket(isAbstract: isAbstract)
        let server = try await TestServer.start(
            environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "300000"])
        try await eventually("it is ready, and works again and again") {
            let received = try socket.receive()
            return received.contains { $0.hasPrefix("READY=1\nSTATUS=Serving on http://127.0.0.1:\(server.port)") }
                && received.count { $0 == "WATCHDOG=1" } >= 3
        }
        #expect(try socket.receive().allSatisfy { !$0.contains("STOPPING") })
        #expect(try await server.stop() == 0)
        #expect(try socket.receive().contains { $0.hasPrefix("STOPPING=1") })
    }

    @Test func `a server without a watchdog sends no sign of life, and one without a manager serves as well`()
        async throws
    {
        let socket = try NotificationSocket(isAbstract: false)
        let server = try await TestServer.start(
            environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
        try await eventually("it is ready") { try !socket.receive().isEmpty }
        #expect(try await server.stop() == 0)
        #expect(try socket.receive().allSatisfy { $0 != "WATCHDOG=1" })

        let alone = try await TestServer.start(environment: ["NOTIFY_SOCKET": "/nowhere/notify"])
        #expect(try await alone.client().call("auth.me")["email"] == .string(TestServer.admin))
        #expect(try await alone.stop() == 0)
    }

    @Test func `a reload without a certificate is announced and changes nothing`() async throws {
        let socket = try NotificationSocket(isAbstract: false)
        let server = try await TestServer.start(environment: ["NOTIFY_SOCKET": socket.name])
        try server.process.signal(SIGHUP)
        try await eventually("the reload has begun and ended") {
            let received = try socket.receive()
            guard let begun = received.firstIndex(where: { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }) else {
                return false
            }
            return received[begun...].contains("READY=1")
        }
        #expect(try await server.client().call("auth.me")["email"] == .string(TestServer.admin))
        #expect(try await server.stop() == 0)
    }
}

/// The socket of a service manager, which receives a datagram for each state.
private final class NotificationSocket {
    /// As `NOTIFY_SOCKET` has it.
    let name: String
    private let descriptor: Int32
    private let folder: TemporaryFolder
    private var received: [String] = []

    /// - Parameter isAbstract: whether the socket has a name without a file.
    init(isAbstract: Bool) throws {
        folder = try TemporaryFolder()
        let path = folder.path + "/notify"
        name = isAbstract ? "@" + path : path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw TestEnvironmentError("no socket at \(path): \(errno)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw TestEnvironmentError("no socket at \(path): \(errno)") }
    }

    deinit { close(descriptor) }

    /// All datagrams so far.
    func receive() throws -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { return received }
            received.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
