package import DomainKit

/// What a role may do with the rows of a table, as far as it concerns SQL.
struct TableRights: Sendable {
    /// Whether selections, filters and orders may use the table's rows.
    let isReadable: Bool
    /// Whether each row belongs to a company.
    let hasCompany: Bool
    private let reaches: [Operation: Reach]

    /// - Parameter role: nil for a planner that serves no role: every operation reaches every row of the company.
    init(of role: Role?, on entity: Entity) {
        hasCompany = !entity.isView && entity.rows == .ofCompanies
        guard let role else {
            isReadable = true
            reaches = [:]
            return
        }
        var reaches: [Operation: Reach] = [:]
        for operation in Operation.allCases { reaches[operation] = entity.access.reach(of: role, for: operation) }
        self.reaches = reaches
        isReadable = reaches[.read] != nil
    }

    /// Whether the role may do anything with the rows.
    static func any(of role: Role?, on entity: Entity) -> Bool {
        role.map { role in Operation.allCases.contains { entity.access.allows($0, to: role) } } ?? true
    }

    /// The column that is the caller's subject in each row that `operation` reaches; nil if it reaches every row of the company.
    func ownColumn(for operation: Operation) -> String? {
        if case .own(let column)? = reaches[operation] { column } else { nil }
    }

    /// The conditions on the row `prefix` that limit a statement to what the role reaches, each with a leading ` AND `.
    ///
    /// They repeat the policies of the database: the server decides by them before Postgres does, and an error in one of the two
    /// shows no other rows. The company is also the first column of every key and index.
    ///
    /// - Parameters:
    ///   - prefix: `t0.`; empty in a statement without aliases.
    ///   - columns: those that are the caller's subject.
    func clause(on prefix: String, subject columns: [String?]) -> String {
        var conditions = hasCompany ? ["\(prefix)company_id = \(SQLStatement.company)"] : []
        for column in columns.compactMap(\.self) {
            let condition = "\(prefix)\(SQLIdentifier.sql(column)) = \(Table.subject)"
            if !conditions.contains(condition) { conditions.append(condition) }
        }
        return conditions.map { " AND \($0)" }.joined()
    }
}

/// The conditions that limit a statement to the rows that the role reaches: those of its company, and of its subject.
extension Table {
    /// The subject of the call, as a function that Postgres replaces by its body. It takes no parameter, so all callers
    /// share a statement.
    static let subject = "kernel.subject()"

    /// ` AND t0.company_id = $3 AND t0.owner_id = kernel.subject()`, as far as it limits what the role reads.
    func reachClause(on alias: String, and further: String? = nil) -> String {
        rights.clause(on: "\(alias).", subject: [rights.ownColumn(for: .read), further])
    }

    /// The condition for a statement that does `operation` to a row and has no alias: a role changes only what it may
    /// read.
    func reachClause(for operation: Operation) -> String {
        rights.clause(on: "", subject: [rights.ownColumn(for: .read), rights.ownColumn(for: operation)])
    }

    /// The same as ``reachClause(on:and:)`` as a condition by itself; nil if the role reads every row.
    func reachCondition(on alias: String) -> String? {
        let clause = reachClause(on: alias)
        return clause.isEmpty ? nil : String(clause.dropFirst(" AND ".count))
    }

    /// The column of a new record that the server fills with the caller's subject; nil if the role gives all values.
    var filledColumn: String? { rights.ownColumn(for: .create) }

    /// The columns that a call of this kind cannot set, because they name the subject of the record.
    func ownColumns(in kind: WriteKind) -> Set<String> {
        switch kind {
        case .create, .duplicate: Set([filledColumn].compactMap(\.self))
        case .update: Set([rights.ownColumn(for: .read), rights.ownColumn(for: .update)].compactMap(\.self))
        }
    }
}

extension Planner {
    /// A planner for each of `roles`. Roles with the same rights share one.
    package static func planners(
        for roles: [Role], domains: [Domain], sortCollation: String? = nil, limits: CallLimits = .init()
    ) -> [Role: Planner] {
        let entities = domains.flatMap(\.entities)
        var planners: [Role: Planner] = [:]
        var byReach: [[Reach?]: Planner] = [:]
        for role in roles {
            let reaches = entities.flatMap { entity in
                Operation.allCases.map { entity.access.reach(of: role, for: $0) }
            }
            let planner =
                byReach[reaches]
                ?? Planner(domains: domains, for: role, sortCollation: sortCollation, limits: limits)
            byReach[reaches] = planner
            planners[role] = planner
        }
        return planners
    }
}
