import NIOHTTP1
import Synchronization

/// Answers requests of plain HTTP with the same address over HTTPS.
///
/// The host of that address is never one that only the request names: a request with the name of a foreign site would
/// otherwise be sent there.
package final class HTTPSRedirect: Sendable {
    private let certificate: ServerCertificate
    /// `https://learntrack.exemple.fr`, where all requests go; nil: to the host that they name, if the certificate is for it.
    private let origin: String?
    private let port: Atomic<Int>

    /// - Parameters:
    ///   - port: of HTTPS.
    ///   - publicURL: the public address of the server.
    package init(to port: Int, certificate: ServerCertificate, publicURL: String? = nil) {
        self.certificate = certificate
        self.port = Atomic(port)
        origin = publicURL.flatMap { url in
            let scheme = "https://"
            guard url.lowercased().hasPrefix(scheme) else { return nil }
            return scheme + url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        }
    }

    /// The port of HTTPS that the system has chosen.
    package func change(port: Int) {
        self.port.store(port, ordering: .relaxed)
    }

    /// 308, after which a client repeats the method and the body.
    func destination(of head: HTTPRequestHead) -> Routes.Destination {
        let hosts = head.headers[canonicalForm: "host"]
        guard let origin = origin ?? hostOrigin(hosts.first.map { String(HostHeader($0)?.host ?? "") } ?? "") else {
            return .error(.malformed)
        }
        return .response(
            HTTPResponse(
                status: .permanentRedirect, headers: [(name: "Location", value: origin + Self.target(of: head.uri))]))
    }

    private func hostOrigin(_ host: String) -> String? {
        let names = certificate.names
        guard let host = names.cover(host) ? host : names.firstHost else { return nil }
        let port = port.load(ordering: .relaxed)
        return port == 443 ? "https://\(host)" : "https://\(host):\(port)"
    }

    /// The path and the query of a request's target, which may be a whole URL.
    private static func target(of uri: String) -> String {
        let target = Routes.pathAndQuery(of: uri)
        guard target.hasPrefix("/") else { return "/" }
        let isVisible = target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isVisible ? String(target) : "/"
    }
}
