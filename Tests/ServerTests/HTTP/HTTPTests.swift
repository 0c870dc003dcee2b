import DomainKit
import JSON
import Testing

@Suite
struct HTTPTests {
    @Test(
        "what is not a call is refused with HTTP's own status and a JSON-RPC error",
        arguments: [
            ("GET", "/nothing", 404, "not_found"), ("GET", "/rpc", 405, "method_not_allowed"),
            ("DELETE", "/health/live", 405, "method_not_allowed"),
            ("PURGE", "/rpc", 405, "method_not_allowed"), ("FOO", "/health/live", 400, "bad_request"),
        ])
    func refusals(method: String, path: String, status: Int, word: String) async throws {
        let response = try await TestServer.running().connection().request(method, path)
        #expect(response.status == status)
        let answer = try JSONValue.parse(response.body)
        #expect(answer["id"] == .null)
        #expect(answer.at("/error/code") == JSONValue(status))
        #expect(answer.at("/error/data/code") == .string(word))
        #expect(answer.at("/error/data/request_id").text == response.headers["x-request-id"])
    }

    @Test(
        "four content types are taken, and none at all",
        arguments: [
            ("application/json", 200), ("application/json-rpc", 200), ("application/jsonrequest", 200),
            ("application/json; charset=utf-8", 200), (nil, 200), ("text/plain", 415), ("application/xml", 415),
        ] as [(String?, Int)])
    func contentTypes(type: String?, status: Int) async throws {
        let response = try await TestServer.running().connection().request(
            "POST", "/rpc", headers: type.map { [("Content-Type", $0)] } ?? [], body: Array("[]".utf8))
        #expect(response.status == status)
    }

    @Test func `a body over the limit is refused with 413 whether its length was announced or not`() async throws {
        let server = try await TestServer.running()
        let announced = try server.connection()
        try await announced.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n")
        let first = try #require(try await announced.receive())
        #expect(first.status == 413)
        #expect(try JSONValue.parse(first.body).at("/error/data/limit") == "body")
        let exact = try server.connection()
        let body = Array((#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).utf8)
        let padded = body + [UInt8](repeating: 0x20, count: 1_048_576 - body.count)
        let token = try await server.client().token ?? ""
        let whole = try await exact.request(
            "POST", "/rpc", headers: [("Authorization", "Bearer \(token)")], body: padded)
        #expect(whole.status == 200)
    }

    @Test func `health, metrics and the explorer’s page are served`() async throws {
        let server = try await TestServer.running()
        let connection = try server.connection()
        #expect(try await connection.request("GET", "/health/live").status == 200)
        let ready = try await connection.request("GET", "/health/ready")
        #expect(ready.status == 200, "\(ready.text)")
        let metrics = try await connection.request("GET", "/metrics")
        #expect(metrics.status == 200)
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain") == true)
        let page = try await connection.request("GET", "/explorer")
        #expect(page.status == 200)
        #expect(page.headers["content-type"]?.hasPrefix("text/html") == true)
        #expect(page.text.contains("/rpc"))
        #expect(try await connection.request("HEAD", "/explorer").body.isEmpty)
    }

    @Test func `a valid X-Request-Id is echoed and an invalid one is replaced`() async throws {
        let connection = try await TestServer.running().connection()
        let own = try await connection.request("GET", "/health/live", headers: [("X-Request-Id", "abc-123")])
        #expect(own.headers["x-request-id"] == "abc-123")
        let other = try await connection.request("GET", "/health/live", headers: [("X-Request-Id", "a b\"<script>")])
        #expect(other.headers["x-request-id"]?.isEmpty == false)
        #expect(other.headers["x-request-id"] != "a b\"<script>")
    }

    @Test func `two different Authorization headers are 401, and two equal ones are one`() async throws {
        let server = try await TestServer.running()
        let admin = "Bearer \(try await server.client().token ?? "")"
        let user = "Bearer \(try await server.client(TestServer.user).token ?? "")"
        let body = Array(#"{"jsonrpc":"2.0","id":1,"method":"auth.me"}"#.utf8)
        for (second, code) in [(admin, nil), (user, 401), ("Bearer x", 401)] as [(String, Int?)] {
            let response = try await server.connection().request(
                "POST", "/rpc", headers: [("Authorization", admin), ("Authorization", second)], body: body)
            let answer = try JSONValue.parse(response.body)
            #expect(answer.at("/error/code").int == code, "\(answer.json)")
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let connection = try await TestServer.running().connection()
        var text = ""
        for id in 0..<200 {
            let body = #"{"jsonrpc":"2.0","id":\#(id),"method":"nope"}"#
            text += "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        try await connection.send(text)
        for id in 0..<200 {
            let response = try #require(try await connection.receive())
            #expect(try JSONValue.parse(response.body)["id"] == JSONValue(id))
        }
    }

    @Test func `Expect 100-continue is answered with and without compression`() async throws {
        let connection = try await TestServer.running().connection()
        try await connection.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nAccept-Encoding: gzip\r\nContent-Length: 2\r\n\r\n"
        )
        #expect(try await connection.receive()?.status == 100)
        try await connection.send("[]")
        #expect(try await connection.receive()?.status == 200)
    }

    @Test func `bytes that are not HTTP are answered with 400 and the connection is closed`() async throws {
        let connection = try await TestServer.running().connection()
        try await connection.send("NONSENSE\r\n\r\n")
        #expect(try await connection.receive()?.status == 400)
        #expect(try await connection.isClosedByServer())
    }
}
