import NIOHTTP1

/// Which other sites' pages may read answers.
struct CrossOrigin: Sendable {
    private let allowed: Set<String>
    private let allowsAny: Bool

    init(allowedOrigins: [String]) {
        allowed = Set(allowedOrigins)
        allowsAny = allowed.contains("*")
    }

    var isOff: Bool { allowed.isEmpty }

    /// What to name in `Access-Control-Allow-Origin`; nil for a request from nowhere or an origin not allowed.
    func answer(to origin: String?) -> String? {
        guard let origin else { return nil }
        if allowsAny { return "*" }
        return allowed.contains(origin) ? origin : nil
    }

    /// Answers the question a browser asks before it sends the real request. The headers that name the origin are
    /// added as to any other reply.
    static func preflight(allowing methods: String) -> HTTPReply {
        HTTPReply(
            status: .noContent,
            headers: [
                (name: "Access-Control-Allow-Methods", value: methods),
                (name: "Access-Control-Allow-Headers", value: "Authorization, Content-Type, X-Request-Id"),
                (name: "Access-Control-Max-Age", value: "7200"),
            ])
    }
}
