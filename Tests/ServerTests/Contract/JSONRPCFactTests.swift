import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// The contract's section "JSON-RPC" and its table of errors, as far as no other suite tests them.
@Suite struct JSONRPCFactTests {
    @Test func `absent params are {}, and an unknown parameter names the nearest one`() async throws {
        let client = try await TestServer.running().client()
        #expect(try await client.call("sessions.list")["items"] != nil)
        let error = try await client.refusal("sessions.list", ["selct": "{ id }"])
        #expect(error.at("/data/errors/0/path") == "/selct")
        #expect(error.at("/data/errors/0/code") == "unknown")
        #expect(error.at("/data/errors/0/suggestion") == "select")
        let method = try await client.refusal("session.list")
        #expect(method["code"] == -32601)
        #expect(method.at("/data/suggestion") == "sessions.list")
    }

    @Test(
        arguments: [
            ("", 1, 1), ("{", 1, 2), ("[1,\n 2,\n  ]", 3, 3), ("{\"é\": nul}", 1, 7), ("{\"a\": 01}", 1, 8),
            ("{'a': 1}", 1, 2), ("[1] 2", 1, 5), ("{\"a\": \"\\x\"}", 1, 9),
        ] as [(String, Int, Int)])
    func `a body that is not JSONValue is an error with line and column`(body: String, line: Int, column: Int)
        async throws
    {
        let client = try await TestServer.running().client()
        let answer = try JSONValue.parse(try await client.post(body).body)
        #expect(answer["id"] == .null)
        #expect(answer.at("/error/code") == -32700)
        #expect(answer.at("/error/data/line") == JSONValue(line), "\(answer.json)")
        #expect(answer.at("/error/data/column") == JSONValue(column), "\(answer.json)")
        let message = answer.at("/error/message").text ?? ""
        #expect(message.contains("ligne \(line), colonne \(column)"), "\(message)")
    }

    @Test func `members of a batch run concurrently: one that waits for a lock delays no other`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let held = try await rows.session(), free = try await rows.session()
        let lock = Task {
            // Locked until the other member has finished.
            try await server.database.psql(
                """
                DO $$ BEGIN
                    PERFORM FROM sessions WHERE id = \(held) FOR UPDATE;
                    FOR turn IN 1..300 LOOP
                        IF (SELECT version FROM sessions WHERE id = \(free)) = 2 THEN RETURN; END IF;
                        PERFORM pg_sleep(0.1);
                    END LOOP;
                    RAISE EXCEPTION 'the other waits too';
                END $$
                """)
        }
        try await eventually("the row is locked") {
            try await server.database.psql(
                "SELECT count(*) FROM (SELECT id FROM sessions WHERE id = \(held) FOR UPDATE SKIP LOCKED) AS found"
            ).contains("0")
        }
        let batch = try await rows.client.post(
            "["
                + [held, free].map { id in
                    #"{"jsonrpc":"2.0","id":\#(id),"method":"sessions.update","params":{"id":\#(id),"values":{"lieu":"ici"}}}"#
                }.joined(separator: ",") + "]")
        _ = try await lock.value
        let answers = try JSONValue.parse(batch.body).array
        #expect(answers.map { $0.at("/result/version") } == [2, 2])
        #expect(answers.map { $0["id"] } == [JSONValue(held), JSONValue(free)])
    }

    @Test func `a missing record is 404 in every method that takes its id`() async throws {
        let server = try await TestServer.running()
        let client = try await server.client()
        let methods = try await ServiceDescription(of: server).methods.filter { method in
            // The history of a deleted record can be read.
            method.errors.contains { $0["code"] == 404 } && !method.name.hasSuffix(".history")
                // This server has no mail server, without which links are not mailed again.
                && !["signatures.relancer", "users.invite_again"].contains(method.name)
                // The client is no operator.
                && method.roles != ["operator"]
                && method.parameters.contains { $0["name"] == "id" && $0.at("/schema/type") == "integer" }
        }
        #expect(methods.count > 15)
        for method in methods {
            // What else is required does not matter: nothing is there to copy.
            let others: [String: JSONValue] = [
                "sessions.repeter": ["id": 999_999_999, "dates": ["2026-01-12"]],
                "prospects.avancer": ["id": 999_999_999, "etape": "contacte"],
            ]
            let error = try await client.refusal(method.name, others[method.name] ?? ["id": 999_999_999])
            #expect(error["code"] == 404, "\(method): \(error.json)")
            #expect(error.at("/data/code") == "not_found")
            #expect(error["message"]?.text?.isEmpty == false)
        }
    }

    @Test func `a value that must be unique is 409 unique on its field`() async throws {
        let rows = try await Fixtures()
        let email = "\(rows.mark)@exemple.fr"
        _ = try await rows.create("users", [("email", .string(email))])
        let error = try await rows.client.refusal("users.create", ["values": ["email": .string(email.uppercased())]])
        #expect(error["code"] == 409)
        #expect(error.at("/data/reason") == "unique")
        #expect(error.at("/data/errors/0/path") == "/values/email")
    }

    @Test func `an internal error is −32603 and reveals no internals`() async throws {
        let server = try await TestServer.start()
        _ = try await server.database.psql("ALTER FUNCTION marge(sessions) RENAME TO marge_partie")
        let client = try await server.client()
        let error = try await client.refusal("sessions.list", ["select": "{ marge }"])
        #expect(error["code"] == -32603)
        guard case .object(let data)? = error["data"] else { throw TestEnvironmentError(error.json) }
        #expect(Set(data.members.map(\.name)) == ["code", "request_id"])
        #expect(data["code"] == "internal")
        for word in ["marge", "SELECT", "function", "sessions"] { #expect(!error.json.contains(word)) }
    }

    @Test func `numbers keep their digits, and times and instants have one format at every level`() async throws {
        let rows = try await Fixtures()
        let client = try await rows.client()
        let id = try await rows.session([
            ("client_id", JSONValue(client)), ("tarif_client", .number("1200.50")), ("frais_rembourser", .number("80")),
            ("fin", "17:00"),
        ])
        let fields = "tarif_client frais_rembourser date fin created_at"
        let response = try await rows.client.post(
            #"{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"id":\#(id),"select":"{ \#(fields) client { sessions { \#(fields) client { created_at } } } }"}}"#
        )
        let written =
            #""tarif_client":1200\.50,"frais_rembourser":80\.00,"date":"2026-01-12","fin":"17:00:00","#
            + #""created_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00""#
        let expression = try NSRegularExpression(pattern: written)
        let text = response.text
        #expect(expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text)) == 2, "\(text)")
    }
}
