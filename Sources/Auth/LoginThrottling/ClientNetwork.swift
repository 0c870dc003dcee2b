import Glibc

/// The network of a client, by which attempts are counted: an IPv4 address, or the first 64 bits of an IPv6 address,
/// since one customer of a provider can vary the rest.
enum ClientNetwork {
    /// The network of `address`, one text for all its spellings. A text that is not an address is returned unchanged.
    static func of(_ address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
