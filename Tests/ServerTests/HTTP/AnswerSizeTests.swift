import DomainKit
import JSON
import TestPostgres
import Testing

@Suite
struct AnswerSizeTests {
    private static let max = 32 << 20

    /// A selection that names `lieu` so often.
    private func aliases(_ count: Int) -> String {
        "{ " + (0..<count).map { "a\($0): lieu" }.joined(separator: " ") + " }"
    }

    private func expectTooLarge(_ error: JSONValue?, _ message: String) {
        #expect(error?["code"]?.int == 413)
        #expect(error?["message"]?.text == message)
        #expect(error?["data"]?["code"]?.text == "limit_exceeded")
        #expect(error?["data"]?["limit"]?.text == "cost")
        #expect(error?["data"]?["max"]?.int == Self.max)
    }

    private static let tooLarge =
        "La réponse dépasserait 32\u{A0}Mio\u{202F}: demandez moins de lignes ou de champs."
    private static let writtenButTooLarge =
        "L’enregistrement a été fait, mais la réponse dépasserait 32\u{A0}Mio\u{202F}: demandez moins de lignes ou de champs."

    @Test func `a call beyond the response limit is refused alone and the rest of its batch is answered`() async throws
    {
        let server = try await TestServer.start()
        let rows = try await Fixtures(server)
        var ids: [Int] = []
        for _ in 0..<3 { ids.append(try await rows.session()) }
        let list = ids.map(String.init).joined(separator: ",")
        _ = try await server.database.psql(
            "SET session_replication_role = replica; UPDATE sessions SET lieu = repeat('x', 1 << 20) WHERE id IN (\(list))"
        )

        let listed = try await rows.client.refusal(
            "sessions.list",
            ["where": ["id": ["in": .array(ids.map { JSONValue($0) })]], "select": .string(aliases(2_000))])
        expectTooLarge(listed, Self.tooLarge)

        // Each would fit alone; behind the first none does.
        let members = (0..<50).map { index in
            let select = index == 0 ? aliases(2) : index == 49 ? "{ id }" : aliases(31)
            return
                #"{"jsonrpc":"2.0","id":\#(index),"method":"sessions.get","params":{"id":\#(ids[0]),"select":"\#(select)"}}"#
        }
        let response = try await rows.client.post("[" + members.joined(separator: ",") + "]")
        #expect(response.status == 200)
        #expect(response.body.count < Self.max)
        let answers = try JSONValue.parse(response.body).array
        try #require(answers.count == 50)
        #expect(answers[0]["result"]?["a1"]?.text?.utf8.count == 1 << 20)
        for answer in answers[1..<49] { expectTooLarge(answer["error"], Self.tooLarge) }
        #expect(answers[49]["result"]?["id"]?.int == ids[0])

        // A write has happened all the same.
        let written = try await rows.client.refusal(
            "sessions.update",
            ["id": JSONValue(ids[1]), "values": ["module": "Changé"], "select": .string(aliases(95))])
        expectTooLarge(written, Self.writtenButTooLarge)
        let read = try await rows.client.call("sessions.get", ["id": JSONValue(ids[1]), "select": "{ module }"])
        #expect(read["module"]?.text == "Changé")
        #expect(try await server.stop() == 0)
    }
}
