import DomainKit
import JSON
import QueryCompiler
import Testing

struct ExpectedCostTests {
    private let planner = Sample.planner()

    @Test(
        arguments: [
            ([:], .page),
            (["where": ["client_id": 3]], .page),
            (["where": ["modalite": "P"]], .page),
            (["where": ["date": ["gte": "2026-01-01"]], "order_by": ["date"], "first": 500], .page),
            (["where": ["module": ["ilike": "%swift%"]]], .page),
            (["search": "swift"], .page),
            (["order_by": ["formateur.nom"]], .page),
            (["where": ["client_id": 3], "count": true], .page),
            (["where": ["client_id": 3], "order_by": ["-marge"]], .page),
            (["select": "{ id client { sessions(first: 10) { id } } }"], .page),
            // All matches are counted.
            (["count": true], .scan),
            (["where": ["modalite": "P"], "count": true], .scan),
            // All records are sorted.
            (["order_by": ["-marge"]], .scan),
            // No index finds two letters.
            (["where": ["module": ["ilike": "%ab%"]]], .scan),
            (["where": ["not": ["module": ["like": "%swift%"]]]], .scan),
            (["search": "swift ab"], .scan),
            (["search": "été à"], .scan),
            // Each record is slow to test.
            (["where": ["or": .array((0...20).map { ["tarif": .number(String($0))] })]], .scan),
            (
                [
                    "where": [
                        "client": [
                            "sessions": ["some": ["client": ["sessions": ["some": ["formateur": ["nom": "A"]]]]]]
                        ]
                    ]
                ], .scan
            ),
            // The result is large.
            (["select": "{ id client { sessions(first: 100) { id } } }"], .scan),
        ] as [(JSONObject, ExpectedCost)])
    func `a list is expected to cost a page or a scan`(params: JSONObject, cost: ExpectedCost) throws {
        #expect(try planner.list(Sample.sessions, params).query.expectedCost == cost)
    }

    @Test(
        arguments: [
            ("{ raison_sociale }", .point),
            ("{ sessions(first: 500) { id } }", .page),
            ("{ sessions(first: 30) { client { sessions { id } } } }", .scan),
            ("{ sessions(where: {or: [\((0...20).map { "{tarif: \($0)}" }.joined())]}) { id } }", .scan),
        ] as [(String, ExpectedCost)])
    func `a record is expected to cost a point unless its relations are lists`(
        select: String, cost: ExpectedCost
    ) throws {
        let get = try planner.get(Sample.clients, ["id": 1, "select": .string(select)])
        #expect(get.query.expectedCost == cost)
        let update = try planner.update(
            Sample.clients, ["id": 1, "values": ["ville": "Lyon"], "select": .string(select)])
        #expect(update.statements.map(\.expectedCost) == [.point, cost])
    }

    @Test
    func `a selection of relations to one record costs a point`() throws {
        let plan = try planner.get(Sample.sessions, ["id": 1, "select": "{ id client { raison_sociale } }"])
        #expect(plan.query.expectedCost == .point)
    }

    @Test
    func `an aggregate is expected to cost a scan`() throws {
        let plan = try planner.aggregate(Sample.sessions, ["where": ["client_id": 3], "select": "{ count }"])
        #expect(plan.query.expectedCost == .scan)
    }
}
