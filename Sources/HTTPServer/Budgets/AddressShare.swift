import Glibc

/// The clients that have one share of connections and memory: those of one IPv4 address, or of the first 64 bits of an
/// IPv6 address, since one customer of a provider can vary the rest.
struct AddressShare: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter address: nil for a Unix domain socket. All of its clients have one share.
    init(_ address: String?) {
        var bytes = in6_addr()
        guard let address,
            inet_pton(AF_INET6, address, &bytes) == 1 || inet_pton(AF_INET6, "::ffff:" + address, &bytes) == 1
        else {
            (high, low) = (0, 0)
            return
        }
        (high, low) = withUnsafeBytes(of: bytes) { bytes in
            let isIPv4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return (bytes.load(as: UInt64.self), isIPv4 ? bytes.load(fromByteOffset: 8, as: UInt64.self) : 0)
        }
    }
}
