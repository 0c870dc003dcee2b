import ArgumentParser
import DomainKit
import JSON
import PostgresDriver

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Look at the mails and webhooks that have not left, and send them again.",
        discussion: """
            docs/outbox.md says what the server repeats by itself, and for how long.
            """, subcommands: [List.self, Retry.self])

    /// Which messages a command is about.
    enum State: String, CaseIterable, ExpressibleByArgument {
        /// Those that wait, also for their time.
        case waiting
        /// Those that wait after a failure.
        case failing
        case givenUp = "given-up"
        case sent

        /// The condition on a row of `kernel.outbox`.
        var condition: String {
            switch self {
            case .waiting: "o.sent_at IS NULL AND o.gave_up_at IS NULL"
            case .failing: "o.sent_at IS NULL AND o.gave_up_at IS NULL AND o.cause IS NOT NULL"
            case .givenUp: "o.gave_up_at IS NOT NULL"
            case .sent: "o.sent_at IS NOT NULL"
            }
        }
    }

    /// Which messages a command is about, beside their state.
    struct Filter: ParsableArguments {
        @Option(help: "Only those of this notice, such as 'signatures.invitation'.") var kind: String?
        @Option(help: "Only those whose last failure concerns this: \(Self.causes).") var cause: String?

        private static let causes = FailureCause.allCases.map(\.rawValue).joined(separator: ", ")

        func validate() throws {
            guard let cause, FailureCause(rawValue: cause) == nil else { return }
            throw ValidationError("--cause: one of \(Self.causes) is expected, not '\(cause)'")
        }

        static let condition = "($1::text IS NULL OR o.kind = $1) AND ($2::text IS NULL OR o.cause = $2)"

        var parameters: [PostgresDriver.Parameter] { [kind, cause].map { $0.map { .text($0) } ?? .null } }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the messages that have not left.",
            discussion:
                "Messages have no content here: they name a notice and a record, and are phrased when they leave.")

        @Option(help: "Only those in this state: \(State.allCases.map(\.rawValue).joined(separator: ", ")).")
        var state: State?
        @OptionGroup var filter: Filter
        @Option(help: "How many at most, the latest first.") var first = 100
        @Flag(name: .customLong("json"), help: "Print one JSON object for each line.") var printsJSON = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            guard first > 0 else { throw ValidationError("--first: a number above 0 is expected") }
        }

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let condition = state?.condition ?? "o.sent_at IS NULL"
                let rows = try await owner.query(
                    Statement(
                        """
                        SELECT o.id::text, o.kind, o.record_id::text,
                            CASE WHEN o.sent_at IS NOT NULL THEN 'sent' WHEN o.gave_up_at IS NOT NULL THEN 'given-up'
                                WHEN o.cause IS NOT NULL THEN 'failing' ELSE 'waiting' END,
                            to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                            to_char(o.not_before AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                            o.failures::text, o.cause, o.last_error
                        FROM kernel.outbox AS o WHERE \(condition) AND \(Filter.condition)
                        ORDER BY o.id DESC LIMIT $3::bigint
                        """), filter.parameters + [.text(String(first))])
                for row in 0..<rows.count { printLine(printsJSON ? Self.json(rows, row) : Self.line(rows, row)) }
                if rows.count == 0, !printsJSON { printLine("there are none") }
            }
        }

        private static let names = [
            "id", "kind", "record_id", "state", "created_at", "not_before", "failures", "cause", "last_error",
        ]

        private static func json(_ rows: Rows, _ row: Int) -> String {
            let members = names.enumerated().map { column, name in
                let text = rows.text(row, column)
                let isNumber = ["id", "record_id", "failures"].contains(name)
                return JSONObject.Member(name, text.map { isNumber ? .number($0) : .string($0) } ?? .null)
            }
            return JSONValue.object(JSONObject(members)).jsonText
        }

        private static func line(_ rows: Rows, _ row: Int) -> String {
            func text(_ column: Int) -> String { rows.text(row, column) ?? "" }
            let subject = "\(text(1)) \(text(2))".padding(toWidth: 32)
            var line = "\(text(0).padding(toWidth: 8)) \(text(3).padding(toWidth: 8)) \(subject) entered \(text(4))"
            if text(6) != "0" { line += ", \(text(6)) failures" }
            if rows.text(row, 7) != nil { line += ", \(text(7)): \(text(8))" }
            return line
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send messages again that have failed or were given up.",
            discussion: """
                Name them by their ids, or give --all, which the filters limit. A running server takes them within seconds, \
                and repeats them for three days. Messages that have left, or wait for their time, stay as they are.
                """)

        @Argument(help: "The ids, as 'outbox list' shows them.") var ids: [Int64] = []
        @Flag(help: "All that have failed or were given up.") var all = false
        @Flag(help: "With --all: only those that were given up.") var givenUp = false
        @OptionGroup var filter: Filter
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            guard all == ids.isEmpty else { throw ValidationError("give ids, or --all") }
            guard all || (filter.kind == nil && filter.cause == nil && !givenUp) else {
                throw ValidationError("--kind, --cause and --given-up are for --all")
            }
        }

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let list = "{\(ids.map(String.init).joined(separator: ","))}"
                let step =
                    all
                    ? Step(Self.retryAll, filter.parameters + [.text(String(givenUp))])
                    : Step(Self.retry, [.text(list)])
                let results = try await owner.transaction([step])
                printLine("\(results.first?.text(0, 0) ?? "0") will be sent again")
                let kept = Set(ids.map(String.init)).subtracting(
                    (results.first?.text(0, 1) ?? "").split(separator: ",").map(String.init))
                guard !all, !kept.isEmpty else { return }
                throw CommandError(
                    "\(kept.sorted().joined(separator: ", ")): not there, sent already, or not tried yet")
            }
        }

        private static let retry = renewal(of: "o.id = ANY ($1::bigint[])")
        private static let retryAll = renewal(
            of: """
                o.sent_at IS NULL AND (o.gave_up_at IS NOT NULL OR o.cause IS NOT NULL) AND \(Filter.condition) \
                AND (NOT $3::boolean OR o.gave_up_at IS NOT NULL)
                """)

        /// Renews the messages of all companies that meet the condition.
        private static func renewal(of condition: String) -> Statement {
            Statement(
                """
                SELECT cardinality(renewed)::text, array_to_string(renewed, ',')
                FROM (
                    SELECT array_agg(o.company_id) AS companies, array_agg(o.id) AS ids
                    FROM kernel.outbox AS o WHERE \(condition)
                ) AS chosen, kernel.outbox_renew(chosen.companies, chosen.ids) AS renewed
                """)
        }
    }
}
