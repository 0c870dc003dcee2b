import CLibPQ
import Glibc

/// Reading everything that a socket's readiness announced.
enum SocketInput {
    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// OpenSSL's count of bytes that it has decrypted and libpq has not read. Looked up by name, so that it is the
    /// OpenSSL that libpq uses.
    private static let pending = dlsym(nil, "SSL_pending").map { unsafeBitCast($0, to: Pending.self) }

    /// Reads what is there; false when the connection is lost.
    ///
    /// libpq reads as much as its buffer has room for, but TLS decrypts whole records of up to 16 kB. What is left of a
    /// record stays in OpenSSL, where epoll does not see it, so it must be read at once.
    static func consume(_ raw: OpaquePointer) -> Bool {
        guard PQconsumeInput(raw) == 1 else { return false }
        while hasBufferedData(raw) {
            // Parses complete messages, which makes room in libpq's buffer.
            _ = PQisBusy(raw)
            guard PQconsumeInput(raw) == 1 else { return false }
        }
        return true
    }

    /// Whether OpenSSL holds bytes that the socket does not show.
    static func hasBufferedData(_ raw: OpaquePointer) -> Bool {
        // Looked up each time, because libpq frees it when it gives the connection up.
        guard let tls = PQsslStruct(raw, "OpenSSL"), let pending else { return false }
        return pending(tls) > 0
    }

    /// Whether `hasBufferedData` can be known. It cannot when OpenSSL is linked statically into libpq.
    static func canDetectBufferedData(_ raw: OpaquePointer) -> Bool {
        PQsslInUse(raw) == 0 || (pending != nil && PQsslStruct(raw, "OpenSSL") != nil)
    }
}

/// What a socket would do now. One that is broken would report that to a read and to a write.
struct SocketReadiness {
    /// The kernel holds input that has not been read.
    let isReadable: Bool
    /// The kernel takes tens of kilobytes at once: of TCP's buffer a third is free, of a Unix socket's three quarters.
    let isWritable: Bool

    init(of socket: Int32) {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN | POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, 0)
        let isBroken = Int32(descriptor.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
        isReadable = isBroken || Int32(descriptor.revents) & POLLIN != 0
        isWritable = isBroken || Int32(descriptor.revents) & POLLOUT != 0
    }
}

/// What the kernel knows about the bytes sent on a socket.
struct SocketSendStatus: Equatable {
    /// Bytes that the kernel holds: not sent yet, or not acknowledged by the peer's host.
    var unacknowledgedBytes = 0
    /// Since when the peer's host, which owes an acknowledgement, has sent no packet; nil when it owes none. A host with a
    /// full receive buffer says so repeatedly, so this instant keeps moving.
    var unacknowledgedSince: ContinuousClock.Instant?

    init() {}

    /// For a socket other than TCP's, only the number of bytes is known.
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
