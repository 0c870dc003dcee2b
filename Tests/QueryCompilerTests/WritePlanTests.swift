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
    func `update without values only reads the record`() throws {
        let plan = try planner.update(Sample.sessions, ["id": 5, "select": "{ id }"])
        #expect(plan.writeIndex == nil)
        #expect(plan.statements.count == 1)
        #expect(plan.current == nil)
        let record = try planner.get(Sample.sessions, ["id": 5, "select": "{ id }"])
        #expect(plan.statements[0].statement == record.query.statement)
    }

    @Test
    func `update without values still checks if_version`() throws {
        let plan = try planner.update(Sample.sessions, ["id": 5, "values": [:], "if_version": 3])
        #expect(plan.writeIndex == nil)
        #expect(plan.current?.query.parameters == ["5"])
        #expect(plan.statements.map(\.parameters) == [["5", "3"]])
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
        #expect(checked.current?.query.statement == (try planner.get(Sample.sessions, ["id": 5])).query.statement)
    }

    @Test
    func `the record of a version conflict has all columns, whichever the call selects`() throws {
        let plan = try planner.update(
            Sample.sessions, ["id": 5, "values": ["module": "x"], "if_version": 1, "select": "{ id }"])
        #expect(plan.current?.query.statement == (try planner.get(Sample.sessions, ["id": 5])).query.statement)
    }

    @Test
    func `a write reads the record back with the parameters of the selection and the id`() throws {
        let select: JSONValue = "{ client { sessions(first: 2, where: {module: \"m\"}) { id } } }"
        let update = try planner.update(Sample.sessions, ["id": 5, "values": ["module": "x"], "select": select])
        #expect(update.statements.map(\.parameters) == [["5", "x"], ["m", "2", "5"]])
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
