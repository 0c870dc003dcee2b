import Auth
import HTTPServer
import NIOHTTP1

/// The web site that the pages of this service are on.
///
/// It decides which pages may use what a browser keeps for this site alone: the cookie of a sign-in, and passkeys.
package struct ServedSite: Sendable {
    /// `https://learntrack.exemple.fr`; nil: no address was configured.
    private let publicOrigin: String?
    /// Whether a proxy in front of the server does TLS.
    private let isBehindProxy: Bool
    /// Whether the certificate of the server is for a host.
    private let isCertified: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - publicURL: the public address of the server.
    ///   - isBehindProxy: whether a proxy in front of the server does TLS.
    ///   - isCertified: whether the certificate of the server is for a host.
    package init(
        publicURL: String? = nil, isBehindProxy: Bool = false,
        isCertified: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        publicOrigin = publicURL.flatMap(Self.origin)
        self.isBehindProxy = isBehindProxy
        self.isCertified = isCertified
    }

    /// Whether a page of another site has sent the request.
    ///
    /// Browsers say it in `Sec-Fetch-Site`, older ones and those on plain HTTP in `Origin` alone. A request without both
    /// comes from no browser.
    func isForeign(_ request: RequestContext) -> Bool {
        let sites = request.headers["Sec-Fetch-Site"]
        guard sites.allSatisfy({ $0 == "same-origin" }) else { return true }
        return !request.headers["Origin"].allSatisfy { isOwn($0, request) }
    }

    /// Whether the browser that has sent the request reaches this site over TLS.
    func isSecure(_ request: RequestContext) -> Bool {
        usesTLS(request) || request.headers["Origin"].contains { $0.lowercased().hasPrefix(Self.secureScheme) }
    }

    /// The site that passkeys belong to: the host of the configured address. Without one, the host that the request was
    /// sent to, if the server's own certificate is for it; otherwise `localhost`.
    func relyingParty(for request: RequestContext) -> RelyingParty {
        if let publicOrigin { return RelyingParty(id: Self.name(of: publicOrigin), origins: [publicOrigin]) }
        let host = Self.host(of: request) ?? ""
        let name = Self.name(of: Self.secureScheme + host)
        if request.isSecure, isCertified(name) { return RelyingParty(id: name, origins: [Self.secureScheme + host]) }
        // Browsers use passkeys on plain HTTP only there.
        let schemes = usesTLS(request) ? [Self.secureScheme] : [Self.secureScheme, Self.plainScheme]
        return RelyingParty(
            id: Self.localName, origins: name == Self.localName ? schemes.map { $0 + host } : [])
    }

    /// Whether `origin` is that of this site: the configured one, or the one that the request was sent to.
    private func isOwn(_ origin: String, _ request: RequestContext) -> Bool {
        let origin = origin.lowercased()
        if origin == publicOrigin { return true }
        guard let host = Self.host(of: request) else { return false }
        return origin == Self.secureScheme + host || !usesTLS(request) && origin == Self.plainScheme + host
    }

    /// Whether the configuration says that browsers use TLS.
    private func usesTLS(_ request: RequestContext) -> Bool { request.isSecure || isBehindProxy }

    // MARK: Addresses

    private static let secureScheme = "https://"
    private static let plainScheme = "http://"
    private static let localName = "localhost"

    /// The host of an origin, without the port.
    private static func name(of origin: String) -> String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    /// The host and the port that the request names, in lower case.
    private static func host(of request: RequestContext) -> String? {
        request.headers.first(name: "Host")?.lowercased()
    }

    /// The origin of a URL as browsers write it: in lower case, without a path and without the usual port.
    private static func origin(of url: String) -> String? {
        let url = url.lowercased()
        for (scheme, port) in [(secureScheme, ":443"), (plainScheme, ":80")] where url.hasPrefix(scheme) {
            let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            return scheme + (authority.hasSuffix(port) ? authority.dropLast(port.count) : authority)
        }
        return nil
    }
}
