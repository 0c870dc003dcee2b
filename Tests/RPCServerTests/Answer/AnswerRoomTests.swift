import DomainKit
import NIOCore
import Testing

@testable import RPCServer

@Suite struct AnswerRoomTests {
    private static let max = 1 << 20

    /// A method `text` that answers a text of `count` bytes from `unit`, and `document` that answers JSON as it lies.
    private static let methods = [
        Method(
            name: "text", summary: "", rights: .anyone, parameters: [MethodParameter("count", .text, summary: "")],
            result: .object
        ) { (params, _) throws(CallFailure) in
            guard case .number(let digits) = params["count"], let count = Int(digits) else { throw .params([]) }
            return .account { _ throws(ExecutionFault) in .value(.string(String(repeating: "x", count: count))) }
        },
        Method(name: "document", summary: "", rights: .anyone, parameters: [], result: .object) { _, _ in
            .account { _ throws(ExecutionFault) in .text(ByteBuffer(repeating: 0x30, count: max + 1)) }
        },
    ]

    private func answer(_ body: String) async throws -> Value {
        let service = try TestService(methods: Self.methods, limits: EnvelopeLimits(answer: Self.max))
        return try JSONReader.read(try #require(await service.answer(body))).value
    }

    private func call(_ id: Int, _ count: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"text","params":{"count":\#(count)}}"#
    }

    private func expectRefusal(_ response: Value, id: Int) {
        #expect(response["id"] == .number(String(id)))
        #expect(response["result"] == nil)
        let error = response["error"]
        #expect(error?["code"] == .number("413"))
        #expect(
            error?["message"]?.text
                == "La réponse dépasserait 1\u{A0}Mio\u{A0}: demandez moins de lignes ou de champs.")
        #expect(error?["data"]?["code"]?.text == "limit_exceeded")
        #expect(error?["data"]?["limit"]?.text == "cost")
        #expect(error?["data"]?["max"] == .number(String(Self.max)))
    }

    @Test func anAnswerThatIsTooLargeIsAnError() async throws {
        expectRefusal(try await answer(call(1, Self.max)), id: 1)
        expectRefusal(try await answer(#"{"jsonrpc":"2.0","id":2,"method":"document"}"#), id: 2)
        #expect(try await answer(call(3, Self.max - 100))["result"]?.text?.utf8.count == Self.max - 100)
    }

    @Test func theMembersOfABatchShareTheRoom() async throws {
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
            // The second is larger than the room; the fourth no longer fits behind the first and the third.
            if id == 1 || id == 3 {
                expectRefusal(responses[id], id: id)
            } else {
                #expect(responses[id]["result"]?.text?.utf8.count == size)
            }
        }
    }

    @Test func whatIsWrittenInVainIsBounded() {
        var room = AnswerRoom(max: 6_400)
        room.takeBack(6_000)
        #expect(room.end(from: 1_000) == 6_400)
        room.takeBack(400)
        #expect(room.end(from: 1_000) == 1_100)
        #expect(room.end(from: 6_399) == 6_400)
    }
}
