import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

@Suite struct LogTests {
    private func lines(of server: TestServer) throws -> [JSONValue] {
        try server.process.errors.split(separator: "\n").map { try JSONReader.read(String($0)).value }
    }

    @Test func `the line of a request has its id, account, method, code and time`() async throws {
        let server = try await TestServer.start(["--log-format", "json"])
        let client = try await server.client()
        let me = try await client.call("auth.me")
        let connection = try server.connection()
        let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no.such\"}"
        _ = try await connection.request(
            "POST", "/rpc", headers: [("X-Request-Id", "a-missing-method")], body: Array(body.utf8))
        var succeeded: JSONValue?
        var failed: JSONValue?
        try await eventually("both requests are logged") {
            let all = try lines(of: server)
            succeeded = all.first { $0["method"] == "auth.me" }
            failed = all.first { $0["request_id"] == "a-missing-method" }
            return succeeded != nil && failed != nil
        }
        #expect(succeeded?["account"] == me["id"])
        #expect(succeeded?["code"] == 0)
        #expect(succeeded?["ms"]?.double ?? 0 > 0 && succeeded?["request_id"] != nil)
        #expect(failed?["code"] == -32601)
        #expect(failed?["account"] == nil)
        #expect(try await server.stop() == 0)
    }

    @Test func `each call of a batch has a line with its method, code and time`() async throws {
        let server = try await TestServer.start(["--log-format", "json"])
        let client = try await server.client()
        let me = try await client.call("auth.me")
        let token = try #require(client.token)
        let calls = [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"auth.me\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"clients.get\",\"params\":{\"id\":0}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}",
        ]
        _ = try await server.connection().request(
            "POST", "/rpc", headers: [("Authorization", "Bearer \(token)"), ("X-Request-Id", "a-batch")],
            body: Array("[\(calls.joined(separator: ","))]".utf8))
        var found: [JSONValue] = []
        try await eventually("the batch and its calls are logged") {
            found = try lines(of: server).filter { $0["request_id"] == "a-batch" }
            return found.count == 4
        }
        #expect(found[0]["calls"] == 3)
        #expect(found[0]["method"] == nil)
        #expect(found[0]["code"] != 0)
        #expect(found[1...].map { $0["call"]?.int } == [0, 1, 2])
        #expect(found[1...].map { $0["method"]?.text } == ["auth.me", "clients.get", "-"])
        #expect(found[1]["code"] == 0)
        #expect(found[2]["code"] == found[0]["code"])
        #expect(found[3]["code"] == -32601)
        #expect(found.allSatisfy { $0["account"] == me["id"] && $0["ms"] != nil })
        #expect(try await server.stop() == 0)
    }

    @Test func `of many requests in a second some are logged, and the others counted`() async throws {
        let server = try await TestServer.start(["--log-format", "json"])
        let connection = try server.connection()
        let refused = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.no\"}"
        let count = 400
        for _ in 0..<count { _ = try await connection.request("POST", "/rpc", body: Array(refused.utf8)) }
        try await eventually("each request is logged or counted", within: .seconds(10)) {
            let lines = try lines(of: server).filter { $0["code"] == -32601 }
            let written = lines.count { $0["request_id"] != nil }
            let others = lines.compactMap { $0["count"]?.int }.reduce(0, +)
            return written + others == count && written < count
        }
        #expect(try await server.stop() == 0)
    }
}
