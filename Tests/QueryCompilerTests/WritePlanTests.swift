import DomainKit
import JSON
import QueryCompiler
import Testing

struct WritePlanTests {
    private let planner = Sample.planner()

    @Test
    func `the problems of values, select and if_version are reported together`() {
        let found = problems { () throws(PlanError) in
            _ = try planner.update(
                Sample.sessions,
                [
                    "id": 0, "values": ["module": 5, "version": 3, "tarrif": 1], "if_version": "2", "select": "{ x }",
                ])
        }
        #expect(
            found.map(\.path) == [
                "/id", "/values/module", "/values/version", "/values/tarrif", "/if_version",
                "/select",
            ])
    }

    @Test
    func `create without values is rejected`() {
        let found = problems { () throws(PlanError) in _ = try planner.create(Sample.sessions, [:]) }
        #expect(found.map(\.path) == ["/values"])
        #expect(found.map(\.code) == [.required])
    }

    @Test
    func `update without values writes nothing, and still checks if_version`() throws {
        let plan = try planner.update(Sample.sessions, ["id": 5, "values": [:], "if_version": 3])
        #expect(!plan.statements.contains { $0.statement.text.contains("UPDATE") })
        #expect(plan.current?.plan(id: plan.id).query.parameters == ["5"])
        #expect(plan.statements.map(\.parameters) == [["5", "3"], []])
    }

    @Test
    func `if_version must not be null`() {
        let found = problems { () throws(PlanError) in
            _ = try planner.delete(Sample.sessions, ["id": 5, "if_version": nil])
        }
        #expect(found.map(\.path) == ["/if_version"])
    }

    @Test
    func `a delete reads the record only to check a version`() throws {
        let plain = try planner.delete(Sample.sessions, ["id": 5])
        #expect(plain.statements.count == 1)
        #expect(plain.current == nil)
        let checked = try planner.delete(Sample.sessions, ["id": 5, "if_version": 1])
        #expect(checked.statements.count == 1)
        #expect(
            checked.current?.plan(id: checked.id).query.statement
                == (try planner.get(Sample.sessions, ["id": 5])).query.statement)
    }

    @Test
    func `after other calls of a transaction the version is checked before the write`() throws {
        let mode = WriteMode(references: ["5": 1], hasEarlierCalls: true)
        let plans = [
            try planner.update(Sample.sessions, ["id": 5, "values": ["module": "x"], "if_version": 3], mode),
            try planner.delete(Sample.sessions, ["id": 5, "if_version": 3], mode),
        ]
        for plan in plans {
            #expect(plan.writeIndex == 1)
            #expect(
                plan.statements[0].statement.text
                    == """
                    SELECT kernel.check_version(id, version, $2::integer)
                    FROM sessions
                    WHERE id = kernel.answered($1::integer) AND company_id = $3::bigint
                    """)
            #expect(plan.statements[0].parameters == ["1", "3"])
        }
        let first = try planner.delete(Sample.sessions, ["id": 5, "if_version": 3])
        #expect(first.writeIndex == 0)
    }

    @Test
    func `the record of a version conflict has all columns, whichever the call selects`() throws {
        let plan = try planner.update(
            Sample.sessions, ["id": 5, "values": ["module": "x"], "if_version": 1, "select": "{ id }"])
        #expect(
            plan.current?.plan(id: plan.id).query.statement
                == (try planner.get(Sample.sessions, ["id": 5])).query.statement)
    }

    @Test
    func `a write reads the record back with the parameters of the selection`() throws {
        let select: JSONValue = "{ client { sessions(first: 2, where: {module: \"m\"}) { id } } }"
        let update = try planner.update(Sample.sessions, ["id": 5, "values": ["module": "x"], "select": select])
        #expect(update.statements.map(\.parameters) == [["5", "x"], ["m", "2"]])
        let copy = try planner.duplicate(Sample.sessions, ["id": 5, "select": select])
        #expect(copy.statements.map(\.parameters) == [["5"], ["m", "2"]])
    }

    @Test
    func `there is a reference check for each foreign key that is given`() {
        let checks = planner.missingReferences(
            Sample.sessions, ["formateur_id": 12, "client_id": nil, "module": "x"])
        #expect(checks.map(\.path) == ["/values/formateur_id"])
        #expect(checks.map(\.message) == ["Aucun formateur n’a l’identifiant 12."])
        #expect(checks.map(\.query.parameters) == [["12"]])
        #expect(planner.references(to: Sample.sessions, id: "1") == nil)
        #expect(planner.references(to: Sample.clients, id: "1")?.parameters == ["1"])
    }
}

/// Columns of JSON, and those that only a new record takes a value for.
struct JSONColumnTests {
    private static let boxes = Entity(
        name: "boxes", noun: Noun("boîte", plural: "boîtes", feminine: true),
        columns: [
            .id, Column("code", .text(maxLength: 9), nullable: false, access: .createOnly, summary: ""),
            Column(
                "contents",
                .json(
                    .list(
                        of: .object([
                            Column("sku", .text(maxLength: 9), nullable: false, summary: ""),
                            Column("quantity", .integer, nullable: false, default: 1, summary: ""),
                        ]), count: 1...9)), summary: ""),
        ],
        search: nil, defaultOrder: [OrderTerm("code")],
        access: Access(read: [.user], create: [.user], update: [.user], delete: []), isDuplicable: true)

    private let planner = Planner(domains: [Domain(name: "boxes", schema: "public", entities: [boxes])])

    @Test
    func `JSON is written as one parameter in its stored form, and read back as it is`() throws {
        let plan = try planner.create(
            Self.boxes,
            ["values": ["contents": [["sku": "a", "quantity": .number("2e1")], ["sku": "b"]], "code": "A"]])
        #expect(
            plan.statements[0].statement.text.contains(
                "INSERT INTO boxes (code, contents)\nVALUES ($1::text, $2::jsonb)\n"))
        #expect(
            plan.statements[0].parameters == ["A", #"[{"sku":"a","quantity":20},{"sku":"b","quantity":1}]"#])
        #expect(plan.layout.parts.contains(.bare(2)))
        let null = try planner.update(Self.boxes, ["id": 1, "values": ["contents": nil]])
        #expect(null.statements[0].parameters == ["1", nil])
    }

    @Test
    func `the problems of JSON have the places of its parts`() {
        let found = problems { () throws(PlanError) in
            _ = try planner.update(
                Self.boxes,
                [
                    "id": 1, "values": ["contents": [["sku": "a"], ["sku": 1, "x": 2]], "code": "A"], "select": "{ x }",
                ])
        }
        #expect(
            found.map { "\($0.path) \($0.code.rawValue)" } == [
                "/values/contents/1/sku type", "/values/contents/1/x unknown", "/values/code read_only",
                "/select unknown",
            ])
    }

    @Test
    func `a duplicate copies the columns of creation, too`() throws {
        let plan = try planner.duplicate(Self.boxes, ["id": 1, "values": ["code": "B"]])
        #expect(
            plan.statements[0].statement.text.contains(
                "INSERT INTO boxes (code, contents)\nSELECT $2::text, t0.contents"))
    }

    @Test(
        arguments: [
            (["where": ["contents": ["is_null": false]]], []), (["where": ["contents": nil]], []),
            (["where": ["contents": ["eq": "a"]]], ["/where/contents/eq type"]),
            (["where": ["contents": ["in": []]]], ["/where/contents/in type"]),
            (["order_by": ["contents"]], ["/order_by/0 type"]),
            (["select": "{ contents { sku } }"], ["/select type"]),
        ] as [(JSONObject, [String])])
    func `JSON is tested for null only, and selected as a whole`(params: JSONObject, expected: [String]) {
        let found = problems { () throws(PlanError) in _ = try planner.list(Self.boxes, params) }
        #expect(found.map { "\($0.path) \($0.code.rawValue)" } == expected)
    }
}
