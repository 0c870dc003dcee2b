import Foundation
import TestSupport
import Testing

/// An HAProxy before two instances, with the configuration of the package and other ports.
final class LoadBalancer: Sendable {
    let port: Int
    private let statusPort: Int
    private let process: LearnTrackProcess
    private let folder: TemporaryFolder

    static func start(before instances: [TestServer]) async throws -> LoadBalancer {
        let program = "/usr/sbin/haproxy"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestEnvironmentError("HAProxy is not installed: script/install tests installs it")
        }
        let example = LearnTrackProcess.projectRoot.appending(path: "packaging/haproxy.cfg")
        var configuration = try String(contentsOf: example, encoding: .utf8)
        let ports = try freePorts(2)
        let replaced = zip([8_081, 8_082, 8_080, 8_404], instances.map(\.port) + ports)
        for (documented, port) in replaced {
            try #require(configuration.contains("127.0.0.1:\(documented)\n"))
            configuration.replace("127.0.0.1:\(documented)\n", with: "127.0.0.1:\(port)\n")
        }
        let folder = try TemporaryFolder()
        try folder.write(configuration, to: "haproxy.cfg")
        let process = try LearnTrackProcess(["-db", "-f", folder.path + "/haproxy.cfg"], program: .installed(program))
        let balancer = LoadBalancer(port: ports[0], statusPort: ports[1], process, folder)
        try await balancer.waitUntil("one", "two", are: "UP")
        return balancer
    }

    private init(port: Int, statusPort: Int, _ process: LearnTrackProcess, _ folder: TemporaryFolder) {
        self.port = port
        self.statusPort = statusPort
        self.process = process
        self.folder = folder
    }

    /// Waits until HAProxy has this opinion of the instances.
    func waitUntil(_ instances: String..., are state: String) async throws {
        try await eventually("\(instances) are \(state); HAProxy: \(process.errors)", within: .seconds(20)) {
            if !process.isRunning { throw TestEnvironmentError("HAProxy has ended: \(process.errors)") }
            // It does not listen yet at first.
            guard let connection = try? HTTPConnection(port: statusPort) else { return false }
            let status = try await connection.lines(of: "/;csv")
            return instances.allSatisfy { name in
                status.contains {
                    let fields = $0.split(separator: ",", omittingEmptySubsequences: false)
                    return fields.count > 17 && fields[0] == "learntrack" && fields[1] == name && fields[17] == state
                }
            }
        }
    }

    /// Ports that no program listens on.
    private static func freePorts(_ count: Int) throws -> [Int] {
        // All are open at the same time, so that they differ.
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets { close(socket) } }
        return try sockets.map { socket in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let outcome = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
                }
            }
            guard outcome else { throw TestEnvironmentError("no free port: \(errno)") }
            return Int(in_port_t(bigEndian: address.sin_port))
        }
    }
}

extension HTTPConnection {
    /// The lines that a server answers until it closes the connection.
    fileprivate func lines(of path: String) async throws -> [String] {
        try await send("GET \(path) HTTP/1.0\r\n\r\n")
        var lines: [String] = []
        while let line = try await receive(upTo: "\n") { lines.append(line) }
        return lines
    }
}
