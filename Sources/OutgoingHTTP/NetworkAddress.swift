/// An IPv4 or IPv6 address, as its bytes: four or sixteen.
package struct NetworkAddress: Sendable, Equatable {
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Whether the address is one of the public internet: not of this machine, of a private network, of a cloud's metadata
    /// service, of a group, or reserved (the registries of special-purpose addresses, RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.reserved.contains { $0.contains(bytes) } }
        // IPv4 addresses inside IPv6: mapped, compatible and NAT64 (RFC 4291, RFC 6052), and 6to4 (RFC 3056).
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if bytes.starts(with: mapped) || bytes.starts(with: translated) {
            return NetworkAddress(Array(bytes[12...]))?.isPublic ?? false
        }
        if bytes.starts(with: [0x20, 0x02]) { return NetworkAddress(Array(bytes[2..<6]))?.isPublic ?? false }
        // Of the global unicast addresses, 2000::/3, these are special.
        return bytes[0] & 0xE0 == 0x20 && !Self.reservedIPv6.contains { $0.contains(bytes) }
    }

    private struct Network {
        let start: [UInt8]
        let bits: Int

        func contains(_ bytes: [UInt8]) -> Bool {
            for (index, byte) in start.enumerated() {
                let used = min(8, max(0, bits - 8 * index))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> used)
                if bytes[index] & mask != byte & mask { return false }
            }
            return true
        }
    }

    private static let reserved = [
        Network(start: [0], bits: 8), Network(start: [10], bits: 8), Network(start: [100, 64], bits: 10),
        Network(start: [127], bits: 8), Network(start: [169, 254], bits: 16), Network(start: [172, 16], bits: 12),
        Network(start: [192, 0, 0], bits: 24), Network(start: [192, 0, 2], bits: 24),
        Network(start: [192, 88, 99], bits: 24), Network(start: [192, 168], bits: 16),
        Network(start: [198, 18], bits: 15), Network(start: [198, 51, 100], bits: 24),
        Network(start: [203, 0, 113], bits: 24), Network(start: [224], bits: 4), Network(start: [240], bits: 4),
    ]
    private static let reservedIPv6 = [
        // Protocol assignments with Teredo, documentation.
        Network(start: [0x20, 0x01, 0x00], bits: 23), Network(start: [0x20, 0x01, 0x0D, 0xB8], bits: 32),
        Network(start: [0x3F, 0xFF], bits: 20),
    ]
}
