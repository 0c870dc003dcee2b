import DomainKit
import Foundation
import JSON
import TestSupport

/// A JSON-RPC client over one HTTP connection.
final class RPCClient: Sendable {
    let http: HTTPConnection
    let token: String?

    init(port: Int, token: String?) throws {
        http = try HTTPConnection(port: port)
        self.token = token
    }

    struct CallError: Error, CustomStringConvertible {
        let error: JSONValue
        var description: String { error.json }
    }

    /// The response to a body sent to `/rpc`.
    func post(_ body: String, headers: [(String, String)] = []) async throws -> HTTPConnection.Response {
        var all = [("Content-Type", "application/json")] + headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        return try await http.request("POST", "/rpc", headers: all, body: Array(body.utf8))
    }

    /// The response object of one call.
    func response(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        var request: [(String, JSONValue)] = [("jsonrpc", "2.0"), ("id", 1), ("method", .string(method))]
        if let params { request.append(("params", params)) }
        let text = "{" + request.map { "\"\($0.0)\":" + $0.1.json }.joined(separator: ",") + "}"
        let response = try await post(text)
        guard response.status == 200 else { throw TestEnvironmentError("HTTP \(response.status): \(response.text)") }
        return try JSONValue.parse(response.body)
    }

    /// The result of one call.
    /// - Throws: `CallError` when the answer is an error.
    func call(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        let response = try await response(method, params)
        guard let result = response["result"] else { throw CallError(error: response["error"] ?? response) }
        return result
    }

    /// The error of a call that must fail.
    func refusal(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        let response = try await response(method, params)
        guard let error = response["error"] else { throw TestEnvironmentError("not refused: \(response.json)") }
        return error
    }
}
