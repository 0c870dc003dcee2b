import ArgumentParser
import JSON
import PostgresDriver

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the statements of a slow call, and how Postgres runs them.",
        discussion: """
            The log has the hash: it is the field 'sql' of the line 'Slow call'. The plan is that of the role which made the \
            call. The statements have $1, $2, … in the place of values, and are not run.
            """)

    @Argument(help: "The hash, as the log has it.") var hash: String
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        try await database.withDatabase(log) { _, owner in
            guard let call = try await SlowCallPlans.find(hash, owner) else {
                throw CommandError(
                    "no slow call has the hash \(hash): it is the field 'sql' of a line 'Slow call', and the thousand that "
                        + "were noted last are kept")
            }
            printLine("\(call.method) as \(call.role), slow at \(call.notedAt)")
            for (index, statement) in call.statements.enumerated() {
                printLine("\n\(statement.sql);\n")
                do throws(PostgresError) {
                    for line in try await call.plan(of: index, owner) { printLine("    \(line)") }
                } catch {
                    // The schema may be another one since.
                    printLine("    There is no plan: \(CommandError.text(of: error))")
                }
                guard statement.hasCustomPlan else { continue }
                printLine("    (Calls have a plan for their own values, which may differ from this one.)")
            }
        }
    }
}

/// What the server has noted about a slow call.
private struct SlowCallPlans {
    struct Noted {
        let sql: String
        let parameters: Int
        let hasCustomPlan: Bool
    }

    let method: String
    /// The database role.
    let role: String
    let notedAt: String
    let statements: [Noted]

    /// - Returns: nil if there is none with this hash.
    static func find(_ hash: String, _ owner: PostgresClient) async throws -> SlowCallPlans? {
        let rows = try await owner.query(call, [.text(hash)])
        guard rows.count > 0, case .array(let statements) = try JSONReader.read(rows.text(0, 3) ?? "[]").value else {
            return nil
        }
        return SlowCallPlans(
            method: rows.text(0, 0) ?? "", role: rows.text(0, 1) ?? "", notedAt: rows.text(0, 2) ?? "",
            statements: statements.map { statement in
                let count: Int? = if case .number(let digits)? = statement["parameters"] { Int(digits) } else { nil }
                return Noted(
                    sql: statement["sql"]?.text ?? "", parameters: count ?? 0,
                    hasCustomPlan: statement["custom_plan"] == true)
            })
    }

    /// The lines of EXPLAIN, as the server's connections of the role have them: without the values.
    func plan(of index: Int, _ owner: PostgresClient) async throws(PostgresError) -> [String] {
        let statement = statements[index]
        // One for each statement: a prepared statement outlives the transaction.
        let name = "learntrack_explained_\(index)"
        let values = [String](repeating: "NULL", count: statement.parameters).joined(separator: ", ")
        let results = try await owner.transaction([
            Step(Self.settings, [.text(role)]),
            Step(Statement("PREPARE \(name) AS \(statement.sql)")),
            Step(Statement("EXPLAIN EXECUTE \(name)" + (values.isEmpty ? "" : "(\(values))"))),
        ])
        return (0..<results[2].count).compactMap { results[2].text($0, 0) }
    }

    private static let settings = Statement(
        """
        SELECT set_config('transaction_read_only', 'on', true), set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('jit', 'off', true), set_config('random_page_cost', '1.1', true), set_config('role', $1::text, true)
        """)
    private static let call = Statement(
        """
        SELECT method, role, to_char(noted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', statements::text
        FROM kernel.slow_calls WHERE hash = $1
        """)
}
