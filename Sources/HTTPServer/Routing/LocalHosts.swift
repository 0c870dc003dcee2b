import NIOHTTP1

/// The hosts by which requests name this machine: addresses, `localhost`, and given names.
///
/// The owner of a web site can let its name resolve to an address of a visitor's machine or network (DNS rebinding). Its page
/// then reads what a server answers there, and its requests have that name as their host.
package struct LocalHosts: Sendable, Equatable {
    private let names: Set<String>

    /// - Parameter names: further hosts.
    package init(_ names: [String] = []) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether a request names one of these hosts.
    func areNamed(by head: HTTPRequestHead) -> Bool {
        let given = head.headers[canonicalForm: "host"]
        guard given.count == 1, let value = given.first, let host = HostHeader(value)?.host.lowercased() else {
            return false
        }
        return CertificateNames.address(host) != nil || host == "localhost" || host.hasSuffix(".localhost")
            || names.contains(host)
    }
}

/// The value of a `Host` header.
struct HostHeader {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    let host: Substring

    /// - Returns: nil if a port that is no number follows the host.
    init?(_ value: Substring) {
        let end = value.hasPrefix("[") ? value.firstIndex(of: "]").map(value.index(after:)) : value.firstIndex(of: ":")
        host = value[..<(end ?? value.endIndex)]
        let rest = value[host.endIndex...]
        guard rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
    }
}
