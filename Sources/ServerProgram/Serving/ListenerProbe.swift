import Glibc

/// Whether this process can listen on an address. Asked before the database is touched, so that a mistyped host shows at once.
struct ListenerProbe {
    let host: String
    let port: Int
    /// The settings that the address is from.
    var hostSetting = "--host"
    var portSetting = "--port"

    /// - Throws: the reason as the resolver or the socket has it, with the remedy.
    func check() throws(CommandError) {
        do throws(ListenerError) {
            try examine()
        } catch {
            throw CommandError("\(error.description): \(error.remedy)")
        }
    }

    func examine() throws(ListenerError) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        // The server takes the first address, too.
        guard status == 0, let address = list?.pointee else {
            throw ListenerError(
                "\(hostSetting): '\(host)' is no address and no known name (\(String(cString: gai_strerror(status))))",
                remedy: "give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { throw error(errno) }
        defer { close(descriptor) }
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else { throw error(errno) }
    }

    /// Whether one socket cannot listen while one of the other address does.
    func overlaps(_ other: ListenerProbe) -> Bool {
        guard port == other.port, port != 0 else { return false }
        let (one, two) = (address ?? host, other.address ?? other.host)
        func isAll(_ all: String, _ address: String) -> Bool {
            all == "::" || all == "0.0.0.0" && !address.contains(":")
        }
        return one == two || isAll(one, two) || isAll(two, one)
    }

    /// The first address of the host, as digits; nil if there is none.
    private var address: String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let first = list?.pointee else { return nil }
        defer { freeaddrinfo(list) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            first.ai_addr, first.ai_addrlen, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST))
        guard status == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func error(_ code: Int32) -> ListenerError {
        switch code {
        case EADDRINUSE:
            ListenerError(
                "\(portSetting): another program uses port \(port) of \(host) ('ss -ltnp' names it)",
                remedy: "end it, or give another port", isInUse: true)
        case EADDRNOTAVAIL:
            ListenerError(
                "\(hostSetting): \(host) is no address of this machine ('ip address' shows them)",
                remedy: "give one, or 0.0.0.0 for all")
        case EACCES:
            ListenerError(
                "\(portSetting): this account may not listen on port \(port)",
                remedy:
                    "give one from 1024 on, or the process the capability CAP_NET_BIND_SERVICE (docs/operations.md, HTTPS)"
            )
        default:
            ListenerError(
                "cannot listen on \(host), port \(port) (\(String(cString: strerror(code))))",
                remedy: "give another address or port")
        }
    }
}

/// Why a process cannot listen on an address, and what to do about it.
struct ListenerError: Error, Sendable {
    let description: String
    let remedy: String
    let isInUse: Bool

    init(_ description: String, remedy: String, isInUse: Bool = false) {
        self.description = description
        self.remedy = remedy
        self.isInUse = isInUse
    }
}
