import Glibc

/// Whether a host accepts connections at a port.
enum PortProbe {
    /// Why not, as the resolver or the socket says it; nil if it does. Blocks, for three seconds at most for each address.
    static func failure(_ host: String, _ port: Int) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { return "\(host): \(String(cString: gai_strerror(status)))" }
        defer { freeaddrinfo(list) }
        var reason = "no address"
        var next = list
        while let address = next?.pointee {
            next = address.ai_next
            guard let failure = failure(of: address) else { return nil }
            reason = failure
        }
        return "\(host), port \(port): \(reason)"
    }

    private static func failure(of address: addrinfo) -> String? {
        let descriptor = socket(address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return String(cString: strerror(errno)) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 3_000) == 1 else { return "no answer within 3 s" }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == 0 ? nil : String(cString: strerror(error))
    }
}
