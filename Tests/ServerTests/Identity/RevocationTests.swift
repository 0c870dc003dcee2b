import DomainKit
import TestPostgres
import Testing

@Suite("Signed out on one server, refused on the other")
struct RevocationTests {
    @Test("within a second, with LISTEN up and while it is down")
    func twoServers() async throws {
        let one = try await TestServer.start()
        let other = try await TestServer.start(database: one.database)
        func listeners() async throws -> String {
            try await one.database.psql(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%listener'"
            )
        }
        try await eventually("both listen") { try await listeners() == "2" }
        for round in 0..<6 {
            let signedIn = try await RPCClient(port: one.port, token: nil)
                .call("auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
            let token = try #require(signedIn["access_token"]?.text)
            let there = try RPCClient(port: other.port, token: token)
            #expect(try await there.call("auth.me")["email"] == .string(TestServer.user))
            if round.isMultiple(of: 2) {
                // Whatever is announced from here on, nobody hears.
                try await one.database.psql(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%listener'"
                )
            }
            _ = try await RPCClient(port: one.port, token: token)
                .call("auth.logout", ["refresh_token": signedIn["refresh_token"] ?? .null])
            let start = ContinuousClock.now
            try await eventually("it is refused", ceiling: .seconds(20)) {
                try await there.response("auth.me").at("/error/code") == 401
            }
            let taken = ContinuousClock.now - start
            #expect(taken < .seconds(1), "round \(round): \(taken)")
            try await eventually("both listen again") { try await listeners() == "2" }
        }
        #expect(try await one.stop() == 0)
        #expect(try await other.stop() == 0)
    }
}
