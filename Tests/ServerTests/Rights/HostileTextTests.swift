import DomainKit
import JSON
import TestPostgres
import Testing

/// security.md, Rights: "any text in any parameter, `order_by`, alias, operator, cursor: never reaches SQL as SQL".
@Suite struct HostileTextTests {
    private static let texts = [
        "'; DROP TABLE sessions; --", "\"; DELETE FROM users; --", "x') OR pg_sleep(30) IS NULL --",
        "1); UPDATE users SET role = 'admin'; --", "$1::text; TRUNCATE clients", "\\'; SELECT 1/0; --",
        "{ id \"; DROP TABLE ecoles; -- }", "{ a: id(where: \"' OR 1=1\") }", "id\" FROM credentials --",
    ]

    @Test func `hostile text in any parameter, name, alias, operator or cursor is treated as text`() async throws {
        let server = try await TestServer.start()
        let client = try await server.client()
        let rows = try await Fixtures(server)
        let id = try await rows.session()
        let before = try await fingerprint(server.database)
        var calls: [(String, JSONValue)] = []
        let document = try await client.call("rpc.discover")
        for method in document.at("/methods").array {
            guard let name = method["name"]?.text, !Self.ends.contains(name) else { continue }
            let parameters = method.at("/params").array.compactMap { $0["name"]?.text }
            for (index, text) in Self.texts.enumerated() {
                for parameter in parameters {
                    for form in Self.forms(of: text, for: parameter) {
                        var params: [(String, JSONValue)] = []
                        if parameters.contains("id") { params.append(("id", JSONValue(id))) }
                        if parameters.contains("select"), name.hasSuffix("aggregate") {
                            params.append(("select", "{ count }"))
                        }
                        calls.append((name, .merging(params + [(parameter, form)])))
                    }
                }
                guard index < 2, let table = name.split(separator: ".").first, name.hasSuffix(".list"),
                    table != "journal"
                else { continue }
                // Of the right shape, so that the text is decoded.
                let column =
                    ["sessions": "module", "formateurs": "nom", "clients": "raison_sociale", "ecoles": "nom"][
                        String(table)] ?? "email"
                let given = JSONValue.string(text)
                for condition in [["eq": given], ["ilike": given], ["gt": given], ["in": [given]]] as [JSONValue] {
                    calls.append((name, ["where": .merging([(column, condition)]), "search": given]))
                }
            }
        }
        #expect(calls.count > 1_500)
        var accepted = 0
        for start in stride(from: 0, to: calls.count, by: 50) {
            let part = calls[start..<min(start + 50, calls.count)]
            let body = part.enumerated().map {
                #"{"jsonrpc":"2.0","id":\#($0),"method":"\#($1.0)","params":\#($1.1.json)}"#
            }
            for answer in try JSONValue.parse(try await client.post("[\(body.joined(separator: ","))]").body).array {
                let code = answer.at("/error/code").int
                if code == nil { accepted += 1 }
                let call = part[start + (answer["id"]?.int ?? 0)]
                // A server without a mail server answers password resets with 503.
                // The caller is no operator.
                if call.0.hasPrefix("companies."), code == 403 { continue }
                #expect([nil, -32602, 401, 404, 409, 413, 429, 503].contains(code), "\(call): \(answer.json)")
            }
        }
        #expect(accepted > 20)
        #expect(try await fingerprint(server.database) == before)
        #expect(!server.process.errors.contains("syntax error"), "\(server.process.errors)")
    }

    /// A value for a parameter with the text in every place.
    private static func forms(of text: String, for parameter: String) -> [JSONValue] {
        let given = JSONValue.string(text)
        let named = JSONValue.merging([(text, given)])
        switch parameter {
        case "values", "where", "variables": return [named, ["module": named], ["and": [named]]]
        case "order_by", "group_by": return [[given], [.string("-\(text)")], [.string("month(\(text))")]]
        default: return [given]
        }
    }

    @Test func `text that is stored comes back unchanged`() async throws {
        let rows = try await Fixtures()
        for text in Self.texts {
            let id = try await rows.session([("module", .string(text)), ("lieu", .string(text))])
            let found = try await rows.client.call(
                "sessions.list",
                ["where": ["module": .string(text), "id": JSONValue(id)], "select": "{ module lieu }"])
            #expect(found.at("/items/0/module") == .string(text))
            #expect(found.at("/items/0/lieu") == .string(text))
        }
    }

    /// Methods that would revoke the caller's sign-in, or change the rows of the fingerprint.
    private static let ends: Set = ["auth.logout", "auth.end_sign_in", "sessions.delete", "sessions.duplicate"]

    private func fingerprint(_ database: TestDatabase) async throws -> String {
        try await database.psql(
            """
            SELECT count(*) FROM sessions UNION ALL SELECT count(*) FROM clients UNION ALL SELECT count(*) FROM ecoles
            UNION ALL SELECT count(*) FROM users UNION ALL SELECT count(*) FROM users WHERE role = 'admin'
            """)
    }
}
