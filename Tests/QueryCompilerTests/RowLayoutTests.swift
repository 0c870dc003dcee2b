import DomainKit
import QueryCompiler
import Testing

@Suite("Row layouts")
struct RowLayoutTests {
    /// What a row writer makes of a row.
    private func json(_ parts: [RowLayout.Part], _ row: [String?]) -> String {
        parts.map { part in
            switch part {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .bare(let column): row[column] ?? "null"
            case .quoted(let column): row[column].map { "\"\($0)\"" } ?? "null"
            case .escaped(let column):
                row[column].map {
                    "\"\($0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""))\""
                }
                    ?? "null"
            case .object(let presence, let parts): row[presence] == nil ? "null" : json(parts, row)
            }
        }.joined()
    }

    private func plan(_ select: String, _ entity: Entity = Sample.sessions) throws -> RecordPlan {
        try Sample.planner().get(entity, ["id": 1, "select": .string(select)])
    }

    @Test("keys come in the order asked for, aliases and __typename among them")
    func keys() throws {
        let plan = try plan("{ nom: module __typename date a: __typename id }")
        #expect(
            json(plan.layout.parts, ["Le \"x\"", "2026-01-12", "5"])
                == #"{"nom":"Le \"x\"","__typename":"sessions","date":"2026-01-12","a":"sessions","id":5}"#)
    }

    @Test("a related record is null when it is not there")
    func relations() throws {
        let plan = try plan("{ formateur { nom is_active t: __typename } id }")
        #expect(
            json(plan.layout.parts, ["7", "Dupont", "true", "5"])
                == #"{"formateur":{"nom":"Dupont","is_active":true,"t":"formateurs"},"id":5}"#)
        #expect(json(plan.layout.parts, [nil, nil, nil, "5"]) == #"{"formateur":null,"id":5}"#)
    }

    @Test("a column asked for under several keys is read once, a relation joined once")
    func sharing() throws {
        let plan = try plan("{ a: id b: id x: client { ville } y: client { ville raison_sociale } }")
        #expect(
            json(plan.layout.parts, ["5", "3", "Lyon", "ACME"])
                == #"{"a":5,"b":5,"x":{"ville":"Lyon"},"y":{"ville":"Lyon","raison_sociale":"ACME"}}"#)
        #expect(plan.query.statement.text.split(separator: "JOIN").count == 2)
    }

    @Test("fields and relations asked for twice merge")
    func merging() throws {
        let plan = try plan(
            "{ client { ville } id client { raison_sociale ville } id ...A } fragment A on sessions { id }")
        #expect(
            json(plan.layout.parts, ["3", "Lyon", "ACME", "5"])
                == #"{"client":{"ville":"Lyon","raison_sociale":"ACME"},"id":5}"#)
    }

    @Test("lists of a record stand as JSON")
    func lists() throws {
        let plan = try plan("{ nom sessions { id } }", Sample.formateurs)
        #expect(json(plan.layout.parts, ["Dupont", "[{\"id\":1}]"]) == #"{"nom":"Dupont","sessions":[{"id":1}]}"#)
    }

    @Test("without select all columns come, in the entity's order")
    func allColumns() throws {
        let plan = try Sample.planner().get(Sample.clients, ["id": 1])
        #expect(json(plan.layout.parts, ["5", "ACME", nil]) == #"{"id":5,"raison_sociale":"ACME","ville":null}"#)
    }

    @Test("a hundred fields in a list fit into the functions of Postgres")
    func wide() throws {
        let fields = (0..<120).map { "a\($0): module" }.joined(separator: " ")
        let plan = try plan("{ sessions { \(fields) } }", Sample.formateurs)
        for call in plan.query.statement.text.split(separator: "concat(").dropFirst(2) {
            #expect(call.split(separator: ", '").count <= 100)
        }
    }
}
