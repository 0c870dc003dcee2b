import DomainKit
import JSON
import Testing

/// The token is verified before the body is read.
@Suite struct BodyAdmissionTests {
    private static let large = 100_000

    /// Sends the head of a large request only.
    private func answer(to authorization: [String], on server: TestServer) async throws -> HTTPConnection.Response {
        let connection = try server.connection()
        let headers = authorization.map { "Authorization: \($0)\r\n" }.joined()
        try await connection.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(Self.large)\r\n\r\n")
        let response = try #require(try await connection.receive())
        #expect(try await connection.isClosedByServer())
        return response
    }

    private func expectRefused(_ response: HTTPConnection.Response, _ reason: String) throws {
        #expect(response.status == 401)
        let answer = try JSONValue.parse(response.body)
        #expect(answer["id"] == .null)
        #expect(answer.at("/error/code") == 401)
        #expect(answer.at("/error/data/code") == "unauthenticated")
        #expect(answer.at("/error/data/reason") == .string(reason))
    }

    @Test func `a large body is refused at its head without a token or with an invalid one`() async throws {
        let server = try await TestServer.running()
        let token = try #require(try await server.client().token)
        try expectRefused(try await answer(to: [], on: server), "missing")
        try expectRefused(try await answer(to: ["Bearer x"], on: server), "invalid")
        try expectRefused(try await answer(to: ["Bearer \(token)", "Bearer x"], on: server), "invalid")
        let small = try await server.connection().request(
            "POST", "/rpc", headers: [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer x")],
            body: Array(#"{"jsonrpc":"2.0","id":1,"method":"sessions.list"}"#.utf8))
        #expect(try JSONValue.parse(small.body).at("/error/data/reason") == "invalid")
    }

    @Test func `a large body is refused with the token of a sign-in that has ended`() async throws {
        let server = try await TestServer.running()
        let open = try RPCClient(port: server.port, token: nil)
        let signedIn = try await open.call(
            "auth.login", ["email": .string(TestServer.user), "password": .string(TestServer.password)])
        let token = try #require(signedIn["access_token"]?.text)
        let client = try RPCClient(port: server.port, token: token)
        let call = #"{"jsonrpc":"2.0","id":1,"method":"sessions.list"}"#
        let padded = call + String(repeating: " ", count: Self.large)
        #expect(try JSONValue.parse(try await client.post(padded).body)["result"] != nil)
        _ = try await client.call("auth.logout", ["refresh_token": signedIn["refresh_token"] ?? .null])
        try expectRefused(try await answer(to: ["Bearer \(token)"], on: server), "revoked")
    }
}
