import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct DoctorTests {
    private func findings(
        _ arguments: [String] = [], _ environment: [String: String]
    ) async throws -> (status: Int32, ok: JSONValue?, byName: [String: JSONValue]) {
        let run = try await LearnTrackProcess.run(["doctor", "--json"] + arguments, environment: environment)
        let answer = try JSONReader.read(run.output.trimmingCharacters(in: .newlines)).value
        var byName: [String: JSONValue] = [:]
        if case .array(let all)? = answer["findings"] {
            for finding in all { byName[finding["name"]?.text ?? ""] = finding }
        }
        return (run.status, answer["ok"], byName)
    }

    @Test func `a migrated database is well`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        // It records the files of functions, too.
        let migrated = try await LearnTrackProcess.run(["migrate", "up"], environment: environment)
        #expect(migrated.status == 0, "\(migrated.errors)")
        let (status, ok, found) = try await findings([], environment)
        #expect(status == 0, "\(found)")
        #expect(ok == true)
        for name in ["postgres", "extensions", "migrations", "roles", "clock", "secret"] {
            #expect(found[name]?["state"] == "ok", "\(name): \(found)")
        }
    }

    @Test func `each fault has its remedy, and the status is 1`() async throws {
        let database = try await TestDatabase.create(migrated: false)
        let (status, ok, found) = try await findings(
            ["--public-url", "https://formation.example"],
            ["DATABASE_URL": database.connectionString, "SMTP_URL": "smtp://127.0.0.1:9"])
        #expect(status == 1)
        #expect(ok == false)
        #expect(found["migrations"]?["remedy"] == "run 'learntrack migrate up'", "\(found)")
        #expect(found["smtp"]?["detail"]?.text?.contains("Connection refused") == true, "\(found)")
        #expect(found["proxy"]?["remedy"]?.text?.contains("--trusted-proxies") == true)
        #expect(found["secret"]?["remedy"]?.text?.contains("openssl rand") == true)
        #expect(found["postgres"]?["state"] == "ok")
    }

    /// What the doctor finds besides the database, which does not answer.
    private func settingsFindings(_ arguments: [String]) async throws -> [String: JSONValue] {
        try await findings(
            arguments, ["DATABASE_URL": "postgres://127.0.0.1:9/learntrack", "JWT_SECRET": TestServer.secret]
        ).byName
    }

    @Test func `a host that other machines reach without TLS is a fault, and one behind a proxy is none`() async throws
    {
        let open = try await settingsFindings(["--host", "0.0.0.0"])
        #expect(open["https"]?["state"] == "fault", "\(open)")
        #expect(open["https"]?["detail"]?.text?.contains("--behind-proxy") == true)
        let proxied = try await settingsFindings(["--host", "0.0.0.0", "--behind-proxy"])
        #expect(proxied["https"]?["state"] == "ok")
        #expect(proxied["proxy"]?["remedy"]?.text?.contains("--trusted-proxies") == true)
        let trusting = try await settingsFindings(
            ["--host", "0.0.0.0", "--behind-proxy", "--trusted-proxies", "10.0.0.1"])
        #expect(trusting["proxy"]?["state"] == "ok")
        #expect(trusting["passkeys"]?["remedy"]?.text?.contains("--public-url") == true)
        let named = try await settingsFindings(["--behind-proxy", "--public-url", "https://formation.example"])
        #expect(named["passkeys"]?["state"] == "ok", "\(named)")
        let loopback = try await settingsFindings([])
        #expect(loopback["https"]?["state"] == "ok")
        #expect(loopback["proxy"] == nil)
        #expect(loopback["passkeys"] == nil)
    }

    @Test func `a certificate is examined: its files, its end, and whether it is for the public name`() async throws {
        let certificate = try TestCertificate()
        let files = ["--tls-certificate", certificate.certificate, "--tls-key", certificate.key]
        let right = try await settingsFindings(files + ["--public-url", "https://learntrack.test"])
        #expect(right["certificate"]?["state"] == "ok", "\(right)")
        #expect(right["certificate"]?["detail"]?.text?.contains("valid until 20") == true)
        #expect(right["host name"]?["state"] == "ok")
        #expect(right["proxy"] == nil, "it does TLS itself")
        let wrong = try await settingsFindings(files + ["--public-url", "https://formation.example"])
        #expect(wrong["host name"]?["state"] == "fault")
        #expect(
            wrong["host name"]?["detail"]
                == "the certificate is for localhost, learntrack.test, and clients use formation.example")
        let unnamed = try await settingsFindings(files + ["--host", "0.0.0.0"])
        #expect(unnamed["host name"]?["state"] == "unknown")
        try certificate.replaceKey(by: TestCertificate())
        let mismatched = try await settingsFindings(files)
        #expect(mismatched["https"]?["state"] == "fault")
        #expect(mismatched["https"]?["detail"]?.text?.contains("does not belong to") == true, "\(mismatched)")
    }

    @Test func `a database that does not answer is named with host and port and without its password`() async throws {
        let run = try await LearnTrackProcess.run(
            ["doctor"],
            environment: [
                "DATABASE_URL": "postgres://claire:geheim-4711@127.0.0.1:9/learntrack", "JWT_SECRET": TestServer.secret,
            ])
        #expect(run.status == 1)
        #expect(run.output.contains("fault"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("port 9"))
        #expect(run.output.contains("→ start Postgres"))
        #expect(!(run.output + run.errors).contains("geheim-4711"))
    }
}
