import Crypto
import DomainKit
import JSON
package import QueryCompiler

/// The statements of a call and the role that they run in, without the values of their parameters.
package struct CallStatements: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        let sql: String
        let parameters: Int
        /// Whether Postgres plans it anew for the values of each call.
        let hasCustomPlan: Bool
    }

    let databaseRole: String
    /// In the order of the call.
    private let all: [Part]

    /// Each once, in the order of the call. Not computed for calls that are quick.
    var parts: [Part] {
        var known: Set<Part> = []
        return all.filter { known.insert($0).inserted }
    }

    /// nil if the call has no statement of the query compiler.
    package init?(_ queries: [Query], in role: ActingRole?) {
        guard let role, !queries.isEmpty else { return nil }
        databaseRole = role.served.role.databaseRole
        all = queries.map { query in
            Part(
                sql: query.statement.text,
                parameters: query.parameters.count + (query.statement.namesCompany ? 1 : 0),
                hasCustomPlan: query.statement.prefersCustomPlan)
        }
    }

    init?(_ plan: CallPlan, for call: Call) {
        // The calls of a transaction have a role in common, which the method itself does not have.
        let role = if case .batch(let batch) = plan { batch.role ?? call.role } else { call.role }
        self.init(plan.queries, in: role)
    }

    /// The same for calls of one shape in one role, on every instance: twelve digits.
    var hash: String {
        var hasher = SHA256()
        hasher.update(data: Array(databaseRole.utf8))
        for part in parts { hasher.update(data: Array("\n;\(part.sql)".utf8)) }
        return hasher.finalize().prefix(6).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
            .joined()
    }

    var json: JSONValue {
        .array(
            parts.map { part in
                [
                    "sql": .string(part.sql), "parameters": .number(String(part.parameters)),
                    "custom_plan": .bool(part.hasCustomPlan),
                ]
            })
    }
}

extension CallPlan {
    /// The statements of the plan, apart from those that the server adds to each transaction.
    fileprivate var queries: [Query] {
        switch self {
        case .list(let plan): [plan.query]
        case .history(let plan, let record, _): (record.map { [$0.query] } ?? []) + [plan.query]
        case .aggregate(let plan): [plan.query]
        case .record(let plan, _): [plan.query]
        case .batch(let batch): batch.writes.flatMap(\.queries)
        case .computed(let computation): computation.loads.flatMap(\.queries)
        case .work: []
        }
    }
}

extension CallPlan.PlannedLoad {
    /// The statement that loads it; of rows the one of the first page.
    package var queries: [Query] {
        switch self {
        case .record(let plan, _): [plan.query]
        case .rows(let rows): [rows.first.query]
        case .groups(let plan): [plan.query]
        case .named(let named): [named.plan.query]
        case .file, .timeZone, .nothing: []
        }
    }
}
