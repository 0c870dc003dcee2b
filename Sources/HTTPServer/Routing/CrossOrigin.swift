import NIOHTTP1

/// Cross-origin resource sharing: the pages of these origins may read responses.
struct CrossOrigin: Sendable {
    private let allowed: Set<String>
    private let allowsAny: Bool

    init(allowedOrigins: [String]) {
        allowed = Set(allowedOrigins)
        allowsAny = allowed.contains("*")
    }

    var isOff: Bool { allowed.isEmpty }

    /// The value of `Access-Control-Allow-Origin`; nil without an origin or for one that is not allowed.
    func allowedOrigin(for origin: String?) -> String? {
        guard let origin else { return nil }
        if allowsAny { return "*" }
        return allowed.contains(origin) ? origin : nil
    }

    /// The response to a preflight request. The headers that depend on the origin are added as to any other response.
    static func preflight(allowing methods: String) -> HTTPResponse {
        HTTPResponse(
            status: .noContent,
            headers: [
                (name: "Access-Control-Allow-Methods", value: methods),
                (
                    name: "Access-Control-Allow-Headers",
                    value: "Authorization, Content-Type, If-None-Match, Last-Event-ID, Traceparent, X-Request-Id"
                ),
                (name: "Access-Control-Max-Age", value: "7200"),
            ])
    }
}
