import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md: "a rotated token used again after 10 s | the whole sign-in is revoked; within 10 s (a client's retry, 20
/// parallel calls, on any instance) all get the same one successor".
struct RefreshTests {
    /// Set LEARNTRACK_TEST_ROUNDS=200 for a thorough run.
    private static let rounds =
        ProcessInfo.processInfo.environment["LEARNTRACK_TEST_ROUNDS"].flatMap { Int($0) } ?? 10

    @Test
    func `twenty simultaneous refreshes on two instances get the same successor, round after round`() async throws {
        let one = try await TestServer.start()
        let two = try await TestServer.start(database: one.database)
        let signedIn = try await one.client(nil).call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        var token = try #require(signedIn["refresh_token"]?.text)
        let clients = try (0..<20).map { try RPCClient(port: [one, two][$0 % 2].port, token: nil) }
        for round in 1...Self.rounds {
            let current = token
            let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                for client in clients {
                    group.addTask { try await client.call("auth.refresh", ["refresh_token": .string(current)]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let successors = Set(answers.compactMap { $0["refresh_token"]?.text })
            #expect(successors.count == 1, "round \(round)")
            token = try #require(successors.first)
            #expect(token != current)
            let access = try #require(answers.last?["access_token"]?.text)
            let me = try await RPCClient(port: two.port, token: access).call("auth.me", ["select": "{ email }"])
            #expect(me["email"] == .string(TestServer.user))
        }
        #expect(try await one.database.psql("SELECT count(*) FROM sign_ins WHERE ended_at IS NULL") == "1")
    }

    @Test func `a stolen token that is used after its exchange ends the sign-in on every instance`() async throws {
        let one = try await TestServer.start()
        let two = try await TestServer.start(database: one.database)
        let nobody = try await two.client(nil)
        let signedIn = try await nobody.call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let stolen = try #require(signedIn["refresh_token"]?.text)
        let next = try await nobody.call("auth.refresh", ["refresh_token": .string(stolen)])
        let owner = try RPCClient(port: one.port, token: try #require(next["access_token"]?.text))
        #expect(try await owner.response("auth.me")["result"] != nil)
        _ = try await one.database.psql(
            "UPDATE sign_ins SET rotated_at = ARRAY(SELECT t - interval '11 seconds' FROM unnest(rotated_at) t)")
        #expect(
            try await nobody.refusal("auth.refresh", ["refresh_token": .string(stolen)]).at("/data/reason") == "revoked"
        )
        try await eventually("the other instance refuses too") {
            try await owner.response("auth.me").at("/error/data/reason") == "revoked"
        }
        let last = try #require(next["refresh_token"]?.text)
        #expect(
            try await nobody.refusal("auth.refresh", ["refresh_token": .string(last)]).at("/data/reason") == "revoked")
    }

    private static let pair = Shared {
        let one = try await TestServer.start()
        return (one, try await TestServer.start(database: one.database))
    }

    /// security.md: "logout, deactivation, role change, password change | the access token is refused at once on the
    /// instance that did it and within 1 s on every other": `RevocationFaultTests`, which runs alone, measures the time.
    @Test(arguments: ["logout", "everywhere", "end_sign_in", "password", "role", "deactivation"])
    func `a revoked token is rejected at once where it was revoked and soon on the other instance`(by way: String)
        async throws
    {
        let (one, two) = try await Self.pair.value()
        let email = "\(way)@test.example"
        let login: JSONValue = ["email": .string(email), "password": .string(TestServer.password)]
        let admin = try await one.client()
        let values: JSONValue = ["email": .string(email), "password": .string(TestServer.password)]
        let id = try #require(try await admin.call("users.create", ["values": values])["id"])
        let victim = try await one.client(nil).call("auth.login", login)
        let access = try #require(victim["access_token"]?.text)
        let here = try RPCClient(port: one.port, token: access), there = try RPCClient(port: two.port, token: access)
        #expect(try await here.response("auth.me")["result"] != nil)
        #expect(try await there.response("auth.me")["result"] != nil)
        switch way {
        case "logout":
            let refresh = try #require(victim["refresh_token"]?.text)
            #expect(try await one.client(nil).call("auth.logout", ["refresh_token": .string(refresh)]) == [:])
        case "everywhere":
            let other = try await one.client(nil).call("auth.login", login)
            let refresh = other["refresh_token"] ?? .null
            _ = try await one.client(nil).call("auth.logout", ["refresh_token": refresh, "everywhere": true])
        case "end_sign_in":
            let other = try await one.client(nil).call("auth.login", login)
            let client = try RPCClient(port: one.port, token: try #require(other["access_token"]?.text))
            let signIns = try await client.call("auth.list_sign_ins").at("/items").array
            #expect(signIns.count == 2)
            let first = try #require(signIns.first { $0["current"] == false }?["id"])
            #expect(try await client.call("auth.end_sign_in", ["id": first]) == [:])
            #expect(try await client.refusal("auth.end_sign_in", ["id": first])["code"] == 404)
        case "password":
            let other = try await one.client(nil).call("auth.login", login)
            let client = try RPCClient(port: one.port, token: try #require(other["access_token"]?.text))
            _ = try await client.call(
                "auth.change_password",
                ["current_password": .string(TestServer.password), "new_password": "un mot de passe neuf"])
            #expect(try await client.response("auth.me")["result"] != nil)
        case "role": _ = try await admin.call("users.update", ["id": id, "values": ["role": "admin"]])
        default: _ = try await admin.call("users.update", ["id": id, "values": ["is_active": false]])
        }
        #expect(try await here.refusal("auth.me").at("/data/reason") == "revoked")
        try await eventually("the other instance refuses too") {
            try await there.response("auth.me").at("/error/data/reason") == "revoked"
        }
    }
}
