import FoundationEssentials

/// Which hosts requests may go to: those with public addresses, by https; and named ones, by http too.
package struct OutgoingHosts: Sendable {
    /// `host` or `host:port`, in lower case.
    private let named: Set<String>

    /// - Parameter named: hosts, with or without a port, whose addresses need not be public.
    package init(named: [String] = []) {
        self.named = Set(named.map { $0.lowercased() })
    }

    /// Where a request goes.
    package struct Target: Sendable, Equatable {
        package let url: String
        /// The host with its port.
        package let host: String
        /// Whether the addresses of the host must be public.
        package let mustBePublic: Bool
    }

    /// - Parameter hosts: those that the address may have, at the usual port, beside named ones; empty for any.
    package func target(_ url: String, among hosts: Set<String> = []) throws(OutgoingRequestError) -> Target {
        // Parsers differ on what such texts mean: the one that checks must not differ from the one that connects.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil
        else { throw OutgoingRequestError(.refused, "the address is not a URL that requests are sent to") }
        let port = parts.port ?? (scheme == "http" ? 80 : 443)
        let isNamed = named.contains(host) || named.contains("\(host):\(port)")
        guard scheme == "https" || (isNamed && scheme == "http") else {
            throw OutgoingRequestError(.refused, "the address does not begin with https://")
        }
        guard isNamed || hosts.isEmpty || (hosts.contains(host) && port == 443) else {
            throw OutgoingRequestError(.refused, "--outgoing-hosts does not name the host of the address")
        }
        return Target(url: url, host: "\(host):\(port)", mustBePublic: !isNamed)
    }
}

/// Why a request has no answer. The description contains neither the address nor the content.
package struct OutgoingRequestError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The address is not allowed: the request was not sent.
        case refused
        /// There was no connection: the request was not sent.
        case notSent
        /// The request may have been sent.
        case lost
        /// The request may have been sent; it was aborted from here.
        case aborted
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
