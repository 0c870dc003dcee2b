import NIOHTTP1

/// Which request goes where.
struct Routes: Sendable {
    enum Destination: Sendable {
        case rpc
        case computed(@Sendable () async -> HTTPReply)
        case reply(HTTPReply)
        case refusal(Refusal)
    }

    struct Route: Sendable {
        /// What logs and metrics call the path: nil for whatever a client made up.
        let path: String?
        let destination: Destination
    }

    static let rpcPath = "/rpc"

    private let endpoints: [String: Endpoint.Content]
    private let crossOrigin: CrossOrigin

    init(endpoints: [Endpoint], crossOrigin: CrossOrigin) {
        self.endpoints = Dictionary(endpoints.map { ($0.path, $0.content) }, uniquingKeysWith: { first, _ in first })
        self.crossOrigin = crossOrigin
    }

    func route(of head: HTTPRequestHead, _ fields: RequestFields) -> Route {
        // The one that matters is decided without cutting the target up.
        let path = head.uri == Self.rpcPath ? Self.rpcPath : Self.path(of: head.uri)
        if path == Self.rpcPath { return Route(path: path, destination: rpc(head.method, fields)) }
        guard let content = endpoints[path] else { return Route(path: nil, destination: .refusal(.notFound)) }
        return Route(path: path, destination: endpoint(content, head.method))
    }

    private func rpc(_ method: HTTPMethod, _ fields: RequestFields) -> Destination {
        switch method {
        case .POST:
            guard MediaType.isJSON(fields.contentType) else { return .refusal(.unsupportedMediaType) }
            guard !fields.hasContentEncoding else { return .refusal(.unsupportedContentCoding) }
            return .rpc
        case .OPTIONS where !crossOrigin.isOff: return options("POST")
        default: return .refusal(.methodNotAllowed(allowed: crossOrigin.isOff ? "POST" : "POST, OPTIONS"))
        }
    }

    private func endpoint(_ content: Endpoint.Content, _ method: HTTPMethod) -> Destination {
        switch method {
        case .GET, .HEAD:
            switch content {
            case .fixed(let reply): return .reply(reply)
            case .computed(let reply): return .computed(reply)
            }
        case .OPTIONS where !crossOrigin.isOff: return options("GET, HEAD")
        default: return .refusal(.methodNotAllowed(allowed: crossOrigin.isOff ? "GET, HEAD" : "GET, HEAD, OPTIONS"))
        }
    }

    private func options(_ methods: String) -> Destination {
        var reply = CrossOrigin.preflight(allowing: methods)
        reply.headers.append((name: "Allow", value: methods + ", OPTIONS"))
        return .reply(reply)
    }

    /// The path of a request target, which may be a whole address, without its query.
    private static func path(of target: String) -> String {
        var rest = target[...]
        if !rest.utf8.starts(with: "/".utf8), let scheme = rest.range(of: "://") {
            let authority = rest[scheme.upperBound...]
            rest = authority.firstIndex(of: "/").map { authority[$0...] } ?? "/"
        }
        return String(rest.prefix { $0 != "?" && $0 != "#" })
    }
}

extension Substring {
    fileprivate func range(of separator: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(separator) { return start..<index(start, offsetBy: separator.count) }
            start = index(after: start)
        }
        return nil
    }
}
