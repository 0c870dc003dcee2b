import DomainKit
import JSON
import Testing

/// The examples of JSON-RPC 2.0, section 7, with named parameters and methods of this service.
@Suite struct EnvelopeTests {
    private func post(_ body: String) async throws -> HTTPConnection.Response {
        try await TestServer.running().client().post(body)
    }

    private static let list =
        #""method":"sessions.list","params":{"first":1,"select":"{ __typename }","where":{"id":0}}"#
    private static let empty = #""result":{"items":[],"end_cursor":null,"has_next_page":false}"#

    @Test func `a call has named parameters, and its members come in any order`() async throws {
        let one = try await post(#"{"jsonrpc":"2.0","id":3,\#(Self.list)}"#)
        #expect(one.text == #"{"jsonrpc":"2.0","id":3,\#(Self.empty)}"#)
        #expect(one.headers["content-type"] == "application/json")
        let other = try await post(
            #"{"params":{"id":0,"select":"{id}"},"id":"a\u00e9","method":"sessions.get","jsonrpc":"2.0"}"#)
        let error = try JSONValue.parse(other.body)
        #expect(error["id"] == "aé")
        #expect(error.at("/error/code") == -32602)
    }

    @Test(arguments: ["1", "-0", "1.50", "1e2", "12345678901234567890123", "\"\"", "\"x\"", "null", "\"\\u0001\""])
    func `ids come back with their type and digits`(id: String) async throws {
        let response = try await post(#"{"jsonrpc":"2.0","id":\#(id),\#(Self.list)}"#)
        #expect(response.status == 200)
        #expect(response.text == #"{"jsonrpc":"2.0","id":\#(id),\#(Self.empty)}"#)
    }

    @Test(arguments: [list, #""method":"nope""#])
    func `a notification gets no response`(members: String) async throws {
        let response = try await post(#"{"jsonrpc":"2.0",\#(members)}"#)
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        let batch = try await post(#"[{"jsonrpc":"2.0",\#(members)},{"jsonrpc":"2.0",\#(members)}]"#)
        #expect(batch.status == 204)
    }

    @Test(arguments: [
        (#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, -32700, "parse_error"),
        (
            #"[ {"jsonrpc": "2.0", "method": "sum", "params": {}, "id": "1"}, {"jsonrpc": "2.0", "method" ]"#,
            -32700, "parse_error"
        ),
        ("", -32700, "parse_error"),
        (#"{"jsonrpc":"2.0","id":1,"method":"\uD800"}"#, -32700, "parse_error"),
        ("[]", -32600, "invalid_request"),
        ("1", -32600, "invalid_request"),
        ("null", -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": 1, "params": {}}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "1.0", "method": "a", "id": 1}"#, -32600, "invalid_request"),
        (#"{"method": "a", "id": 1}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "params": null, "id": 1}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "params": 3, "id": 1}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "id": {}}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "id": true}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "id": 1, "id": 2}"#, -32600, "invalid_request"),
        (#"{"jsonrpc": "2.0", "method": "foobar", "id": 1}"#, -32601, "method_not_found"),
        (#"{"jsonrpc": "2.0", "method": "sessions.list", "params": [1], "id": 1}"#, -32602, "invalid_params"),
        (
            #"{"jsonrpc": "2.0", "method": "sessions.get", "params": {"id": 1, "id": 2}, "id": 1}"#, -32602,
            "invalid_params"
        ),
    ])
    func `a body that is not a call is an error with the right code`(body: String, code: Int, word: String) async throws
    {
        let response = try await post(body)
        #expect(response.status == 200)
        let answer = try JSONValue.parse(response.body)
        #expect(answer.at("/error/code") == JSONValue(code), "\(response.text)")
        #expect(answer.at("/error/data/code") == .string(word))
        #expect(answer.at("/error/data/request_id").text == response.headers["x-request-id"])
        #expect(answer.at("/error/message").text?.isEmpty == false)
        #expect(answer["jsonrpc"] == "2.0")
        #expect(answer["id"] != nil)
    }

    @Test func `each member of a batch gets its own response, in order`() async throws {
        let response = try await post(
            #"[{"jsonrpc":"2.0","id":"1",\#(Self.list)},{"jsonrpc":"2.0",\#(Self.list)},{"foo":"boo"},"#
                + #"{"jsonrpc":"2.0","method":"foo.get","params":{"name":"myself"},"id":"5"},1]"#)
        let answers = try JSONValue.parse(response.body).array
        #expect(answers.map { $0["id"] ?? "?" } == ["1", nil, "5", nil])
        #expect(answers[0]["result"] != nil)
        #expect(answers.dropFirst().map { $0.at("/error/code") } == [-32600, -32601, -32600])
    }

    @Test func `a batch of invalid members is an array of errors`() async throws {
        let answers = try JSONValue.parse(try await post("[1,2,3]").body).array
        #expect(answers.map { $0.at("/error/code") } == [-32600, -32600, -32600])
        #expect(answers.allSatisfy { $0["id"] == .null })
    }

    @Test func `a batch of 51 members is one error object`() async throws {
        let member = #"{"jsonrpc":"2.0","id":1,"method":"x"}"#
        let response = try await post("[" + Array(repeating: member, count: 51).joined(separator: ",") + "]")
        let answer = try JSONValue.parse(response.body)
        #expect(answer.at("/error/code") == 413)
        #expect(answer.at("/error/data/limit") == "batch")
        #expect(answer["id"] == .null)
    }

    @Test func `65 levels of JSONValue are an error`() async throws {
        let response = try await post(String(repeating: "[", count: 100) + String(repeating: "]", count: 100))
        let answer = try JSONValue.parse(response.body)
        #expect(answer.at("/error/code") == 413)
        #expect(answer.at("/error/data/limit") == "json_depth")
    }
}
