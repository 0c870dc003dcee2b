import DomainKit
import JSON
import QueryCompiler
import Testing

struct AggregateTests {
    private let planner = Sample.planner()

    private func aggregateProblems(_ params: JSONObject) -> [Problem] {
        problems { () throws(PlanError) in _ = try planner.aggregate(Sample.sessions, params) }
    }

    /// The layout's literal JSON, with `_` for each column.
    private func outline(_ params: JSONObject) throws -> String {
        try planner.aggregate(Sample.sessions, params).layout.parts.map { part in
            if case .bytes(let bytes) = part { String(decoding: bytes, as: UTF8.self) } else { "_" }
        }.joined()
    }

    @Test
    func `the keys of the groups come first, as group_by spells them, then those of select`() throws {
        #expect(
            try outline([
                "group_by": ["client_id", "month(date)", "client.ville"],
                "select": "{ count s: sum { tarif marge } min { date } }",
            ])
                == #"{"client_id":_,"month(date)":_,"client.ville":_,"count":_,"s":{"tarif":_,"marge":_},"min":{"date":_}}"#
        )
        #expect(try outline([:]) == #"{"count":_}"#)
    }

    static let cases: [(params: JSONObject, path: String, code: Problem.Code)] = [
        (["group_by": "date"], "/group_by", .type),
        (["group_by": ["dat"]], "/group_by/0", .unknown),
        (["group_by": ["-date"]], "/group_by/0", .format),
        (["group_by": ["mont(date)"]], "/group_by/0", .unknown),
        (["group_by": ["month(debut)"]], "/group_by/0", .type),
        (["group_by": ["month(date"]], "/group_by/0", .unknown),
        (["group_by": ["date", "date"]], "/group_by/1", .duplicate),
        (["order_by": ["date"]], "/order_by/0", .unknown),
        (["order_by": ["count", "-count"]], "/order_by/1", .duplicate),
        (["order_by": ["sum.module"]], "/order_by/0", .type),
        (["order_by": ["sum.x"]], "/order_by/0", .unknown),
        (["order_by": [".sum.tarif"]], "/order_by/0", .unknown),
        (["select": "{ cont }"], "/select", .unknown),
        (["select": "{ sum }"], "/select", .type),
        (["select": "{ modalite: count }", "group_by": ["modalite"]], "/select", .duplicate),
        (["select": "{ count { id } }"], "/select", .type),
        (["select": "{ sum { date } }"], "/select", .type),
        (["select": "{ max { module } }"], "/select", .type),
        (["select": "{ sum { tarif { x } } }"], "/select", .type),
        (["select": "{ sum { x: tarif x: marge } }"], "/select", .duplicate),
        (["select": "{ x: count x: sum { tarif } }"], "/select", .duplicate),
        (["select": "{ ...A } fragment A on sessions { id }"], "/select", .unknown),
        (["select": 5], "/select", .type),
        (["first": 501], "/first", .outOfRange),
        (["where": ["dat": 1]], "/where/dat", .unknown),
    ]

    @Test(arguments: cases)
    func `a problem of an aggregate has the path of the param and a code`(
        params: JSONObject, path: String, code: Problem.Code
    ) {
        let found = aggregateProblems(params)
        #expect(found.first?.path == path)
        #expect(found.first?.code == code)
    }

    @Test
    func `aggregates that differ only in values share one statement`() throws {
        let plans = try ["a", "b"].map { try planner.aggregate(Sample.sessions, ["where": ["module": .string($0)]]) }
        #expect(plans[0].query.statement == plans[1].query.statement)
        #expect(plans.map(\.query.parameters) == [["a", "51"], ["b", "51"]])
    }
}
