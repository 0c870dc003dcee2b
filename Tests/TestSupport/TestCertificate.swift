package import Foundation

/// A self-signed certificate with its key, made by openssl when a test begins.
package final class TestCertificate: Sendable {
    private static let openssl = "/usr/bin/openssl"

    private let folder: TemporaryFolder
    package var certificate: String { folder.url("certificate.pem").path }
    package var key: String { folder.url("key.pem").path }

    /// - Parameter names: as the extension subjectAltName has them.
    package init(_ names: String = "DNS:localhost,DNS:learntrack.test,IP:127.0.0.1") throws {
        folder = try TemporaryFolder()
        try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=learntrack.test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
        ])
    }

    /// A certificate that ended yesterday.
    package static func ended() throws -> TestCertificate {
        let made = try TestCertificate()
        let request = made.url("request.pem").path
        try run(["req", "-new", "-key", made.key, "-subj", "/CN=learntrack.test", "-out", request])
        try run(["x509", "-req", "-in", request, "-signkey", made.key, "-days", "-1", "-out", made.certificate])
        return made
    }

    /// A file of the same folder.
    package func url(_ name: String) -> URL { folder.url(name) }

    /// Puts the files of `other` in the place of these, one after the other, as a renewal does.
    package func replace(by other: TestCertificate) throws {
        for (from, to) in [(other.certificate, certificate), (other.key, key)] { try Self.replace(to, by: from) }
    }

    /// Removes both files.
    package func remove() throws {
        for file in [certificate, key] { try FileManager.default.removeItem(atPath: file) }
    }

    /// Puts the key of `other` in the place of this one.
    package func replaceKey(by other: TestCertificate) throws {
        try Self.replace(key, by: other.key)
    }

    private static func replace(_ file: String, by other: String) throws {
        try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    private static func run(_ arguments: [String]) throws {
        guard FileManager.default.isExecutableFile(atPath: openssl) else {
            throw TestEnvironmentError("\(openssl) is missing: script/install installs it")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestEnvironmentError("openssl \(arguments[0]) has failed") }
    }
}
