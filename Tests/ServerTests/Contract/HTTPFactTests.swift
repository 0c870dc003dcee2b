import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// The contract's section "HTTP", as far as no other suite tests it.
@Suite struct HTTPFactTests {
    private static let call = #"{"jsonrpc":"2.0","id":1,"method":"rpc.nothing"}"#

    @Test func `415 and 413 are JSONValue-RPC errors with id null and the status as code`() async throws {
        let server = try await TestServer.running()
        let type = try await server.connection().request(
            "POST", "/rpc", headers: [("Content-Type", "text/plain")], body: Array(Self.call.utf8))
        let large = try await server.connection().request(
            "POST", "/rpc", body: [UInt8](repeating: 0x20, count: 1_048_577))
        for (response, code, word) in [(type, 415, "unsupported_media_type"), (large, 413, "limit_exceeded")] {
            #expect(response.status == code)
            #expect(response.headers["content-type"] == "application/json")
            let answer = try JSONValue.parse(response.body)
            #expect(answer["jsonrpc"] == "2.0")
            #expect(answer["id"] == .null)
            #expect(answer.at("/error/code") == JSONValue(code))
            #expect(answer.at("/error/data/code") == .string(word))
        }
    }

    @Test func `every response carries X-Request-Id, and errors repeat it in data`() async throws {
        let server = try await TestServer.running()
        let connection = try server.connection()
        var errors = 0
        for (method, path, body) in [
            ("GET", "/", nil), ("GET", "/openrpc.json", nil), ("GET", "/health/ready", nil), ("GET", "/metrics", nil),
            ("GET", "/nothing", nil), ("PUT", "/rpc", nil), ("POST", "/rpc", Self.call), ("POST", "/rpc", "["),
            ("POST", "/rpc", #"{"jsonrpc":"2.0","method":"rpc.nothing"}"#),
        ] as [(String, String, String?)] {
            let response = try await connection.request(
                method, path, headers: [("X-Request-Id", "suivi-42")], body: body.map { Array($0.utf8) })
            #expect(response.headers["x-request-id"] == "suivi-42", "\(method) \(path)")
            #expect(response.headers["x-content-type-options"] == "nosniff", "\(method) \(path)")
            if response.body.first == UInt8(ascii: "{"), let error = try JSONValue.parse(response.body)["error"] {
                #expect(error.at("/data/request_id") == "suivi-42")
                errors += 1
            }
        }
        #expect(errors >= 2, "an unknown method and a body that is not JSON")
    }

    @Test(
        arguments: [
            ("auth.login", ["email": "a@b.fr", "password": "x"], "invalid_credentials"),
            ("auth.refresh", ["refresh_token": "x"], "unauthenticated"), ("auth.logout", ["refresh_token": "x"], nil),
            ("rpc.discover", [:], nil),
        ] as [(String, JSONValue, String?)])
    func `methods without authentication ignore the token`(method: String, params: JSONValue, error: String?)
        async throws
    {
        let client = try RPCClient(port: try await TestServer.running().port, token: "n'est pas un jeton")
        let answer = try await client.response(method, params)
        #expect(answer.at("/error/data/code") == (error.map { .string($0) } ?? .null))
        let missing = try RPCClient(port: try await TestServer.running().port, token: nil)
        #expect(try await missing.response(method, params).at("/error/data/code") == answer.at("/error/data/code"))
    }

    @Test func `large responses are compressed for clients that accept it, small ones never`() async throws {
        let server = try await TestServer.running()
        let gzip = [("Accept-Encoding", "gzip")]
        let large = try await server.connection().request("GET", "/openrpc.json", headers: gzip)
        #expect(large.headers["content-encoding"] == "gzip")
        #expect(large.headers["vary"]?.lowercased().contains("accept-encoding") == true)
        let whole = try await server.connection().request("GET", "/openrpc.json")
        #expect(whole.headers["content-encoding"] == nil)
        #expect(large.body.count * 4 < whole.body.count)
        let small = try await server.connection().request("GET", "/health/live", headers: gzip)
        #expect(small.headers["content-encoding"] == nil)
    }

    @Test func `limits and origins come from the settings, and ready is 503 with its reason without a database`()
        async throws
    {
        let server = try await TestServer.start(
            [
                "--max-body", "2000", "--max-json-depth", "8", "--max-batch", "3", "--max-selection-depth", "1",
                "--max-cost", "60", "--max-first", "20", "--cors-origins", "https://front.example",
            ])
        let client = try await server.client()
        func limit(_ body: String) async throws -> JSONValue {
            let answer = try JSONValue.parse(try await client.post(body).body)
            #expect(answer.at("/error/code") == 413, "\(answer.json)")
            return answer.at("/error/data/limit")
        }
        #expect(try await limit("[" + Array(repeating: Self.call, count: 4).joined(separator: ",") + "]") == "batch")
        #expect(try await limit(String(repeating: "[", count: 9) + String(repeating: "]", count: 9)) == "json_depth")
        let body = try await server.connection().request("POST", "/rpc", body: [UInt8](repeating: 0x20, count: 2001))
        #expect(try JSONValue.parse(body.body).at("/error/data/limit") == "body")
        let deep = try await client.refusal(
            "sessions.list", ["first": 1, "select": "{ client { sessions(first: 1) { id } } }"])
        #expect(deep.at("/data/limit") == "selection_depth")
        let dear = try await client.refusal("clients.list", ["first": 20, "select": "{ sessions(first: 4) { id } }"])
        #expect(dear.at("/data/limit") == "cost")
        #expect(dear.at("/data/price") == 100)
        #expect(dear.at("/data/max") == 60)
        #expect(dear.at("/data/path").text?.contains("sessions") == true)
        let first = try await client.refusal("sessions.list", ["first": 21])
        #expect(first["code"] == -32602)
        #expect(first.at("/data/errors/0/path") == "/first")

        let origin = [("Origin", "https://front.example")]
        let allowed = try await server.connection().request("GET", "/health/live", headers: origin)
        #expect(allowed.headers["access-control-allow-origin"] == "https://front.example")
        let other = try await server.connection().request(
            "GET", "/health/live", headers: [("Origin", "https://other.example")])
        #expect(other.headers["access-control-allow-origin"] == nil)
        let none = try await TestServer.running().connection().request("GET", "/health/live", headers: origin)
        #expect(none.headers["access-control-allow-origin"] == nil, "none by default")

        #expect(try await server.connection().request("GET", "/health/ready").status == 200)
        try await server.database.drop()
        try await eventually("ready notices that the database has gone") {
            let ready = try await server.connection().request("GET", "/health/ready")
            guard ready.status == 503 else { return false }
            #expect(ready.headers["content-type"] == "application/json")
            return try JSONValue.parse(ready.body) != .null
        }
        #expect(try await server.connection().request("GET", "/health/live").status == 200)
    }
}
