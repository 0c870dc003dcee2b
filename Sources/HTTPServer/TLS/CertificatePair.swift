import Glibc
import NIOCore
import NIOSSL

/// The files of a certificate and its private key, in PEM.
struct CertificatePair: Sendable {
    /// The bytes of both files.
    struct Content: Equatable, Sendable {
        let certificate: [UInt8]
        let key: [UInt8]
    }

    /// Suites with forward secrecy and authenticated encryption. TLS 1.3 has no others, and HTTP/2 allows no others for 1.2.
    private static let cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// How much of a file is read.
    private static let maxBytes = 1 << 20

    /// The server's certificate first, then those of the authorities between it and the root.
    let certificateFile: String
    let keyFile: String

    func read() throws(CertificatePairError) -> Content {
        Content(
            certificate: try Self.bytes(of: certificateFile, "certificate"),
            key: try Self.bytes(of: keyFile, "private key"))
    }

    /// Checks that both belong together and can serve.
    func load(_ content: Content) throws(CertificatePairError) -> LoadedCertificate {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(content.certificate)
        } catch {
            throw .noCertificate(file: certificateFile)
        }
        guard let own = chain.first else { throw .noCertificate(file: certificateFile) }
        let key: NIOSSLPrivateKey
        do {
            // Without this callback BoringSSL would ask for the passphrase on the terminal.
            key = try NIOSSLPrivateKey(bytes: content.key, format: .pem) { set in set([UInt8]()) }
        } catch {
            throw .noKey(file: keyFile)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.cipherSuites
        configuration.applicationProtocols = ["h2", "http/1.1"]
        // How long the end of a connection waits for the client's.
        configuration.shutdownTimeout = .milliseconds(500)
        do {
            return LoadedCertificate(
                context: try NIOSSLContext(configuration: configuration), names: CertificateNames(own),
                // A chain is valid while all of it is.
                term: CertificateTerm(
                    begins: chain.map { Int($0.notValidBefore) }.max() ?? 0,
                    ends: chain.map { Int($0.notValidAfter) }.min() ?? 0),
                publicKey: try own.extractPublicKey().toSPKIBytes())
        } catch {
            throw .mismatch(certificateFile: certificateFile, keyFile: keyFile)
        }
    }

    private static func bytes(of file: String, _ kind: String) throws(CertificatePairError) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(kind, file: file, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 * 1_024)
        while bytes.count < maxBytes {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count >= 0 else { throw .unreadable(kind, file: file, reason: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }
}

/// A certificate that serves.
struct LoadedCertificate: Sendable {
    let context: NIOSSLContext
    let names: CertificateNames
    let term: CertificateTerm
    /// What an app that pins the key compares.
    let publicKey: [UInt8]
}

/// Why a certificate and its key cannot be used, with the remedy.
package enum CertificatePairError: Error, Equatable, CustomStringConvertible {
    case unreadable(_ kind: String, file: String, reason: String)
    case noCertificate(file: String)
    case noKey(file: String)
    case mismatch(certificateFile: String, keyFile: String)
    /// A renewed certificate that has ended.
    case ended(file: String, end: String)
    /// A renewed certificate that is not valid yet.
    case tooEarly(file: String, beginning: String)

    package var description: String {
        switch self {
        case .unreadable(let kind, let file, let reason):
            "cannot read the \(kind) \(file): \(reason); the account that runs the server must be able to read it"
        case .noCertificate(let file):
            "there is no certificate in \(file): PEM is expected, the server's certificate first and then those of the "
                + "authorities between it and the root, such as fullchain.pem of certbot"
        case .noKey(let file):
            "there is no usable private key in \(file): PEM without a passphrase is expected, such as privkey.pem of "
                + "certbot ('openssl pkey -in KEY -out NEW' removes a passphrase)"
        case .mismatch(let certificateFile, let keyFile):
            "the private key in \(keyFile) does not belong to the first certificate in \(certificateFile): give the files "
                + "of one and the same issue ('openssl x509 -noout -pubkey -in CERTIFICATE' and 'openssl pkey -pubout -in "
                + "KEY' must print the same key)"
        case .ended(let file, let end):
            "the certificate in \(file) ended at \(end): give one that is valid"
        case .tooEarly(let file, let beginning):
            "the certificate in \(file) is valid from \(beginning) on: it is taken then; look at the clock of this machine"
        }
    }
}
