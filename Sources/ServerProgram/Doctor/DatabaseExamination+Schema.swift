import Migrations
import PostgresDriver
import RPCServer

/// Whether the database still has what the migrations have left in it.
extension DatabaseExamination {
    private static let mostShown = 12
    private static let mostStatements = 50

    /// Compares the catalogue with what `migrate up` has noted, and with what the domains declare.
    func schema() async throws -> Finding? {
        let migrator = try Migrator(sources: sources, client: owner)
        guard try await migrator.status().isUpToDate else { return nil }
        for function in ["kernel.schema_facts_now()", "kernel.schema_missing()", "kernel.schema_more()"] {
            guard try await has(function) else {
                return .fault("schema", "missing: function \(function)", remedy: Self.functionsRemedy)
            }
        }
        let rows = try await owner.query(Self.missing)
        guard rows.count == 0 else { return Self.finding(rows, repeatable: migrator.repeatableFunctions) }
        let errors = try await SchemaConventions(domains.all).errors(owner)
        guard errors.isEmpty else {
            return .fault(
                "schema", errors.map(\.mistake).joined(separator: "; "),
                remedy: errors.map(\.remedy).joined(separator: "\n"))
        }
        guard try await owner.query(Migrator.isSchemaNoted).text(0, 0) == "true" else {
            return .unknown("schema", "what the files have left is not noted: run 'learntrack migrate up'")
        }
        let more = try await owner.query(Self.more)
        guard more.count == 0 else { return Self.finding(beyondMigrations: more) }
        return .ok("schema", "tables, functions, owners, grants and policies are as the migrations have left them")
    }

    private struct Fact {
        let text: String
        let remedy: String?

        /// Whether rows are gone with it.
        var isData: Bool { remedy == nil && ["table ", "column ", "sequence "].contains(where: text.hasPrefix) }

        /// Whether only a superuser brings it back for certain.
        var needsSuperuser: Bool { text.contains(" as owner of ") || text.hasPrefix("extension ") }

        /// The name of the function that is gone or has another body, without its parameters.
        var function: String? {
            text.firstMatch(of: /^(?:body \w+ of )?function ([^(]+)\(/).map { String($0.1) }
        }

        /// The name of the column that is gone, without its table.
        var column: String? { text.firstMatch(of: /^column .*\.([^.]+)$/).map { String($0.1) } }

        /// What rests on others comes after them.
        var rank: Int {
            if text.hasPrefix("view ") || text.hasPrefix("sequence ") { return 0 }
            if text.hasPrefix("constraint ") || text.hasPrefix("index ") { return 1 }
            return text.hasPrefix("enabled trigger ") || text.hasPrefix("validated ") ? 3 : 2
        }

        /// Whether the statement that brings it back needs the other thing. Generated columns do not need each other.
        func uses(_ other: Fact) -> Bool {
            guard let remedy, text != other.text else { return false }
            if let name = other.function { return remedy.contains("\(name)(") && name != function }
            return column == nil && other.column.map(remedy.contains) == true
        }
    }

    /// - Parameter repeatable: the functions that `migrate up --functions` makes again.
    private static func finding(_ rows: Rows, repeatable: Set<String>) -> Finding {
        let facts = (0..<rows.count).map { Fact(text: rows.text($0, 0) ?? "", remedy: rows.text($0, 1)) }
        func isRepeatable(_ fact: Fact) -> Bool { fact.function.map(repeatable.contains) ?? false }
        let definitions = facts.filter { ($0.function != nil || $0.column != nil) && !isRepeatable($0) }
        let others = facts.filter { $0.function == nil && $0.column == nil }.sorted { $0.rank < $1.rank }
        var steps: [String] = []
        if facts.contains(where: \.isData) { steps.append(backupRemedy) }
        var free = mostStatements
        func add(_ facts: [Fact], as role: String) {
            let statements = facts.compactMap(\.remedy)
            guard !statements.isEmpty, free > 0 else {
                free -= statements.count
                return
            }
            steps.append("\(role): " + statements.prefix(free).map { $0 + ";" }.joined(separator: " "))
            free -= statements.count
        }
        add(others.filter(\.needsSuperuser), as: "as a superuser")
        add(inOrderOfUse(definitions), as: "as the owner of the tables")
        if facts.contains(where: isRepeatable) { steps.append(functionsRemedy) }
        add(others.filter { !$0.needsSuperuser }, as: "as the owner of the tables")
        if free < 0 { steps.append("run 'learntrack doctor' again: more is missing") }
        return .fault("schema", "missing: \(listed(facts))", remedy: steps.joined(separator: "\n"))
    }

    /// - Parameter rows: what was added beside the migrations, with the statements that take it away.
    private static func finding(beyondMigrations rows: Rows) -> Finding {
        let facts = (0..<rows.count).map { Fact(text: rows.text($0, 0) ?? "", remedy: rows.text($0, 1)) }
        let statements = facts.prefix(mostStatements).compactMap(\.remedy).map { $0 + ";" }.joined(separator: " ")
        let again = facts.count > mostStatements ? "\nrun 'learntrack doctor' again: there is more" : ""
        return .fault(
            "schema", "given or added by no migration: \(listed(facts))",
            remedy: "as the owner of the tables: \(statements)\(again)"
                + "\nor, if it is meant, give it in a migration of your own")
    }

    private static func listed(_ facts: [Fact]) -> String {
        let shown = facts.prefix(mostShown).map(\.text).joined(separator: "; ")
        return facts.count > mostShown ? "\(shown); and \(facts.count - mostShown) more" : shown
    }

    /// Functions and columns, each after those that it uses.
    private static func inOrderOfUse(_ facts: [Fact]) -> [Fact] {
        var ordered: [Fact] = []
        var waiting = facts
        while !waiting.isEmpty {
            let next = waiting.firstIndex { fact in !waiting.contains { fact.uses($0) } }
            ordered.append(waiting.remove(at: next ?? 0))
        }
        return ordered
    }

    private static let functionsRemedy = "run 'learntrack migrate up --functions'"
    private static let backupRemedy = "restore the last backup ('learntrack restore'): the data is gone, too"

    private static let missing = Statement("SELECT fact, remedy FROM kernel.schema_missing()")
    private static let more = Statement("SELECT fact, remedy FROM kernel.schema_more()")
}
