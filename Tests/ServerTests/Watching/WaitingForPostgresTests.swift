import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct WaitingForPostgresTests {
    @Test(arguments: [
        (
            "postgres://claire:geheim-4711@127.0.0.1:9/learntrack",
            ["\"127.0.0.1\"", "port 9", "Connection refused"]
        ),
        (
            "postgres://claire:geheim-4711@no-such-host.invalid:5433/learntrack",
            ["\"no-such-host.invalid\"", "could not translate host name"]
        ),
        ("host=/no/such/folder password=geheim-4711 dbname=learntrack", ["/no/such/folder", "No such file"]),
    ])
    func `a server that waits for its database says where it looked and what it was answered`(
        url: String, expected: [String]
    ) async throws {
        let process = try LearnTrackProcess(
            ["serve", "--port", "0"], environment: ["DATABASE_URL": url, "JWT_SECRET": TestServer.secret])
        try await eventually("it says that it waits", within: .seconds(30)) {
            process.errors.contains("Waiting for Postgres: it does not answer (")
        }
        for part in expected { #expect(process.errors.contains(part), "\(process.errors)") }
        #expect(!process.errors.contains("geheim-4711"))
        try process.signal(SIGTERM)
        try await process.waitForExit()
        #expect(process.errors.contains("Stopped during the start"))
        #expect(!process.errors.contains("CancellationError"), "\(process.errors)")
    }

    @Test func `a server waits for a place among the connections, and a command says what takes them`() async throws {
        let database = try await TestDatabase.create(migrated: true, on: try await TestCluster.own())
        let login = "lt_crowded_\(UInt32.random(in: 0 ..< .max))"
        // The login of a server is seldom a superuser, whom no limit binds.
        try await database.psql("CREATE ROLE \(login) LOGIN CONNECTION LIMIT 0")
        let environment = [
            "DATABASE_URL": database.connectionString + " user=\(login)", "JWT_SECRET": TestServer.secret,
        ]
        let command = try await LearnTrackProcess.run(["user", "list"], environment: environment)
        #expect(command.status != 0)
        #expect(command.errors.contains("CONNECTION LIMIT"), "\(command.errors)")
        #expect(!command.errors.contains("start that Postgres"), "\(command.errors)")
        let process = try LearnTrackProcess(["serve", "--port", "0"], environment: environment)
        try await process.waitForLog("Waiting for Postgres: it has no place for a connection")
        #expect(process.errors.contains("53300"), "\(process.errors)")
        #expect(!process.errors.contains("LOCATION"), "\(process.errors)")
        try await database.psql("ALTER ROLE \(login) SUPERUSER CONNECTION LIMIT -1")
        _ = try await process.waitUntilReady()
        try process.signal(SIGTERM)
        #expect(try await process.waitForExit() == 0)
    }

    @Test func `an address that cannot be meant ends the start instead of being waited for`() async throws {
        let run = try await LearnTrackProcess.run(
            ["serve", "--port", "0"],
            environment: [
                "DATABASE_URL": "postgres://claire@127.0.0.1:54320000/learntrack", "JWT_SECRET": TestServer.secret,
            ])
        #expect(run.status != 0)
        #expect(run.errors.contains("invalid port number: \"54320000\""), "\(run.errors)")
        #expect(run.errors.contains("correct --database-url (DATABASE_URL)"))
    }

    @Test func `commands name what to do about a database that they cannot read or may not use`() async throws {
        let database = try await TestDatabase.create(migrated: true, on: try await TestCluster.own())
        let login = "lt_stranger_\(UInt32.random(in: 0 ..< .max))"
        try await database.psql("CREATE ROLE \(login) LOGIN")
        var errors: [String: String] = [:]
        for (name, url) in [("unreadable", "mysql://x/y"), ("stranger", database.connectionString + " user=\(login)")] {
            errors[name] = try await LearnTrackProcess.run(["user", "list"], environment: ["DATABASE_URL": url]).errors
        }
        try await database.psql("DROP ROLE \(login)")
        #expect(errors["unreadable"]?.contains("postgres://login:password@host:port/database") == true, "\(errors)")
        #expect(errors["stranger"]?.contains("Rights of the login") == true, "\(errors)")
    }
}
