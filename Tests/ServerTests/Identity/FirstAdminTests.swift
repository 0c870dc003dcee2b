import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

struct FirstAdminTests {
    private static let password = "un long mot de passe"

    private func start(_ database: TestDatabase) throws -> LearnTrackProcess {
        try LearnTrackProcess(
            ["serve", "--port", "0"],
            environment: ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret])
    }

    private func port(of process: LearnTrackProcess) async throws -> Int {
        let ready = "LearnTrack ready on http://127.0.0.1:"
        var port: Int?
        try await eventually("the server is ready: \(process.errors)") {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            port = lines.first { $0.hasPrefix(ready) }.flatMap { Int($0.dropFirst(ready.count)) }
            return port != nil
        }
        return port ?? 0
    }

    private func link(printedBy process: LearnTrackProcess) async throws -> String {
        var printed: Substring?
        try await eventually("the link is printed") {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            printed = lines.first { $0.hasPrefix("No administrator yet") }
            return printed != nil
        }
        return try #require(printed?.split(separator: " ").last.map(String.init))
    }

    @Test func `the token printed at the start creates one administrator, once`() async throws {
        try await TestDatabase.with { database in
            let process = try start(database)
            let nobody = try RPCClient(port: try await port(of: process), token: nil)
            let token = try #require(
                try await link(printedBy: process).split(separator: "#setup=").last.map(String.init))
            #expect(token.utf8.count == 43)
            let params: @Sendable (String, String, String) -> JSONValue = { token, email, password in
                ["token": .string(token), "email": .string(email), "password": .string(password)]
            }
            let wrong = try await nobody.refusal(
                "auth.create_first_admin", params(String(token.reversed()), "anne@test.example", Self.password))
            #expect(wrong["code"] == -32602)
            #expect(wrong.at("/data/errors/0/path") == "/token")
            let poor = try await nobody.refusal("auth.create_first_admin", params(token, "anne", Self.password))
            #expect(poor.at("/data/errors/0/path") == "/email", "\(poor.json)")
            #expect(poor.at("/data/errors/0/code") == "format")
            let short = try await nobody.refusal("auth.create_first_admin", params(token, "anne@test.example", "court"))
            #expect(short.at("/data/errors").array.compactMap { $0["path"]?.text } == ["/password"])
            let all = try await nobody.refusal(
                "auth.create_first_admin",
                [
                    "token": .string(token), "email": "anne", "password": "court",
                    "username": .string(.init(repeating: "u", count: 101)),
                ])
            #expect(
                all.at("/data/errors").array.compactMap { $0["path"]?.text }.sorted()
                    == ["/email", "/password", "/username"])

            // Several calls at the same time create one account.
            let port = try await port(of: process)
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        try await RPCClient(port: port, token: nil).response(
                            "auth.create_first_admin", params(token, "anne\(index)@test.example", Self.password))
                    }
                }
                return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
            }
            let made = answers.compactMap { $0["result"] }
            #expect(made.count == 1)
            #expect(made.first?["role"] == "admin")
            #expect(try await database.psql("SELECT count(*) FROM users").hasPrefix("1"))
            let email = try #require(made.first?["email"]?.text)
            let signedIn = try await nobody.call(
                "auth.login", ["email": .string(email), "password": .string(Self.password)])
            #expect(signedIn.at("/user/role") == "admin")
            let again = try await nobody.refusal(
                "auth.create_first_admin", params(token, "zoe@test.example", Self.password))
            #expect(again.at("/data/errors/0/path") == "/token")
            // The database does not create a first administrator beside another one, with or without a token.
            let second = try await database.psql(
                "SET ROLE learntrack_auth; SELECT kernel.first_admin('zoe@test.example', NULL, 'x') IS NULL")
            #expect(second.contains("t"))
            #expect(!process.errors.contains(token))
            try process.signal(SIGTERM)
            #expect(try await process.waitForExit() == 0)
        }
    }

    @Test func `no token is printed while there is an administrator, and the command line warns when none is left`()
        async throws
    {
        let server = try await TestServer.start()
        let client = try await server.client()
        _ = try await client.call("auth.me")
        #expect(!server.process.output.contains("No administrator"))
        let url = server.database.connectionString
        let run = try await LearnTrackProcess.run(["user", "disable", TestServer.admin, "--database-url", url])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("no active administrator is left"))
        let error = try await server.client(nil).refusal(
            "auth.create_first_admin",
            [
                "token": .string(String(repeating: "A", count: 43)), "email": "zoe@test.example",
                "password": .string(Self.password),
            ])
        #expect(error.at("/data/errors/0/path") == "/token")
    }
}
