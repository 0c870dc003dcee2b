import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct ServerTimingTests {
    private func timing(_ body: String, as email: String?) async throws -> String? {
        let server = try await TestServer.running()
        let token = try await server.client(email).token
        let headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        let answer = try await server.connection().request("POST", "/rpc", headers: headers, body: Array(body.utf8))
        return answer.headers["server-timing"]
    }

    @Test func `an administrator's answer says how long each stage took`() async throws {
        let read = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"clients.list\",\"params\":{\"select\":\"{ id }\"}}"
        let batch = "[\(read),\(read)]"
        let notification = "{\"jsonrpc\":\"2.0\",\"method\":\"auth.me\"}"
        let refused = read.replacingOccurrences(of: "{ id }", with: "{ none }")
        for body in [read, batch, notification, refused] {
            let header = try #require(try await timing(body, as: TestServer.admin), "\(body)")
            var milliseconds: [String: Double] = [:]
            for part in header.components(separatedBy: ", ") {
                let match = try #require(part.wholeMatch(of: /([a-z]+);dur=(\d+\.\d{3})/), "\(header)")
                milliseconds[String(match.1)] = Double(match.2)
            }
            let total = try #require(milliseconds["total"])
            if body == read {
                #expect(milliseconds["execute"] ?? 0 > 0)
                #expect(milliseconds.filter { $0.key != "total" }.values.reduce(0, +) <= total + 0.01, "\(header)")
            }
        }
    }

    @Test func `answers to other callers have no Server-Timing`() async throws {
        let read = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"clients.list\",\"params\":{\"select\":\"{ id }\"}}"
        let discovery = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}"
        let ofUser = try await timing(read, as: TestServer.user)
        let ofUnknown = try await timing(read, as: nil)
        let ofOpenMethod = try await timing(discovery, as: TestServer.admin)
        #expect(ofUser == nil)
        #expect(ofUnknown == nil)
        #expect(ofOpenMethod == nil, "an open method looks at no token")
    }
}
