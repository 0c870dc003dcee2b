package import DomainKit

/// What a role may do with the rows of a table, as far as it concerns SQL.
struct TableRights: Sendable {
    /// Whether selections, filters and orders may use the table's rows.
    let isReadable: Bool
    private let reaches: [Operation: Reach]

    /// - Parameter role: nil for a planner that serves no role: every operation reaches every row.
    init(of role: Role?, on entity: Entity) {
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

    /// The column that is the caller's subject in each row that `operation` reaches; nil if it reaches every row.
    func ownColumn(for operation: Operation) -> String? {
        if case .own(let column)? = reaches[operation] { column } else { nil }
    }
}

/// The conditions that limit a role to the rows of its subject. They repeat the policies of the database: the server
/// decides by them before Postgres does, and an error in one of the two shows no other rows.
extension Table {
    /// The subject of the call, as a function that Postgres replaces by its body. It takes no parameter, so all callers
    /// share a statement.
    static let subject = "kernel.subject()"

    /// The column that is the caller's subject in each row that the role may read; nil if it may read every row.
    var ownColumn: String? { rights.ownColumn(for: .read) }

    /// `t0.owner_id = kernel.subject()`; nil if the role may read every row.
    func ownCondition(on alias: String) -> String? {
        ownColumn.map { "\(alias).\(SQLIdentifier.sql($0)) = \(Self.subject)" }
    }

    /// ` AND t0.owner_id = kernel.subject()`; empty if the role may read every row.
    func ownClause(on alias: String) -> String { ownCondition(on: alias).map { " AND \($0)" } ?? "" }

    /// The same, and that `further` is the subject, too.
    func ownClause(on alias: String, and further: String?) -> String {
        guard let further, further != ownColumn else { return ownClause(on: alias) }
        return ownClause(on: alias) + " AND \(alias).\(SQLIdentifier.sql(further)) = \(Self.subject)"
    }

    /// The condition for a statement that does `operation` to a row and has no alias: a role changes only what it may
    /// read.
    func ownClause(for operation: Operation) -> String {
        var columns: [String] = []
        for column in [ownColumn, rights.ownColumn(for: operation)].compactMap(\.self) where !columns.contains(column) {
            columns.append(column)
        }
        return columns.map { " AND \(SQLIdentifier.sql($0)) = \(Self.subject)" }.joined()
    }

    /// The column of a new record that the server fills with the caller's subject; nil if the role gives all values.
    var filledColumn: String? { rights.ownColumn(for: .create) }

    /// The columns that a call of this kind cannot set, because they name the subject of the record.
    func ownColumns(in kind: WriteKind) -> Set<String> {
        switch kind {
        case .create, .duplicate: Set([filledColumn].compactMap(\.self))
        case .update: Set([ownColumn, rights.ownColumn(for: .update)].compactMap(\.self))
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
