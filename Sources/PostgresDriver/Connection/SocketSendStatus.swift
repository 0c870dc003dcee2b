import Glibc

/// What the kernel knows of what was sent on a socket.
struct SocketSendStatus: Equatable {
    /// Bytes that it holds: not sent, or not acknowledged by the other end's host.
    var unacknowledgedBytes = 0
    /// Since when nothing has been heard of a host that owes an acknowledgement; nil when it owes none. A host that has
    /// no room says so again and again, and so is heard of.
    var unacknowledgedSince: ContinuousClock.Instant?
}

extension SocketSendStatus {
    /// Of a socket that is not TCP's, it is known how much it holds.
    init(of socket: Int32, _ now: ContinuousClock.Instant) {
        var held: Int32 = 0
        if ioctl(socket, UInt(TIOCOUTQ), &held) == 0 { unacknowledgedBytes = Int(held) }
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return }
        guard info.tcpi_unacked > 0 || info.tcpi_probes > 0 else { return }
        unacknowledgedSince = now - .milliseconds(info.tcpi_last_ack_recv)
    }
}
