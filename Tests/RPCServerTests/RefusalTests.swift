import DomainKit
import JSON
import QueryCompiler
import TestSchema
import Testing

@testable import PostgresDriver
@testable import RPCServer

/// How errors of the database become errors of a call, by the rules of the entity.
@Suite struct RefusalTests {
    private func refusal(
        _ sqlState: String, _ constraint: String?, detail: String? = nil, hint: String? = nil,
        by kind: RecordWrite.Kind = .update
    ) throws -> Refusal? {
        let planner = Planner(domains: [Workshop.domain])
        let values: JSONObject = ["contents": [["sku": "a"]]]
        let plan = try planner.update(Workshop.kits, ["id": 1, "values": .object(values)])
        let write = RecordWrite(
            kind: kind, entity: Workshop.kits, plan: plan, values: kind == .delete ? JSONObject() : values)
        let fields = ServerFields(
            severity: "ERROR", sqlState: sqlState, message: "", detail: detail, hint: hint, constraint: constraint)
        return fields.refusal(by: write)
    }

    @Test func `a rule that is a conflict has the reason and the facts of the function`() throws {
        let refusal = try refusal("23000", "kits_lent", detail: #"{"loan_id": 7, "until": "2026-01-12"}"#, hint: "")
        #expect(
            refusal
                == .conflict(
                    reason: "lent", message: "La mallette est prêtée.", facts: ["loan_id": 7, "until": "2026-01-12"]))
    }

    @Test func `a constraint of a table may be a conflict, and its detail is not passed on`() throws {
        let conflict = Refusal.conflict(reason: "lent", message: "La mallette est prêtée.", facts: [:])
        #expect(try refusal("23P01", "kits_lent", detail: #"{"key": "of another"}"#) == conflict)
        #expect(try refusal("23505", "kits_lent", detail: "Key (id)=(7) already exists.") == conflict)
        #expect(try refusal("23503", "kits_lent", by: .delete) == conflict)
        #expect(try refusal("23000", "kits_lent", detail: "no JSON") == conflict)
        #expect(try refusal("23000", "kits_lent", detail: "[1]") == conflict)
    }

    @Test func `a rule that forbids is answered with the facts`() throws {
        #expect(
            try refusal("23000", "kits_owner", detail: #"{"owner": 3}"#)
                == .forbidden(message: "La mallette est à un autre.", facts: ["owner": 3]))
    }

    @Test(arguments: [
        ("/contents/0/sku", "/values/contents/0/sku"), ("/values/contents/0", "/values/contents/0"),
        ("", "/values/contents"), ("/other", "/values/contents"), ("Check the contents.", "/values/contents"),
    ])
    func `an invalid value is reported at the place that the function names`(hint: String, path: String) throws {
        let problem = try refusal("23000", "kits_known", detail: "{}", hint: hint)?.problem
        #expect(problem == Problem(path: path, code: .rule, message: "Cet article n’existe pas."))
    }

    @Test func `a hint of Postgres is no place`() throws {
        #expect(try refusal("23514", "kits_known", hint: "/contents/0")?.problem?.path == "/values/contents")
    }

    @Test func `a deletion has no values to blame`() throws {
        #expect(try refusal("23000", "kits_known", hint: "/contents/0", by: .delete)?.problem?.path == "/id")
    }

    @Test func `an undeclared rule and errors of other classes are none`() throws {
        #expect(try refusal("23000", "kits_other", detail: #"{"secret": 1}"#) == nil)
        #expect(try refusal("23000", nil) == nil)
        #expect(try refusal("P0001", "kits_lent") == nil)
    }

    @Test func `the reasons of rules and their facts are documented`() async throws {
        let description = try await Bookshop.service().description.value
        let validator = SchemaValidator(document: description)
        let conflict = try #require(description["components"]?["schemas"]?["error_conflict"])
        func isDocumented(_ data: JSONValue) throws -> Bool { try validator.accepts(data, conflict) }
        let lent: JSONValue = ["code": "conflict", "reason": "lent", "loan_id": 7, "request_id": "r"]
        #expect(try isDocumented(lent))
        #expect(try !isDocumented(lent.adding("other", 1)))
        #expect(try !isDocumented(["code": "conflict", "reason": "lent", "request_id": "r"]))
        #expect(try isDocumented(["code": "conflict", "reason": "state", "any": [1], "request_id": "r"]))
        #expect(try !isDocumented(["code": "conflict", "reason": "unknown", "request_id": "r"]))
        let forbidden = try #require(description["components"]?["schemas"]?["error_forbidden"])
        #expect(try validator.accepts(["code": "forbidden", "owner": 3, "request_id": "r"], forbidden))
        guard case .array(let methods)? = description["methods"] else { return }
        for name in ["kits.create", "kits.update", "kits.duplicate", "kits.delete"] {
            let method = methods.first { $0["name"] == .string(name) }
            #expect(method?["x-conflicts"] == ["lent", "state"], "\(name)")
        }
        #expect(methods.first { $0["name"] == "kits.list" }?["x-conflicts"] == nil)
    }
}

@Suite struct ColumnParameterTests {
    private let own = ColumnParameters(Workshop.label.parameters, rules: Workshop.label.rules)

    private func params(_ text: String) throws -> Params {
        guard case .object(let object) = try JSONReader.read(text).value else { return Params(JSONObject()) }
        return Params(object, own.parameters)
    }

    @Test func `parameters are decoded as Postgres stores them, with their defaults`() throws {
        let params = try params(#"{"from":"2026-01-12","copies":2.0,"lines":["a"]}"#)
        #expect(params.problems == [])
        #expect(own.values(in: params) == ["copies": 2, "lines": ["a"], "from": "2026-01-12", "to": nil])
        #expect(own.violations(in: params) == [])
    }

    @Test(arguments: [
        (#"{}"#, ["/from required"]),
        (
            #"{"from":"x","copies":0,"lines":["a",1,"aaaaaa"]}"#,
            ["/copies out_of_range", "/lines too_long", "/from format"]
        ),
        (#"{"from":"2026-01-12","lines":["aaaaaa",1]}"#, ["/lines/0 too_long", "/lines/1 type"]),
        (#"{"from":"2026-01-12","to":"2026-01-12"}"#, ["/to rule"]),
    ])
    func `parameters are checked part by part, and by the rules between them`(text: String, problems: [String]) throws {
        let params = try params(text)
        let found = params.problems + own.violations(in: params)
        #expect(found.map { "\($0.path) \($0.code.rawValue)" } == problems)
    }
}
