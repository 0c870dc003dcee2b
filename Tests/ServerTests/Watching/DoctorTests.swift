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
