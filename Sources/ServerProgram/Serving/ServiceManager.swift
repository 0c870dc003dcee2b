import Glibc

/// The service manager that has started this process, by the protocol of systemd's `sd_notify(3)`: a datagram for each
/// state, to the socket that `NOTIFY_SOCKET` names. Without that variable all calls do nothing.
struct ServiceManager: Sendable {
    private let socketPath: String?
    /// How often the manager wants to hear that the server still works; nil: it does not watch it.
    let watchdogInterval: Duration?

    /// - Parameter environment: of the process, as the manager has set it.
    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        // The variables may be those of a process above this one.
        let isForThisProcess = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isForThisProcess && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    var isThere: Bool { socketPath != nil }

    /// - Parameter status: a line for people, which `systemctl status` shows.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    func stopping() { send("STOPPING=1\nSTATUS=Finishing the calls in progress") }

    func works() { send("WATCHDOG=1") }

    /// Runs `reload` between the announcements of its beginning and its end.
    func reloading(_ reload: () -> Void) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000)")
        reload()
        send("READY=1")
    }

    /// A manager that does not take the datagram does not keep the server from serving: there is no error to handle.
    private func send(_ state: String) {
        guard let socketPath else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketPath.utf8)
        // An abstract socket has a null byte in the place of the `@`.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(state.utf8)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
