import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct CertificateTests {
    @Test func `a renewed pair is taken within ten seconds, and open connections go on`() async throws {
        let server = try await TLSServer.start()
        let client = try await server.http2(["open", "http/1.1", "10"], until: "open")
        try server.certificate.replace(by: TestCertificate())
        let seen = try await client.report()
        #expect(seen == ["first": 200, "renewed": true, "second": 200])
        try await server.server.process.waitForLog("Certificate taken")
        // A certificate of the same names that curl has not seen before.
        #expect(try await server.curl("/health/live", ["--http2"]).status == 200)
        #expect(try await server.server.stop() == 0)
    }

    @Test func `SIGHUP says that a pair is unchanged, and the server goes on`() async throws {
        let server = try await TLSServer.start()
        try server.server.process.signal(SIGHUP)
        try await eventually("the pair is looked at") {
            server.server.process.errors.contains("The certificate is unchanged expires=2")
        }
        #expect(!server.server.process.errors.contains("Certificate taken"))
        #expect(try await server.curl("/health/live").status == 200)
        #expect(try await server.server.stop() == 0)
    }

    @Test func `a pair that does not fit is reported, the old one is kept, and the right one is taken afterwards`()
        async throws
    {
        let server = try await TLSServer.start()
        let other = try TestCertificate()
        let client = try await server.http2(["open", "http/1.1", "30"], until: "open")
        try server.certificate.replaceKey(by: other)
        let file = server.certificate.key
        try await eventually("the pair is reported") {
            server.server.process.errors.contains("the private key in \(file) does not belong to")
        }
        #expect(try await server.curl("/health/live").status == 200)
        try server.certificate.replace(by: other)
        let seen = try await client.report()
        #expect(seen == ["first": 200, "renewed": true, "second": 200])
        #expect(try await server.server.stop() == 0)
    }

    @Test func `an ended certificate does not replace a valid one, and a valid one is taken afterwards`()
        async throws
    {
        let server = try await TLSServer.start()
        let process = server.server.process
        let client = try await server.http2(["open", "http/1.1", "30"], until: "open")
        try server.certificate.replace(by: .ended())
        try process.signal(SIGHUP)
        try await process.waitForLog("The certificate was not renewed; the old one is kept")
        #expect(process.errors.contains("\(server.certificate.certificate) ended at 2"), "\(process.errors)")
        try server.certificate.replace(by: TestCertificate())
        let seen = try await client.report()
        #expect(seen == ["first": 200, "renewed": true, "second": 200])
        // The first one that was taken is the valid one.
        #expect(try await server.curl("/health/live").status == 200)
        #expect(try await server.server.stop() == 0)
    }

    @Test func `a server with an ended certificate says so, in its log and its metrics`() async throws {
        let certificate = try TestCertificate.ended()
        let server = try await TestServer.start(
            ["--tls-certificate", certificate.certificate, "--tls-key", certificate.key], scheme: "https")
        try await server.process.waitForLog("The certificate has ended: clients refuse it")
        let metrics = try await ExternalProgram.run(
            "/usr/bin/curl", ["-sSk", "https://127.0.0.1:\(server.port)/metrics"])
        let name = "tls_certificate_end_timestamp_seconds "
        let line = metrics.output.split(separator: "\n").first { $0.hasPrefix(name) }
        let end = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
        #expect(end < Date().timeIntervalSince1970 && end > Date().timeIntervalSince1970 - 3 * 86_400)
        #expect(try await server.stop() == 0)
    }

    // MARK: At the start

    private func start(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(
            ["serve", "--port", "0"] + arguments,
            environment: ["DATABASE_URL": "postgres://127.0.0.1:1/none", "JWT_SECRET": ""])
    }

    @Test func `a certificate that cannot serve is an error that names the file and the remedy`() async throws {
        let one = try TestCertificate()
        let other = try TestCertificate()
        let missing = one.url("missing.pem").path
        let cases: [(certificate: String, key: String, file: String, remedy: String)] = [
            (missing, one.key, missing, "must be able to read"), (one.certificate, missing, missing, "must be able to"),
            (one.key, one.key, one.key, "fullchain.pem"), (one.certificate, one.certificate, one.certificate, "PEM"),
            (one.certificate, other.key, other.key, "openssl x509"),
        ]
        for (certificate, key, file, remedy) in cases {
            let run = try await start(["--tls-certificate", certificate, "--tls-key", key])
            #expect(run.status != 0)
            #expect(run.errors.contains(file) && run.errors.contains(remedy), "\(run.errors)")
        }
    }

    @Test func `a key with a passphrase is refused without a question on the terminal`() async throws {
        let one = try TestCertificate()
        let locked = one.url("locked.pem").path
        let made = try await ExternalProgram.run(
            "/usr/bin/openssl",
            ["pkey", "-in", one.key, "-aes256", "-passout", "pass:secret", "-out", locked])
        #expect(made.status == 0, "\(made.errors)")
        let run = try await start(["--tls-certificate", one.certificate, "--tls-key", locked])
        #expect(run.status != 0)
        #expect(run.errors.contains(locked) && run.errors.contains("passphrase"), "\(run.errors)")
    }

    @Test func `one file without the other is an error, and so is a redirect without HTTPS`() async throws {
        let one = try TestCertificate()
        for (arguments, word) in [
            (["--tls-certificate", one.certificate], "--tls-key"), (["--tls-key", one.key], "--tls-certificate"),
            (["--http-redirect-port", "0"], "--tls-certificate"),
        ] {
            let run = try await start(arguments)
            #expect(run.status != 0)
            #expect(run.errors.contains(word), "\(run.errors)")
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "learntrack.test"])
    func `an address that other machines reach is refused without a certificate`(host: String) async throws {
        let refused = try await start(["--host", host])
        #expect(refused.status != 0)
        #expect(refused.errors.contains("--tls-certificate"), "\(refused.errors)")
        #expect(refused.errors.contains("--behind-proxy"))
        // The next mistake is found instead.
        let allowed = try await start(["--host", host, "--behind-proxy"])
        #expect(allowed.errors.contains("JWT_SECRET is not set"), "\(allowed.errors)")
        let one = try TestCertificate()
        let secure = try await start(
            ["--host", host, "--tls-certificate", one.certificate, "--tls-key", one.key])
        #expect(secure.errors.contains("JWT_SECRET is not set"), "\(secure.errors)")
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
    func `a loopback address needs no certificate`(host: String) async throws {
        let run = try await start(["--host", host])
        #expect(run.errors.contains("JWT_SECRET is not set"), "\(run.errors)")
    }
}
