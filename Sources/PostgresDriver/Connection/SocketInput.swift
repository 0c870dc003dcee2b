import CLibPQ
import Glibc

/// Reading all that a socket's readiness announced.
enum SocketInput {
    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// OpenSSL's count of decrypted bytes that nobody has read. By name, so that it is the OpenSSL that libpq uses,
    /// whichever that is.
    private static let pending = dlsym(nil, "SSL_pending").map { unsafeBitCast($0, to: Pending.self) }

    /// Reads what is there; false when the connection is gone.
    ///
    /// libpq reads as much as its buffer has room for, but TLS decrypts whole records of up to 16 kB. What is left of
    /// one lies in OpenSSL, where no poll sees it: it must be read until nothing is left.
    static func consume(_ raw: OpaquePointer) -> Bool {
        guard PQconsumeInput(raw) == 1 else { return false }
        while holdsBack(raw) {
            // Makes room: complete messages leave libpq's buffer.
            _ = PQisBusy(raw)
            guard PQconsumeInput(raw) == 1 else { return false }
        }
        return true
    }

    /// Whether the kernel has something that has not been read.
    static func isThere(on socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Whether bytes lie where the socket does not show them.
    static func holdsBack(_ raw: OpaquePointer) -> Bool {
        // Asked anew each time: libpq frees it when it gives the connection up.
        guard let tls = PQsslStruct(raw, "OpenSSL"), let pending else { return false }
        return pending(tls) > 0
    }

    /// Whether what is held back can be seen; it cannot with an OpenSSL that is linked statically into libpq.
    static func isComplete(_ raw: OpaquePointer) -> Bool {
        PQsslInUse(raw) == 0 || (pending != nil && PQsslStruct(raw, "OpenSSL") != nil)
    }
}
