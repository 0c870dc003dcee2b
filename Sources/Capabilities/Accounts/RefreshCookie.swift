import Outbox

/// The cookie in which a browser keeps the refresh token of its sign-in, where no script reads it.
///
/// It serves `auth.refresh` and `auth.logout` alone. A browser sends it to the path of calls, and not with requests of
/// pages of other sites.
struct RefreshCookie: Sendable {
    /// How long a browser keeps the cookie.
    enum Lifetime: String, CaseIterable, Sendable {
        /// As long as the refresh token is valid.
        case persistent
        /// Until the browser is closed.
        case session
    }

    let token: String
    let lifetime: Lifetime

    init(token: String, lifetime: Lifetime) {
        self.token = token
        self.lifetime = lifetime
    }

    /// The cookie of a request; nil if it has none. A value that this server does not write becomes a token that is not valid.
    ///
    /// - Parameter headers: the values of all `Cookie` headers: HTTP/2 may have one for each cookie.
    init?(in headers: [String]) {
        let pairs = headers.flatMap { header in header.split(separator: ";").map { $0.drop { $0 == " " } } }
        let value = pairs.first { $0.hasPrefix(Self.name + "=") }?.dropFirst(Self.name.count + 1)
        guard let value, !value.isEmpty else { return nil }
        let parts = value.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let lifetime = Lifetime(rawValue: String(parts[0]))
        self.init(token: lifetime == nil ? "" : String(parts.last ?? ""), lifetime: lifetime ?? .session)
    }

    /// The value of the `Set-Cookie` header that keeps this cookie. The lifetime is part of its value, so that the successor
    /// of the token is kept as long.
    ///
    /// - Parameters:
    ///   - seconds: how long a persistent cookie is kept.
    ///   - isSecure: whether the browser sends it over TLS only.
    func header(seconds: Int, isSecure: Bool) -> String {
        let age = lifetime == .persistent ? "; Max-Age=\(seconds)" : ""
        return "\(Self.name)=\(lifetime.rawValue).\(token)\(Self.attributes(isSecure))\(age)"
    }

    /// The value of the `Set-Cookie` header that removes the cookie.
    static func removal(isSecure: Bool) -> String { "\(name)=\(attributes(isSecure)); Max-Age=0" }

    private static let name = "refresh_token"

    private static func attributes(_ isSecure: Bool) -> String {
        "; Path=/rpc; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }
}
