import Migrations
import PostgresDriver
import RPCServer

/// Whether the database still has what the migrations have left in it.
extension DatabaseExamination {
    private static let mostShown = 12

    /// Compares the catalogue with what `migrate up` has noted, and with what the domains declare.
    func schema() async throws -> Finding? {
        guard try await Migrator(sources: sources, client: owner).status().isUpToDate else { return nil }
        for function in ["kernel.schema_facts_now()", "kernel.schema_missing()"] {
            guard try await has(function) else {
                return .fault("schema", "missing: function \(function)", remedy: Self.functionsRemedy)
            }
        }
        let rows = try await owner.query(Self.missing)
        guard rows.count == 0 else { return Self.finding(rows) }
        do {
            try await SchemaConventions(domains.all).check(owner)
        } catch let error as ConventionError {
            return .fault("schema", "\(error)", remedy: Self.backupRemedy)
        }
        guard try await owner.query(Self.isNoted).text(0, 0) == "true" else {
            return .unknown("schema", "nothing is noted to compare it with: run 'learntrack migrate up'")
        }
        return .ok("schema", "tables, functions, owners, grants and policies are as the migrations have left them")
    }

    private struct Fact {
        let text: String
        let remedy: String?

        /// Whether rows are gone with it.
        var isData: Bool { text.hasPrefix("table ") || text.hasPrefix("column ") }

        var isFunction: Bool { text.hasPrefix("function ") || text.hasPrefix("body ") }
    }

    private static func finding(_ rows: Rows) -> Finding {
        let facts = (0..<rows.count).map { Fact(text: rows.text($0, 0) ?? "", remedy: rows.text($0, 1)) }
        let shown = facts.prefix(mostShown).map(\.text).joined(separator: "; ")
        let rest = facts.count > mostShown ? "; and \(facts.count - mostShown) more" : ""
        var remedies: [String] = []
        if facts.contains(where: \.isData) { remedies.append(backupRemedy) }
        if facts.contains(where: \.isFunction) { remedies.append(functionsRemedy) }
        let statements = facts.compactMap(\.remedy)
        if !statements.isEmpty {
            remedies.append(
                "as the owner of the tables: " + statements.prefix(mostShown).map { $0 + ";" }.joined(separator: " ")
                    + (statements.count > mostShown ? " and run 'learntrack doctor' again" : ""))
        }
        return .fault("schema", "missing: \(shown)\(rest)", remedy: remedies.joined(separator: ", and "))
    }

    private static let functionsRemedy = "run 'learntrack migrate up --functions'"
    private static let backupRemedy = "restore the last backup ('learntrack restore'): the data is gone, too"

    private static let missing = Statement("SELECT fact, remedy FROM kernel.schema_missing()")
    private static let isNoted = Statement("SELECT EXISTS (SELECT FROM kernel.schema_facts)::text")
}
