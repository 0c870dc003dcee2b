import NIOHTTP1

/// Finds the destination of a request.
struct Routes: Sendable {
    enum Destination: Sendable {
        /// The body goes to the ``RequestHandler``.
        case handler
        /// The request goes to an endpoint's responder.
        case responder(Endpoint.Responder, subpath: String, bodyBytes: Int?)
        case response(HTTPResponse)
        case error(HTTPError)
    }

    struct Route: Sendable {
        /// The path as logs and metrics name it; nil for a path that the server does not have.
        let path: String?
        let destination: Destination
    }

    static let rpcPath = "/rpc"
    /// What stands for the number of a record in the path of an endpoint.
    fileprivate static let number = "{id}"

    private let endpoints: [String: Endpoint]
    /// The endpoints with `{id}` in their paths.
    private let numbered: [String: Endpoint]
    /// What browsers get at a path that the server does not have; nil: what programs get.
    private let missingPage: HTTPResponse?
    private let crossOrigin: CrossOrigin
    /// Whether there is the path of calls.
    private let hasCalls: Bool

    private let redirect: HTTPSRedirect?

    init(
        endpoints: [Endpoint], crossOrigin: CrossOrigin, hasCalls: Bool = true, redirect: HTTPSRedirect? = nil
    ) {
        self.redirect = redirect
        let paths = Dictionary(endpoints.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        numbered = paths.filter { $0.key.contains(Self.number) }
        self.endpoints = paths.filter { !$0.key.contains(Self.number) && $0.key != Endpoint.missingPath }
        missingPage = if case .fixed(let page) = paths[Endpoint.missingPath]?.content { page } else { nil }
        self.crossOrigin = crossOrigin
        self.hasCalls = hasCalls
    }

    /// - Parameter isLocal: whether a program on this machine sent the request, and not through a proxy.
    func route(
        of head: HTTPRequestHead, _ headers: RequestHeaders, isLocal: @autoclosure () -> Bool = false
    ) -> Route {
        if let redirect { return Route(path: nil, destination: redirect.destination(of: head)) }
        // The most frequent target needs no parsing.
        let path = head.uri == Self.rpcPath ? Self.rpcPath : Self.path(of: head.uri)
        if path == Self.rpcPath, hasCalls { return Route(path: path, destination: handler(head.method, headers)) }
        if let endpoint = endpoints[path], endpoint.has(""), endpoint.isOpen(to: head, isLocal()) {
            return Route(path: path, destination: destination(endpoint, subpath: "", head.method, headers))
        }
        let parent = path.parent
        let subpath = path.dropFirst(parent.count)
        if parent != "/", let endpoint = endpoints[parent], endpoint.has(subpath), endpoint.isOpen(to: head, isLocal())
        {
            return Route(path: parent, destination: destination(endpoint, subpath: subpath, head.method, headers))
        }
        if let pattern = path.withoutNumbers, let endpoint = numbered[pattern], endpoint.isOpen(to: head, isLocal()) {
            return Route(path: pattern, destination: destination(endpoint, subpath: "", head.method, headers))
        }
        if let missingPage, [.GET, .HEAD].contains(head.method), head.headers.prefersPage {
            return Route(path: nil, destination: .response(missingPage))
        }
        return Route(path: nil, destination: .error(.notFound))
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

    private func destination(
        _ endpoint: Endpoint, subpath: Substring, _ method: HTTPMethod, _ headers: RequestHeaders
    ) -> Destination {
        let methods = endpoint.methods.map(\.rawValue).joined(separator: ", ")
        guard endpoint.methods.contains(method) else {
            if method == .OPTIONS, !crossOrigin.isOff { return options(methods) }
            return .error(.methodNotAllowed(allowed: crossOrigin.isOff ? methods : methods + ", OPTIONS"))
        }
        switch endpoint.content {
        case .fixed(let response): return .response(response)
        case .responder(let responder, let bodyBytes):
            guard bodyBytes == nil || !headers.hasContentEncoding else { return .error(.unsupportedContentCoding) }
            return .responder(responder, subpath: String(subpath), bodyBytes: bodyBytes)
        }
    }

    private func options(_ methods: String) -> Destination {
        var response = CrossOrigin.preflight(allowing: methods)
        response.headers.append((name: "Allow", value: methods + ", OPTIONS"))
        return .response(response)
    }

    /// The path of a request target without its query. The target may be a whole URL.
    private static func path(of target: String) -> String {
        String(pathAndQuery(of: target).prefix { $0 != "?" })
    }

    /// The path and the query of a request target, which may be a whole URL.
    static func pathAndQuery(of target: String) -> Substring {
        var rest = target[...]
        if !rest.utf8.starts(with: "/".utf8), let scheme = rest.range(of: "://") {
            let authority = rest[scheme.upperBound...]
            rest = authority.firstIndex(of: "/").map { authority[$0...] } ?? "/"
        }
        return rest.prefix { $0 != "#" }
    }
}

extension Endpoint {
    /// Whether there is this path for a request.
    fileprivate func isOpen(to head: HTTPRequestHead, _ isOfThisMachine: @autoclosure () -> Bool) -> Bool {
        (!isLocal || isOfThisMachine()) && (hosts?.areNamed(by: head) ?? true)
    }
}

extension String {
    /// This path up to its second slash: `/documents/` of `/documents/a/b`.
    fileprivate var parent: String {
        guard let slash = dropFirst().firstIndex(of: "/") else { return self }
        return String(self[...slash])
    }

    /// This path with `{id}` in the place of each number of a record: `/books/{id}/edit` of `/books/12/edit`; nil for a path
    /// that has `{id}` itself.
    fileprivate var withoutNumbers: String? {
        guard !contains(Routes.number) else { return nil }
        return split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.isRecordNumber ? Routes.number[...] : $0 }
            .joined(separator: "/")
    }
}

extension Substring {
    /// Whether this is a number from 1 to 2⁶³ − 1 as the server writes it.
    fileprivate var isRecordNumber: Bool {
        guard let first = utf8.first, UInt8(ascii: "1")...UInt8(ascii: "9") ~= first else { return false }
        return utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } && Int64(self) != nil
    }

    fileprivate func range(of separator: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(separator) { return start..<index(start, offsetBy: separator.count) }
            start = index(after: start)
        }
        return nil
    }
}
