import DomainKit
import JSON
import QueryCompiler
import Testing

struct RowLayoutTests {
    /// The JSON that a row writer writes for a row.
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
            case .unless(let column, let parts): row[column] ?? json(parts, row)
            }
        }.joined()
    }

    private func plan(_ select: String, _ entity: Entity = Sample.sessions) throws -> RecordPlan {
        try Sample.planner().get(entity, ["id": 1, "select": .string(select)])
    }

    @Test
    func `keys are in the order of the selection, aliases and __typename included`() throws {
        let plan = try plan("{ nom: module __typename date a: __typename id }")
        #expect(
            json(plan.layout.parts, ["Le \"x\"", "2026-01-12", "5"])
                == #"{"nom":"Le \"x\"","__typename":"sessions","date":"2026-01-12","a":"sessions","id":5}"#)
    }

    @Test
    func `a missing related record is null`() throws {
        let plan = try plan("{ formateur { nom is_active t: __typename } id }")
        #expect(
            json(plan.layout.parts, ["7", "Dupont", "true", "5"])
                == #"{"formateur":{"nom":"Dupont","is_active":true,"t":"formateurs"},"id":5}"#)
        #expect(json(plan.layout.parts, [nil, nil, nil, "5"]) == #"{"formateur":null,"id":5}"#)
    }

    @Test
    func `a column with several keys is read once and a relation is joined once`() throws {
        let plan = try plan("{ a: id b: id x: client { ville } y: client { ville raison_sociale } }")
        #expect(
            json(plan.layout.parts, ["5", "3", "Lyon", "ACME"])
                == #"{"a":5,"b":5,"x":{"ville":"Lyon"},"y":{"ville":"Lyon","raison_sociale":"ACME"}}"#)
        #expect(plan.query.statement.text.split(separator: "JOIN").count == 2)
    }

    @Test
    func `fields and relations with equal keys merge`() throws {
        let plan = try plan(
            "{ client { ville } id client { raison_sociale ville } id ...A } fragment A on sessions { id }")
        #expect(
            json(plan.layout.parts, ["3", "Lyon", "ACME", "5"])
                == #"{"client":{"ville":"Lyon","raison_sociale":"ACME"},"id":5}"#)
    }

    @Test
    func `a to-many relation is a JSON array`() throws {
        let plan = try plan("{ nom sessions { id } }", Sample.formateurs)
        #expect(json(plan.layout.parts, ["Dupont", "[{\"id\":1}]"]) == #"{"nom":"Dupont","sessions":[{"id":1}]}"#)
    }

    @Test
    func `a call without select returns all columns in the entity's order`() throws {
        let plan = try Sample.planner().get(Sample.clients, ["id": 1])
        #expect(json(plan.layout.parts, ["5", "ACME", nil]) == #"{"id":5,"raison_sociale":"ACME","ville":null}"#)
    }

    @Test
    func `no call of concat has more than a hundred arguments`() throws {
        let fields = (0..<120).map { "a\($0): module" }.joined(separator: " ")
        let plan = try plan("{ sessions { \(fields) } }", Sample.formateurs)
        for call in plan.query.statement.text.split(separator: "concat(").dropFirst(2) {
            #expect(call.split(separator: ", '").count <= 100)
        }
    }
}
