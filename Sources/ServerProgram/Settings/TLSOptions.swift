import ArgumentParser
import Glibc
import HTTPServer

/// The settings of HTTPS.
struct TLSOptions: ParsableArguments {
    @Option(Settings.tlsCertificate) var tlsCertificate: String?
    @Option(Settings.tlsKey) var tlsKey: String?
    @Flag(Settings.behindProxy) var behindProxy = false
    @Option(Settings.httpRedirectPort) var httpRedirectPort: String?

    var isBehindProxy: Bool { get throws { try Settings.behindProxy.value(behindProxy) } }

    /// Whether the settings name a certificate.
    var isSecure: Bool { get throws { try Settings.tlsCertificate.value(tlsCertificate) != nil } }

    /// The certificate; nil: plain HTTP.
    func certificate() throws -> ServerCertificate? {
        let key = try Settings.tlsKey.value(tlsKey)
        guard let certificate = try Settings.tlsCertificate.value(tlsCertificate) else {
            guard key == nil else { throw CommandError("--tls-key needs --tls-certificate, the file it belongs to") }
            return nil
        }
        guard let key else { throw CommandError("--tls-certificate needs --tls-key, the file of the private key") }
        do throws(CertificatePairError) {
            return try ServerCertificate(certificateFile: certificate, keyFile: key)
        } catch {
            throw CommandError("HTTPS: \(error)")
        }
    }

    /// The port on which plain HTTP is answered with the address over HTTPS; nil: none.
    func redirectPort() throws -> Int? {
        guard let port = try Settings.httpRedirectPort.value(httpRedirectPort) else { return nil }
        guard try isSecure else {
            throw CommandError(
                "--http-redirect-port needs --tls-certificate: without it there is no HTTPS here to redirect to")
        }
        return port
    }

    /// Other machines reach an address that is not the loopback one, and passwords must not travel to it in the clear.
    func check(host: String) throws {
        guard !Self.isLoopback(host), try !isSecure, try !isBehindProxy else { return }
        throw CommandError(
            "--host \(host): other machines reach this address, and plain HTTP would show them passwords: give "
                + "--tls-certificate and --tls-key, or --behind-proxy if a proxy in front of the server does TLS")
    }

    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        var bytes = in6_addr()
        // An IPv4 address is read in the form in which IPv6 has it.
        guard inet_pton(AF_INET6, host, &bytes) == 1 || inet_pton(AF_INET6, "::ffff:" + host, &bytes) == 1 else {
            return false
        }
        return withUnsafeBytes(of: bytes) { bytes in
            let isIPv4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return isIPv4 ? bytes[12] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }
}
