import CRMDomain
import DomainKit
import JSON
import QueryCompiler

/// Measures the planner: for a shape that is in its caches, which should cost a look-up, and for a new shape.
struct QueryCompilerBenchmark {
    private static let select = """
        { id module date formateur { nom_complet telephone }
          client { raison_sociale prochaines: sessions(where: {date: {gte: "2026-01-01"}}, order_by: ["date"], first: 3) {
            date module } } }
        """
    private static let month: JSONValue = ["date": ["gte": "2026-01-01", "lt": "2026-02-01"], "modalite": "P"]

    private let planner = Planner(domains: [CRM.domain], sortCollation: "francais")

    func run() throws {
        guard let sessions = CRM.domain.entities.first(where: { $0.name == "sessions" }) else { return }
        let get: JSONObject = ["id": 5, "select": .string(Self.select)]
        let list: JSONObject = ["where": Self.month, "first": 100, "select": .string(Self.select)]
        let variable: JSONObject = [
            "id": 5, "select": "{ client { sessions(where: {date: {gte: $now}}, first: 3) { date module } } }",
            "variables": ["now": "2026-01-01"],
        ]
        try measure("plan a get, cached", operations: 100) { _ in _ = try planner.get(sessions, get) }
        try measure("plan a filtered list, cached", operations: 100) { _ in _ = try planner.list(sessions, list) }
        try measure("plan a get with a variable, cached", operations: 100) { _ in
            _ = try planner.get(sessions, variable)
        }
        // A new alias makes a new text and a new shape.
        try measure("plan a get, new shape") { run in
            let text = Self.select.split(separator: "module", maxSplits: 1).joined(separator: "m\(run): module")
            _ = try planner.get(sessions, ["id": 5, "select": .string(text)])
        }
        try measure("plan a filtered, ordered list, new shape") { run in
            let text = "{ id m\(run): module date formateur { nom_complet } client { raison_sociale } }"
            _ = try planner.list(
                sessions,
                ["where": Self.month, "order_by": ["-tarif_client", "formateur.nom"], "select": .string(text)])
        }
    }

    private func measure(_ name: String, operations: Int = 1, _ body: (Int) throws -> Void) throws {
        var measurement = Measurement(operations: operations)
        for operation in 0..<100 { try body(operation) }
        for run in 1...1_000 {
            try measurement.measure {
                for operation in 0..<operations { try body(run * 1_000 + operation) }
            }
        }
        Report.add(name, measurement)
    }
}
