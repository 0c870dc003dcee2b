import Testing

@testable import HTTPServer

@Suite struct CrossOriginTests {
    private static let preflight =
        "OPTIONS /rpc HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"

    @Test func `no origin is allowed by default`() async throws {
        try await TestServer.run { server in
            let response = try await server.send(post("[]", headers: "Origin: https://app.example\r\n"))
            #expect(response.status == 200)
            #expect(response["Access-Control-Allow-Origin"] == nil)
            #expect(response["Vary"] == nil)
            #expect(try await server.send(Self.preflight).status == 405)
        }
    }

    @Test func `an allowed origin may send preflight requests and read responses`() async throws {
        try await TestServer.run(configure: { $0.allowedOrigins = ["https://app.example"] }) { server in
            let asked = try await server.send(Self.preflight)
            #expect(asked.status == 204)
            #expect(asked["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(asked["Access-Control-Allow-Methods"] == "POST")
            #expect(asked["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
            let answered = try await server.send(post("[]", headers: "Origin: https://app.example\r\n"))
            #expect(answered["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(answered["Access-Control-Expose-Headers"] == "X-Request-Id")
            #expect(answered.all("Vary") == ["Origin"])
            let refused = try await server.send(
                "GET /nowhere HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\r\n")
            #expect(refused.status == 404)
            #expect(refused["Access-Control-Allow-Origin"] == "https://app.example")
        }
    }

    @Test func `an origin that is not allowed may read no response`() async throws {
        try await TestServer.run(configure: { $0.allowedOrigins = ["https://other.example"] }) { server in
            #expect(try await server.send(Self.preflight)["Access-Control-Allow-Origin"] == nil)
            let response = try await server.send(post("[]", headers: "Origin: https://app.example\r\n"))
            #expect(response["Access-Control-Allow-Origin"] == nil)
            #expect(response.all("Vary") == ["Origin"])
        }
    }

    @Test func `every origin is allowed when the configuration says so`() async throws {
        try await TestServer.run(configure: { $0.allowedOrigins = ["*"] }) { server in
            let response = try await server.send(Self.preflight)
            #expect(response["Access-Control-Allow-Origin"] == "*")
        }
    }
}
