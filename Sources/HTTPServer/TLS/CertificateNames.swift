import Glibc
import NIOSSL

/// The names and addresses that a certificate is for.
struct CertificateNames: Equatable, Sendable {
    /// In lower case; the first label may be `*`.
    private(set) var hosts: [String] = []
    /// The bytes of IPv4 and IPv6 addresses.
    private var addresses: [[UInt8]] = []

    init(hosts: [String] = [], addresses: [[UInt8]] = []) {
        self.hosts = hosts.map { $0.lowercased() }
        self.addresses = addresses
    }

    init(_ certificate: NIOSSLCertificate) {
        for name in certificate._subjectAlternativeNames() {
            switch name.nameType {
            case .dnsName:
                if let host = String(validating: name.contents, as: UTF8.self) { hosts.append(host.lowercased()) }
            case .ipAddress: addresses.append(Array(name.contents))
            default: break
            }
        }
    }

    /// The first host that is not a pattern.
    var firstHost: String? { hosts.first { !$0.hasPrefix("*") } }

    /// Whether the certificate is for `host`, a name, an IPv4 address or an IPv6 address in brackets.
    func cover(_ host: String) -> Bool {
        if let address = Self.address(host) { return addresses.contains(address) }
        let host = host.lowercased()
        return hosts.contains { name in
            guard name.hasPrefix("*.") else { return name == host }
            // A pattern stands for exactly one label.
            guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
            return host[dot...] == name.dropFirst()
        }
    }

    /// The bytes of `host` if it is an IPv4 address, or an IPv6 address in brackets.
    static func address(_ host: String) -> [UInt8]? {
        if host.hasPrefix("["), host.hasSuffix("]") {
            var bytes = [UInt8](repeating: 0, count: 16)
            return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &bytes) == 1 ? bytes : nil
        }
        var bytes = [UInt8](repeating: 0, count: 4)
        return inet_pton(AF_INET, host, &bytes) == 1 ? bytes : nil
    }
}
