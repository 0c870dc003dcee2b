import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md: "logout, deactivation, role change, password change | the access token is refused at once on the instance
/// that did it and within 1 s on every other (…; while LISTEN is down, the database is asked)". All kinds of
/// revocation: `RefreshTests`.
struct RevocationFaultTests {
    @Test
    func `a revoked token is rejected on the other server within a second, with LISTEN up or down`() async throws {
        let one = try await TestServer.start()
        let other = try await TestServer.start(database: one.database)
        func listeners() async throws -> String {
            try await one.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'learntrack_auth % listener'"
            )
        }
        try await eventually("both listen") { try await listeners() == "2" }
        let admin = try await one.client()
        _ = try await admin.call("auth.me")
        for round in 0..<6 {
            let signedIn = try await RPCClient(port: one.port, token: nil)
                .call("auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
            let token = try #require(signedIn["access_token"]?.text)
            let there = try RPCClient(port: other.port, token: token)
            #expect(try await there.call("auth.me")["email"] == .string(TestServer.user))
            if round.isMultiple(of: 2) {
                // Announcements are lost from here on.
                try await one.database.psql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'learntrack_auth % listener'"
                )
            }
            let id = signedIn.at("/user/id")
            switch round / 2 {
            case 0:
                _ = try await admin.call("auth.logout", ["refresh_token": signedIn["refresh_token"] ?? .null])
            case 1:
                let other: JSONValue = signedIn.at("/user/role") == "admin" ? "user" : "admin"
                _ = try await admin.call("users.update", ["id": id, "values": ["role": other]])
            default: _ = try await admin.call("users.update", ["id": id, "values": ["is_active": false]])
            }
            let start = ContinuousClock.now
            try await eventually("it is refused", within: .seconds(20)) {
                try await there.response("auth.me").at("/error/code") == 401
            }
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(1), "round \(round): \(taken)")
            _ = try await admin.call("users.update", ["id": id, "values": ["is_active": true]])
            try await eventually("both listen again") { try await listeners() == "2" }
        }
        #expect(try await one.stop() == 0)
        #expect(try await other.stop() == 0)
    }
}
