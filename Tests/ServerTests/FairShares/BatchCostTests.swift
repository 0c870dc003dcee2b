import DomainKit
import JSON
import TestPostgres
import Testing

/// security.md, "Fair shares and budgets": the calls of a batch share one budget.
struct BatchCostTests {
    private static func member(_ id: Int, _ method: String, _ params: JSONValue = [:]) -> JSONValue {
        ["jsonrpc": "2.0", "id": JSONValue(id), "method": .string(method), "params": params]
    }

    private static func answers(_ client: RPCClient, _ members: [JSONValue]) async throws -> [JSONValue] {
        let response = try await client.post(JSONValue.array(members).json)
        #expect(response.status == 200)
        return try JSONValue.parse(response.body).array
    }

    /// A list of the given number of rows.
    private static func list(_ id: Int, rows: Int) -> JSONValue {
        member(
            id, "clients.list", ["first": 500, "select": .string("{ sessions(first: \(rows / 500 - 1)) { id } }")])
    }

    @Test func `the call that takes a batch beyond the cost limit is refused and the others are answered`() async throws
    {
        let client = try await TestServer.running().client()
        let answers = try await Self.answers(
            client, [Self.list(0, rows: 40_000), Self.list(1, rows: 20_000), Self.list(2, rows: 10_000)])
        try #require(answers.count == 3)
        #expect(answers[0]["result"]?["items"] != nil)
        let error = answers[1]["error"]
        #expect(error?["code"]?.int == 413)
        #expect(error?["data"]?["code"] == "limit_exceeded")
        #expect(error?["data"]?["limit"] == "cost")
        #expect(error?["data"]?["price"]?.int == 60_000)
        #expect(error?["data"]?["max"]?.int == 50_000)
        #expect(error?["data"]?["unit"] == "rows")
        #expect(error?["data"]?["path"] == "sessions")
        #expect(answers[2]["result"]?["items"] != nil)
    }

    @Test func `of fifty calls with a cost of 48,000 rows each one is executed`() async throws {
        let client = try await TestServer.running().client()
        let answers = try await Self.answers(client, (0..<50).map { Self.list($0, rows: 48_000) })
        #expect(answers.count { $0["result"] != nil } == 1)
        #expect(answers.count { $0["error"]?["code"]?.int == 413 } == 49)
    }

    @Test func `the bytes of a batch are limited as those of one call are`() async throws {
        let client = try await TestServer.running().client()
        let select = "{ " + (0..<1_000).map { "a\($0): lieu" }.joined(separator: " ") + " }"
        let list = { (id: Int) in Self.member(id, "sessions.list", ["first": 400, "select": .string(select)]) }
        let answers = try await Self.answers(client, [list(0), list(1)])
        #expect(answers[0]["result"]?["items"] != nil)
        #expect(answers[1]["error"]?["data"]?["limit"] == "cost")
        #expect(answers[1]["error"]?["data"]?["unit"] == "bytes")
        #expect(answers[1]["error"]?["data"]?["max"]?.int == 48 << 20)
    }

    @Test func `a page of five hundred records with all columns and ninety-nine related ones is answered`() async throws
    {
        let client = try await TestServer.running().client()
        let session = """
            id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat ecole_id \
            client_id formateur_id created_at updated_at version marge duree_minutes statut
            """
        let page = try await client.call(
            "clients.list",
            ["first": 500, "select": .string("{ id raison_sociale siret ville sessions(first: 99) { \(session) } }")])
        #expect(page["items"] != nil)
    }

    @Test func `a batch asks for the description of the service once`() async throws {
        let client = try await TestServer.running().client(nil)
        let answers = try await Self.answers(client, (0..<3).map { Self.member($0, "rpc.discover") })
        #expect(answers[0]["result"]?["openrpc"] == "1.3.2")
        for answer in answers.dropFirst() {
            #expect(answer["error"]?["code"]?.int == 413)
            #expect(answer["error"]?["data"]?["limit"] == "cost")
            #expect(answer["error"]?["data"]?["price"]?.int == 2)
            #expect(answer["error"]?["data"]?["max"]?.int == 1)
        }
    }

    @Test func `a write beyond the budget of its batch is not executed`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.client()
        let update = Self.member(
            1, "clients.update",
            [
                "id": JSONValue(id), "values": ["ville": "Ailleurs"],
                "select": "{ sessions(first: 500) { client { sessions(first: 50) { id } } } }",
            ])
        let answers = try await Self.answers(rows.client, [Self.list(0, rows: 40_000), update])
        #expect(answers[1]["error"]?["code"]?.int == 413)
        let read = try await rows.client.call("clients.get", ["id": JSONValue(id), "select": "{ ville version }"])
        #expect(read["ville"] == .null)
        #expect(read["version"]?.int == 1)
    }
}
