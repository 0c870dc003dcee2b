import NIOHTTP1

/// What a request asks for: `/rpc`, or to a proxy a URL.
enum RequestTarget {
    /// Whether the target has a form that its method and version allow (RFC 9112, 3.2; RFC 9113, 8.3.1). None has a fragment.
    static func isValid(in head: HTTPRequestHead) -> Bool {
        let target = head.uri.utf8
        guard !target.contains(UInt8(ascii: "#")) else { return false }
        if target.first == UInt8(ascii: "/") || head.method == .CONNECT { return true }
        if head.uri == "*" { return head.method == .OPTIONS }
        guard head.version != .http2, let scheme = head.uri.firstRange(of: "://") else { return false }
        let rest = head.uri[scheme.upperBound...]
        return Authority.isValid(rest.prefix { $0 != "/" && $0 != "?" })
    }
}
