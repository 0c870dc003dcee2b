import NIOHTTP1

/// Finds the destination of a request.
struct Routes: Sendable {
    enum Destination: Sendable {
        /// The body goes to the ``RequestHandler``.
        case handler
        case computed(@Sendable () async -> HTTPResponse)
        case events(@Sendable (EventRequest) async -> HTTPResponse)
        case response(HTTPResponse)
        case error(HTTPError)
    }

    struct Route: Sendable {
        /// The path as logs and metrics name it; nil for a path that the server does not have.
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

    func route(of head: HTTPRequestHead, _ headers: RequestHeaders) -> Route {
        // The most frequent target needs no parsing.
        let path = head.uri == Self.rpcPath ? Self.rpcPath : Self.path(of: head.uri)
        if path == Self.rpcPath { return Route(path: path, destination: handler(head.method, headers)) }
        guard let content = endpoints[path] else { return Route(path: nil, destination: .error(.notFound)) }
        return Route(path: path, destination: endpoint(content, head.method))
    }

    private func handler(_ method: HTTPMethod, _ headers: RequestHeaders) -> Destination {
        switch method {
        case .POST:
            guard MediaType.isJSON(headers.contentType) else { return .error(.unsupportedMediaType) }
            guard !headers.hasContentEncoding else { return .error(.unsupportedContentCoding) }
            return .handler
        case .OPTIONS where !crossOrigin.isOff: return options("POST")
        default: return .error(.methodNotAllowed(allowed: crossOrigin.isOff ? "POST" : "POST, OPTIONS"))
        }
    }

    private func endpoint(_ content: Endpoint.Content, _ method: HTTPMethod) -> Destination {
        switch method {
        case .GET, .HEAD:
            switch content {
            case .fixed(let response): return .response(response)
            case .computed(let response): return .computed(response)
            case .events(let response): return .events(response)
            }
        case .OPTIONS where !crossOrigin.isOff: return options("GET, HEAD")
        default: return .error(.methodNotAllowed(allowed: crossOrigin.isOff ? "GET, HEAD" : "GET, HEAD, OPTIONS"))
        }
    }

    private func options(_ methods: String) -> Destination {
        var response = CrossOrigin.preflight(allowing: methods)
        response.headers.append((name: "Allow", value: methods + ", OPTIONS"))
        return .response(response)
    }

    /// The path of a request target without its query. The target may be a whole URL.
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
