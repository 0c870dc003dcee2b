import Glibc

/// The networks of the proxies that may set `X-Forwarded-For`.
package struct TrustedProxies: Sendable {
    /// An IPv4 or IPv6 address. IPv4 addresses are mapped to IPv6 (`::ffff:192.0.2.1`), so that both can be compared.
    private struct Address: Sendable {
        let bytes: [UInt8]
        let isIPv4: Bool

        init?(_ text: some StringProtocol) {
            let text = String(text)
            var bytes = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET6, text, &bytes) == 1 {
                self.bytes = bytes
                isIPv4 = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
                return
            }
            var four = [UInt8](repeating: 0, count: 4)
            guard inet_pton(AF_INET, text, &four) == 1 else { return nil }
            self.bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
            isIPv4 = true
        }
    }

    private struct Network: Sendable {
        let address: Address
        /// The length of the prefix, in bits of 128.
        let bits: Int

        /// Reads `10.0.0.0/8`, `fd00::/8` or a single address.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let address = Address(parts[0]), parts.count <= 2 else { return nil }
            self.address = address
            // The prefix of an IPv4 network that is written as IPv6 counts from the start of the IPv6 address.
            let isShort = address.isIPv4 && !parts[0].contains(":")
            guard parts.count == 2 else {
                bits = 128
                return
            }
            guard let given = Int(parts[1]), (0...(isShort ? 32 : 128)).contains(given) else { return nil }
            bits = isShort ? 96 + given : given
        }

        func contains(_ other: Address) -> Bool {
            let whole = bits / 8
            guard address.bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
            guard bits % 8 > 0 else { return true }
            return (address.bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - bits % 8) == 0
        }
    }

    private var networks: [Network] = []

    /// No proxy is trusted: the client is the connection's other end.
    package init() {}

    /// Returns nil when one of the texts is not an address or network.
    /// - Parameter texts: addresses and networks such as `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
    package init?(_ texts: [String]) {
        for text in texts {
            guard let network = Network(text) else { return nil }
            networks.append(network)
        }
    }

    package var isEmpty: Bool { networks.isEmpty }

    /// The address of the client that sent a request.
    ///
    /// Each proxy appends the address of its own client to the list. The list is read from its end, as long as the
    /// address that was read last is a trusted proxy's. Entries before the first untrusted address may be forged.
    /// - Parameters:
    ///   - peer: the connection's other end.
    ///   - forwarded: the entries of all `X-Forwarded-For` headers, in their order.
    func client(peer: String?, forwarded: some BidirectionalCollection<Substring>) -> String? {
        read(peer: peer, forwarded: forwarded).client
    }

    /// Whether a trusted proxy does not say who its client is: the address that is taken for the client's is the proxy's own.
    ///
    /// - Parameters: as those of ``client(peer:forwarded:)``.
    func hidesClient(peer: String?, forwarded: some BidirectionalCollection<Substring>) -> Bool {
        read(peer: peer, forwarded: forwarded).isHidden
    }

    private func read(
        peer: String?, forwarded: some BidirectionalCollection<Substring>
    ) -> (client: String?, isHidden: Bool) {
        guard !networks.isEmpty, var client = peer else { return (peer, false) }
        var rest = forwarded[...]
        guard !rest.isEmpty else { return (client, isTrusted(client)) }
        while isTrusted(client), let last = rest.popLast() {
            guard let address = Self.address(in: last) else { return (client, true) }
            client = address
        }
        return (client, false)
    }

    /// Whether the other end of a connection is a trusted proxy.
    func contains(_ peer: String?) -> Bool {
        guard !isEmpty, let peer else { return false }
        return isTrusted(peer)
    }

    private func isTrusted(_ text: String) -> Bool {
        guard let address = Address(text) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// The address of an entry, which may have a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(in entry: Substring) -> String? {
        var text = entry.trimmed
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            text = text[..<colon]
        }
        return Address(text) == nil ? nil : String(text)
    }
}
