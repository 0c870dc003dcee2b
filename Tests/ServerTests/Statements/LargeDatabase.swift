import CRMDomain
import DomainKit
import Foundation
import JSON
import QueryCompiler
import TestPostgres
import TestSupport

/// 100,000 sessions, like those of the load test, and the plans of the server's statements on them.
struct LargeDatabase: Sendable {
    let database: TestDatabase
    private let planner = Planner(domains: [CRM.domain], sortCollation: "francais")

    private static let shared = Shared { try await make() }

    static func made() async throws -> LargeDatabase { try await shared.value() }

    private static func make() async throws -> LargeDatabase {
        let database = try await TestDatabase.create(migrated: true)
        let indexes = try await database.psql(
            "SELECT indexdef || ';' FROM pg_indexes WHERE tablename = 'sessions' AND indexname <> 'sessions_pkey'")
        let load = LearnTrackProcess.projectRoot.appending(path: "Benchmarks/Load")
        let data = try ["data.sql", "sessions.sql"].map {
            try String(contentsOf: load.appending(path: $0), encoding: .utf8)
        }.joined(separator: "\n")
        // Building the indexes at the end takes a tenth of the time.
        try await database.psql(
            """
            DO $$ DECLARE name text; BEGIN
                FOR name IN SELECT indexname FROM pg_indexes
                    WHERE tablename = 'sessions' AND indexname <> 'sessions_pkey'
                LOOP EXECUTE format('DROP INDEX %I', name); END LOOP;
            END $$;
            \\set first 1
            \\set last 100000
            \(data)
            SET maintenance_work_mem = '256MB';
            \(indexes)
            ANALYZE;
            """)
        return LargeDatabase(database: database)
    }

    struct Question: Sendable {
        let name: String
        let query: Query
    }

    func list(_ table: String, _ params: JSONObject, after texts: [String?]? = nil) throws -> Question {
        let entity = try Entity.named(table)
        var params = params
        if let texts {
            let cursor = try planner.list(entity, params).cursor.encode(columnTexts: texts)
            params.members.append(.init("after", .string(cursor)))
        }
        return Question(
            name: "\(table) \(JSONValue.object(params).json) \(texts ?? [])",
            query: try planner.list(entity, params).query)
    }

    func aggregate(_ params: JSONObject) throws -> Question {
        Question(
            name: "sessions \(JSONValue.object(params).json)",
            query: try planner.aggregate(try Entity.named("sessions"), params).query)
    }

    /// The plan of each statement, run as the server runs it: prepared, with the role of its caller, with row-level
    /// security, and with the generic or custom plan that the statement asks for.
    func plans(of questions: [Question]) async throws -> [Plan] {
        try await Self.plans(of: questions, on: database)
    }

    /// The plans on any database, in a company.
    static func plans(
        of questions: [Question], on database: TestDatabase, in acting: Int = 1
    ) async throws -> [Plan] {
        var script = """
            SET ROLE learntrack_user;
            SET learntrack.company = '\(acting)';
            SET jit = off;
            SET random_page_cost = 1.1;
            SET TimeZone = 'UTC';
            SET learntrack.time_zone = 'Europe/Paris';

            """
        for question in questions {
            let company: [String?] = question.query.statement.namesCompany ? [String(acting)] : []
            let values = (question.query.parameters + company).map { text in
                text.map { "'" + $0.replacingOccurrences(of: "'", with: "''") + "'" } ?? "NULL"
            }
            let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
            script += """
                SET plan_cache_mode = \(question.query.statement.prefersCustomPlan ? "force_custom_plan" : "force_generic_plan");
                PREPARE s AS \(question.query.statement.text);
                SELECT '@@';
                EXPLAIN (ANALYZE, TIMING OFF) EXECUTE s\(arguments);
                DEALLOCATE s;

                """
        }
        let texts = try await database.psql(script).components(separatedBy: "@@").dropFirst()
        guard texts.count == questions.count else { throw TestEnvironmentError("\(texts.count) plans") }
        return zip(questions, texts).map { Plan(name: $0.name, text: $1) }
    }

    struct Plan: Sendable {
        let name: String
        let text: String

        /// The tables with a sequential scan.
        var scannedTables: [String] {
            text.split(separator: "\n").compactMap { line in
                guard let range = line.range(of: "Seq Scan on "), !line.contains("never executed") else { return nil }
                return String(line[range.upperBound...].prefix { $0 != " " })
            }
        }

        /// The largest number of rows that a walk through an index read and discarded. An index that has every column of
        /// the query may be read as a whole in the place of its table.
        var longestWalk: Int {
            var isWalk = false
            var longest = 0
            for line in text.split(separator: "\n") {
                if line.contains("(cost=") { isWalk = line.contains("Index Scan") }
                if isWalk, line.contains("Rows Removed by"), let count = line.split(separator: " ").last {
                    longest = max(longest, Int(count) ?? 0)
                }
            }
            return longest
        }

        /// The largest number of rows that a node returned.
        var mostRowsRead: Int {
            text.split(separator: "\n").compactMap { line in
                line.range(of: "actual rows=").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
            }.max() ?? 0
        }

        /// The largest number of rows of the table that a node read and discarded.
        var mostRowsRemoved: Int {
            text.split(separator: "\n").filter { $0.contains("Rows Removed by") }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.max() ?? 0
        }
    }
}
