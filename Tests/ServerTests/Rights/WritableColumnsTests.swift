import DomainKit
import JSON
import TestSupport
import Testing

/// security.md, Rights: "unknown or read-only columns in `values` (`id`, `version`, `role` where it is not writable):
/// −32602, nothing changed".
@Suite struct WritableColumnsTests {
    private static let refused: [(column: String, value: JSONValue, code: String)] = [
        ("id", 4_000_000, "read_only"), ("version", 7, "read_only"),
        ("created_at", "2020-01-01T00:00:00Z", "read_only"),
        ("updated_at", "2020-01-01T00:00:00Z", "read_only"), ("is_admin", true, "unknown"),
        ("password_hash", "x", "unknown"), ("marge", 1, "read_only"),
    ]

    @Test(arguments: ["sessions", "formateurs", "clients", "ecoles", "users"])
    func `a value for a column that is not writable is an error on create and update, and no row changes`(table: String)
        async throws
    {
        let rows = try await Fixtures()
        let values: [(String, JSONValue)] =
            switch table {
            case "sessions": Fixtures.session(module: "Module \(rows.mark)")
            case "formateurs": [("prenom", "Élodie"), ("nom", .string(rows.mark))]
            case "clients": [("raison_sociale", .string(rows.mark))]
            case "ecoles": [("nom", .string(rows.mark))]
            default: [("username", .string(rows.mark)), ("email", .string("\(rows.mark)@test.example"))]
            }
        let id = try await rows.create(table, values)
        let before = try await rows.client.call("\(table).get", ["id": JSONValue(id)])
        var refused = Self.refused
        // `role` is a column of accounts only, and `marge` of sessions only.
        if table != "users" { refused.append(("role", "admin", "unknown")) }
        if table != "sessions" { refused.removeAll { $0.column == "marge" } }
        for (column, value, code) in refused {
            let others =
                table == "users"
                ? JSONValue.merging([("email", .string("x\(rows.mark)@test.example"))]) : .merging(values)
            guard case .object(let given) = others else { throw TestEnvironmentError("not an object") }
            let creation = JSONValue.merging(given.members.map { ($0.name, $0.value) } + [(column, value)])
            let update = JSONValue.merging([values[0], (column, value)])
            for error in [
                try await rows.client.refusal("\(table).create", ["values": creation]),
                try await rows.client.refusal("\(table).update", ["id": JSONValue(id), "values": update]),
            ] {
                #expect(error["code"] == -32602, "\(table).\(column): \(error.json)")
                #expect(error.at("/data/errors/0/path") == .string("/values/\(column)"))
                #expect(error.at("/data/errors/0/code") == .string(code), "\(table).\(column): \(error.json)")
            }
        }
        #expect(try await rows.client.call("\(table).get", ["id": JSONValue(id)]) == before)
        let all = try await rows.client.call(
            "\(table).list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
        #expect(all["total"] == 1)
    }
}
