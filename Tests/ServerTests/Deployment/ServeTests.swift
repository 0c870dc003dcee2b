import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct ServeTests {
    @Test func `a time zone that Postgres does not know keeps the server from starting`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let run = try await LearnTrackProcess.run(
            ["serve", "--port", "0", "--time-zone", "Europe/Pariss"],
            environment: [
                "DATABASE_URL": database.connectionString, "JWT_SECRET": String(repeating: "s", count: 40),
            ])
        #expect(run.status != 0)
        #expect(run.errors.contains("--time-zone: there is no 'Europe/Pariss'"), "\(run.errors)")
    }

    @Test func `SIGTERM ends the server with status 0`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        _ = try await client.call("auth.me")
        #expect(try await server.stop() == 0)
    }

    @Test func `a given database without JWT_SECRET is an error that names the remedy`() async throws {
        let database = try await TestDatabase.create(migrated: true)
        let run = try await LearnTrackProcess.run(["serve", "--port", "0", "--database-url", database.connectionString])
        #expect(run.status != 0)
        #expect(run.errors.contains("JWT_SECRET"))
        let short = try await LearnTrackProcess.run(
            ["serve", "--port", "0", "--database-url", database.connectionString], environment: ["JWT_SECRET": "court"])
        #expect(short.status != 0)
        #expect(short.errors.contains("32"))
    }

    @Test(arguments: [true, false])
    func `the server migrates an empty database at the start, and with --no-migrate is not ready`(
        migrates: Bool
    ) async throws {
        // The roles belong to the whole database server: another database's migrations have created them.
        _ = try await TestDatabase.create(migrated: true)
        let database = try await TestDatabase.create(migrated: false)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret]
        let server = try LearnTrackProcess(
            ["serve", "--port", "0"] + (migrates ? [] : ["--no-migrate"]), environment: environment)
        let port = try await server.waitUntilReady()
        let health = try await HTTPConnection(port: port).request("GET", "/health/ready")
        #expect(health.status == (migrates ? 200 : 503), "\(health.text)")
        try server.signal(SIGTERM)
        #expect(try await server.waitForExit() == 0)
        let status = try await LearnTrackProcess.run(["migrate", "status"], environment: environment)
        #expect(status.status == (migrates ? 0 : 1), "\(status.errors)")
        #expect(status.output.contains("kernel/0001_roles.sql"))
    }

    @Test
    func `an address that the server cannot listen on is an error that names setting and remedy, before the database`()
        async throws
    {
        let taken = try await TestServer.running().port
        // 192.0.2.0/24 is for documentation: no machine has an address of it.
        let cases: [(arguments: [String], error: String, remedy: String)] = [
            (["--host", "no.such.host.invalid"], "--host: 'no.such.host.invalid' is no address", "0.0.0.0"),
            (["--host", "192.0.2.7"], "--host: 192.0.2.7 is no address of this machine", "ip address"),
            (["--port", "\(taken)"], "--port: another program uses port \(taken)", "another port"),
            (["--metrics-address", "127.0.0.1:\(taken)"], "--metrics-address: another program uses port", "ss -ltnp"),
            (["--metrics-address", "no.such.host.invalid:0"], "--metrics-address: 'no.such.host.invalid'", "0.0.0.0"),
        ]
        let folder = try TemporaryFolder()
        for (arguments, error, remedy) in cases {
            let run = try await LearnTrackProcess.run(
                ["serve", "--port", "0", "--behind-proxy", "--data-dir", folder.path + "/data"] + arguments)
            #expect(run.status != 0)
            #expect(run.errors.contains(error) && run.errors.contains(remedy), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
        }
    }

    @Test(arguments: [
        (["--cors-origins", "app.exemple.fr"], "--cors-origins: a list of origins"),
        (["--cors-origins", "https://a.exemple.fr, https://b.exemple.fr/"], "without a slash at the end"),
        (["--outgoing-hosts", "http://hooks.exemple.lan/"], "--outgoing-hosts: a list of hosts"),
        (["--outgoing-hosts", "hooks.exemple.lan:port"], "without http://"),
        (["--request-timeout", "0"], "--request-timeout: a number of seconds above 0"),
        (["--data-dir", "/dev/null"], "cannot create the data directory /dev/null: there is a file of this name"),
    ])
    func `a value that could never work is refused with what is expected`(arguments: [String], error: String)
        async throws
    {
        let run = try await LearnTrackProcess.run(["serve", "--port", "0"] + arguments)
        #expect(run.status != 0)
        #expect(run.errors.contains(error), "\(run.errors)")
    }

    @Test func `an unknown flag is an error`() async throws {
        let run = try await LearnTrackProcess.run(["serve", "--port", "0", "--bad-flag"])
        #expect(run.status != 0)
        #expect(run.errors.contains("--bad-flag"))
    }

    @Test func `the embedded Postgres serves demo data and both demo accounts, and none is left after SIGTERM`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lt-embedded-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let data = folder.appendingPathComponent("data").path
        let process = try LearnTrackProcess(["serve", "--port", "0", "--demo", "--data-dir", data])
        let port = try await process.waitUntilReady()
        let explorer = try await HTTPConnection(port: port).request("GET", "/explorer").text
        #expect(explorer.contains(#"{"accounts":["admin@demo.learntrack.fr","user@demo.learntrack.fr"],"#))
        let nobody = try RPCClient(port: port, token: nil)
        for email in ["admin@demo.learntrack.fr", "USER@demo.learntrack.fr"] {
            let signedIn = try await nobody.call(
                "auth.login", ["email": .string(email), "password": "demo-learntrack"])
            #expect(signedIn["token_type"] == "Bearer")
            let client = try RPCClient(port: port, token: try #require(signedIn["access_token"]?.text))
            let list = try await client.call("sessions.list", ["count": true, "select": "{ id formateur { nom } }"])
            #expect(try #require(list["total"]?.int) >= 200)
        }
        // security.md: "Sent by SMTP (libcurl) when `SMTP_URL` is set; else written to the log with a warning in embedded
        // mode".
        _ = try await nobody.call("auth.request_password_reset", ["email": "user@demo.learntrack.fr"])
        var warning: Substring?
        try await eventually("the link is in the log") {
            warning = process.errors.split(separator: "\n").first {
                $0.contains("http://127.0.0.1:\(port)/explorer#reset=")
            }
            return warning != nil
        }
        #expect(warning?.lowercased().contains("warning") == true, "\(warning ?? "")")
        let token = try #require(warning?.split(separator: "#reset=").last).prefix(43)
        let reset: JSONValue = ["token": .string(String(token)), "new_password": "un tout nouveau mot de passe"]
        #expect(try await nobody.call("auth.reset_password", reset) == [:])
        try process.signal(SIGTERM)
        #expect(try await process.waitForExit() == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { entry in
            guard Int(entry) != nil, let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") else {
                return false
            }
            let text = String(decoding: line, as: UTF8.self)
            return text.contains("postgres") && text.contains(folder.path)
        }
        #expect(!left)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `an existing database is not served while an account of the demo data has its public password`()
        async throws
    {
        let database = try await TestDatabase.create(migrated: true)
        let environment = ["DATABASE_URL": database.connectionString, "JWT_SECRET": String(repeating: "s", count: 32)]
        let seed = try await LearnTrackProcess.run(["seed"], environment: environment)
        #expect(seed.status == 0, "\(seed.errors)")
        // An account as a domain's demo data may add one.
        try await database.psql(
            """
            INSERT INTO users (email) VALUES ('Visite@demo.learntrack.fr');
            INSERT INTO credentials (user_id, password_hash)
            SELECT v.id, c.password_hash FROM users v, credentials c JOIN users u ON u.id = c.user_id
            WHERE v.email LIKE 'Visite%' AND u.email = 'user@demo.learntrack.fr';
            UPDATE users SET is_active = false WHERE email = 'user@demo.learntrack.fr'
            """)
        let run = try await LearnTrackProcess.run(["serve", "--port", "0"], environment: environment)
        #expect(run.status != 0)
        #expect(
            run.errors.contains("admin@demo.learntrack.fr, Visite@demo.learntrack.fr can sign in"), "\(run.errors)")
    }

    @Test func `user add, list, disable and password manage accounts`() async throws {
        let server = try await TestServer.start()
        let url = server.database.connectionString
        let added = try await LearnTrackProcess.run(
            ["user", "add", "--email", "Nina@Test.example", "--role", "user", "--database-url", url],
            input: "un premier mot de passe\n")
        #expect(added.status == 0, "\(added.errors)")
        let nobody = try await server.client(nil)
        let login: @Sendable (String) async throws -> JSONValue = { password in
            try await nobody.response("auth.login", ["email": "nina@test.example", "password": .string(password)])
        }
        #expect(try await login("un premier mot de passe")["result"] != nil)
        let changed = try await LearnTrackProcess.run(
            ["user", "password", "nina@test.example", "--database-url", url], input: "un second mot de passe\n")
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(try await login("un premier mot de passe").at("/error/data/code") == "invalid_credentials")
        #expect(try await login("un second mot de passe")["result"] != nil)
        let list = try await LearnTrackProcess.run(["user", "list", "--database-url", url])
        #expect(list.output.lowercased().contains("nina@test.example"))
        let disabled = try await LearnTrackProcess.run(["user", "disable", "nina@test.example", "--database-url", url])
        #expect(disabled.status == 0, "\(disabled.errors)")
        #expect(try await login("un second mot de passe").at("/error/data/code") == "invalid_credentials")
    }
}
