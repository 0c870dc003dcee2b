import DomainKit
import JSON
import NIOCore
import Testing

@testable import RPCServer

@Suite struct ResponseSizeBudgetTests {
    private static let max = 1 << 20

    private static let count = MethodParameter("count", .integer, summary: "")

    /// `text` returns a text of `count` bytes, and `document` JSON text that was made before.
    private static let methods = [
        Method(
            name: "text", summary: "", rights: .anyone, parameters: [count], result: .object
        ) { params, _ in
            .work { _ throws(ExecutionError) in .value(.string(String(repeating: "x", count: params[count]))) }
        },
        Method(name: "document", summary: "", rights: .anyone, parameters: [], result: .object) { _, _ in
            .work { _ throws(ExecutionError) in .text(ByteBuffer(repeating: 0x30, count: max + 1)) }
        },
    ]

    private func answer(_ body: String) async throws -> JSONValue {
        let service = try TestService(methods: Self.methods, limits: EnvelopeLimits(response: Self.max))
        return try JSONReader.read(try #require(await service.answer(body))).value
    }

    private func call(_ id: Int, _ count: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"text","params":{"count":\#(count)}}"#
    }

    private func expectError(_ response: JSONValue, id: Int) {
        #expect(response["id"] == .number(String(id)))
        #expect(response["result"] == nil)
        let error = response["error"]
        #expect(error?["code"] == .number("413"))
        #expect(
            error?["message"]?.text
                == "La réponse dépasserait 1\u{A0}Mio\u{202F}: demandez moins de lignes ou de champs.")
        #expect(error?["data"]?["code"]?.text == "limit_exceeded")
        #expect(error?["data"]?["limit"]?.text == "cost")
        #expect(error?["data"]?["max"] == .number(String(Self.max)))
    }

    @Test func `a result that exceeds the budget is an error`() async throws {
        expectError(try await answer(call(1, Self.max)), id: 1)
        expectError(try await answer(#"{"jsonrpc":"2.0","id":2,"method":"document"}"#), id: 2)
        #expect(try await answer(call(3, Self.max - 100))["result"]?.text?.utf8.count == Self.max - 100)
    }

    @Test func `the results of a batch share one budget`() async throws {
        let sizes = [400_000, 0, 400_000, 400_000, 7, 100_000]
        var calls = sizes.enumerated().map { call($0, $1) }
        calls[1] = #"{"jsonrpc":"2.0","id":1,"method":"document"}"#
        let body = "[" + calls.joined(separator: ",") + "]"
        guard case .array(let responses) = try await answer(body) else {
            Issue.record("no batch")
            return
        }
        try #require(responses.count == sizes.count)
        for (id, size) in sizes.enumerated() {
            // The second exceeds the budget; the fourth does not fit after the first and the third.
            if id == 1 || id == 3 {
                expectError(responses[id], id: id)
            } else {
                #expect(responses[id]["result"]?.text?.utf8.count == size)
            }
        }
    }

    @Test func `discarded results shrink the budget of the next ones`() {
        var budget = ResponseSizeBudget(max: 6_400)
        budget.discard(6_000)
        #expect(budget.end(from: 1_000) == 6_400)
        budget.discard(400)
        #expect(budget.end(from: 1_000) == 1_100)
        #expect(budget.end(from: 6_399) == 6_400)
    }
}
