import FoundationEssentials
import Glibc
import HTTPServer

/// The findings of `doctor` about HTTPS.
struct HTTPSExamination {
    let tls: TLSOptions
    let host: String
    /// The public address of the server; nil if the settings give none.
    let publicURL: String?

    private static let renewal = "renew it (certbot renew): the server takes changed files within seconds"

    func findings() throws -> [Finding] {
        let certificate: ServerCertificate?
        do {
            try tls.check(host: host)
            certificate = try tls.certificate()
            _ = try tls.redirectPort()
        } catch {
            return [
                .fault(
                    "https", CommandError.text(of: error),
                    remedy: "docs/operations.md, HTTPS, says how to get a certificate and how to serve behind a proxy")
            ]
        }
        guard let certificate else {
            let isProxied = try tls.isBehindProxy
            return [.ok("https", isProxied ? "a proxy does TLS" : "plain HTTP, which only this machine reaches")]
        }
        return [term(of: certificate), name(of: certificate)].compactMap(\.self)
    }

    private func term(of certificate: ServerCertificate) -> Finding {
        let term = certificate.term
        switch term.state(at: time(nil)) {
        case .valid: return .ok("certificate", "valid until \(term.end)")
        case .tooEarly:
            return .fault(
                "certificate", "it is valid from \(term.beginning) on", remedy: "look at the clock of this machine")
        case .endsSoon:
            return .fault("certificate", "it ends soon, at \(term.end), and was not renewed", remedy: Self.renewal)
        case .ended: return .fault("certificate", "it ended at \(term.end)", remedy: Self.renewal)
        }
    }

    /// Whether the certificate is for the name by which clients reach the server.
    private func name(of certificate: ServerCertificate) -> Finding? {
        let name = "host name"
        let known = certificate.hosts.joined(separator: ", ")
        guard let used = publicURL.flatMap({ URLComponents(string: $0)?.host }) ?? Self.name(host) else {
            return .unknown(name, "the certificate is for \(known); --public-url would say which name clients use")
        }
        guard !certificate.covers(used) else { return .ok(name, "the certificate is for \(used)") }
        return .fault(
            name, "the certificate is for \(known.isEmpty ? "no host" : known), and clients use \(used)",
            remedy: "get a certificate for \(used), or correct --public-url")
    }

    /// The host as URLs have it; nil for an address that stands for all of the machine's, or for this machine alone.
    private static func name(_ host: String) -> String? {
        guard host != "0.0.0.0", host != "::", !TLSOptions.isLoopback(host) else { return nil }
        return host.contains(":") ? "[\(host)]" : host
    }
}
