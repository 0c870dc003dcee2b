import JSON
import TestPostgres
import TestSupport
import Testing

/// security.md: "logout, deactivation … | the access token is refused at once on the instance that did it and within 1 s on every other".
/// A member that is activated again gets no token back.
struct DeactivationTests {
    private static func login(_ email: String, _ company: JSONValue, on server: TestServer) async throws -> JSONValue {
        try await RPCClient(port: server.port, token: nil).call(
            "auth.login",
            ["email": .string(email), "password": .string(TestServer.password), "company_id": company])
    }

    private static func client(_ session: JSONValue, on server: TestServer) throws -> RPCClient {
        try RPCClient(port: server.port, token: try #require(session["access_token"]?.text))
    }

    private static func refresh(_ session: JSONValue, on server: TestServer) async throws -> JSONValue {
        try await RPCClient(port: server.port, token: nil).response(
            "auth.refresh", ["refresh_token": session["refresh_token"] ?? .null])
    }

    /// Whether a call with the token of the session is refused as one with a revoked token.
    private static func isRevoked(_ session: JSONValue, on server: TestServer) async throws -> Bool {
        let answer = try await client(session, on: server).response("ecoles.list")
        return answer.at("/error/code") == 401 && answer.at("/error/data/reason") == "revoked"
    }

    /// A server with a second company, where the user administers and the administrator is a user.
    private static func server() async throws -> TestServer {
        let server = try await TestServer.start()
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Digue');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (email) VALUES ('\(TestServer.admin)');
            INSERT INTO users (email, role) VALUES ('\(TestServer.user)', 'admin');
            COMMIT;
            """)
        return server
    }

    @Test func `a member that is activated again gets a new token, and the one of before stays refused everywhere`()
        async throws
    {
        let server = try await Self.server()
        let other = try await TestServer.start(database: server.database)
        let before = try await Self.login(TestServer.admin, 2, on: server)
        let harbour = try await Self.login(TestServer.admin, 1, on: server)
        let admin = try Self.client(await Self.login(TestServer.user, 2, on: server), on: server)
        for server in [server, other] { #expect(try await !Self.isRevoked(before, on: server)) }

        let member = before.at("/user/id")
        for isActive in [false, true] {
            let changed = try await admin.call(
                "users.update", ["id": member, "values": ["is_active": .bool(isActive)]])
            #expect(changed["is_active"] == .bool(isActive))
            #expect(try await Self.isRevoked(before, on: server))
        }
        try await eventually("the other instance refuses it", within: .seconds(2)) {
            try await Self.isRevoked(before, on: other)
        }

        // The account is a member of another company: its sign-ins have not ended, and the person is back with a new token.
        let after = try #require(try await Self.refresh(before, on: other)["result"])
        #expect(after.at("/company/id") == 2)
        for server in [server, other] {
            #expect(try await !Self.isRevoked(after, on: server))
            #expect(try await Self.isRevoked(before, on: server))
            #expect(try await !Self.isRevoked(harbour, on: server))
        }
        // One that starts afterwards has seen nothing of it.
        #expect(try await other.stop() == 0)
        let later = try await TestServer.start(database: server.database)
        #expect(try await Self.isRevoked(before, on: later))
        #expect(try await !Self.isRevoked(after, on: later))
        #expect(try await !Self.isRevoked(harbour, on: later))
        // The history says what people have done, and not what the database counts.
        let history = try await admin.call("users.history", ["id": member, "select": "{ before after }"])
        #expect(!history.json.contains("deactivations"), "\(history.json)")
        #expect(try await later.stop() == 0)
        #expect(try await server.stop() == 0)
    }

    @Test func `a deactivation that ends at once, at psql, ends the tokens, too`() async throws {
        let server = try await Self.server()
        let before = try await Self.login(TestServer.admin, 2, on: server)
        #expect(try await !Self.isRevoked(before, on: server))
        _ = try await server.database.psql(
            """
            BEGIN;
            UPDATE users SET is_active = false WHERE company_id = 2 AND email = '\(TestServer.admin)';
            UPDATE users SET is_active = true WHERE company_id = 2 AND email = '\(TestServer.admin)';
            COMMIT;
            """)
        try await eventually("the token is refused", within: .seconds(2)) {
            try await Self.isRevoked(before, on: server)
        }
        let after = try #require(try await Self.refresh(before, on: server)["result"])
        #expect(try await !Self.isRevoked(after, on: server))
        // A change that is none of the kind leaves tokens alone.
        _ = try await server.database.psql(
            "UPDATE users SET username = 'Anne' WHERE company_id = 2 AND email = '\(TestServer.admin)'")
        try await Task.sleep(for: .seconds(1))
        #expect(try await !Self.isRevoked(after, on: server))
        #expect(try await server.stop() == 0)
    }

    @Test func `with its only company the sign-ins of an account end, and it signs in again`() async throws {
        let server = try await TestServer.start()
        let before = try await Self.login(TestServer.user, 1, on: server)
        let admin = try await server.client()
        for isActive in [false, true] {
            _ = try await admin.call(
                "users.update", ["id": before.at("/user/id"), "values": ["is_active": .bool(isActive)]])
        }
        #expect(try await Self.isRevoked(before, on: server))
        #expect(try await Self.refresh(before, on: server).at("/error/data/reason") == "revoked")
        let after = try await Self.login(TestServer.user, 1, on: server)
        #expect(try await !Self.isRevoked(after, on: server))
        #expect(try await server.stop() == 0)
    }
}
