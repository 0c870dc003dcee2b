package import DomainKit

extension Planner {
    /// `X.create`: `values`, `select`, `variables`.
    package func create(_ entity: Entity, _ params: Object) throws(PlanRefusal) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params, taking: ["values", "select", "variables"])
        let values = resolution.values(params, of: table, for: .create)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let insert = Query(
            statement: statement(.insert(table, values.map(\.field))), parameters: values.map(\.text))
        return plan([insert], changed: 0, reading: selection, by: .inserted)
    }

    /// `X.update`: `id`, `values`, `if_version`, `select`, `variables`. Without values nothing is written.
    package func update(_ entity: Entity, _ params: Object) throws(PlanRefusal) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params, taking: ["id", "values", "if_version", "select", "variables"])
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .update)
        let version = resolution.version(params)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let versions = version.map { [$0] } ?? []
        guard !values.isEmpty else {
            let check = version.map { Query(statement: statement(.check(table)), parameters: [id, $0]) }
            return plan(
                check.map { [$0] } ?? [], changed: check.map { _ in 0 }, reading: selection, by: .id, id: id,
                current: try version.map { _ throws(PlanRefusal) in try current(table, id) })
        }
        let update = Query(
            statement: statement(.update(table, values.map(\.field), checksVersion: version != nil)),
            parameters: [id] + values.map(\.text) + versions)
        return plan(
            [update], changed: 0, reading: selection, by: .id, id: id,
            current: try version.map { _ throws(PlanRefusal) in try current(table, id) })
    }

    /// `X.duplicate`: `id`, `values`, `select`, `variables`.
    package func duplicate(_ entity: Entity, _ params: Object) throws(PlanRefusal) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params, taking: ["id", "values", "select", "variables"])
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .duplicate)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let copy = Query(
            statement: statement(.copy(table, values.map(\.field))), parameters: [id] + values.map(\.text))
        return plan([copy], changed: 0, reading: selection, by: .copied)
    }

    /// `X.delete`: `id`, `if_version`.
    package func delete(_ entity: Entity, _ params: Object) throws(PlanRefusal) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params, taking: ["id", "if_version"])
        let id = resolution.id(params)
        let version = resolution.version(params)
        try resolution.findings.check()
        let delete = Query(
            statement: statement(.delete(table, checksVersion: version != nil)),
            parameters: [id] + (version.map { [$0] } ?? []))
        return WritePlan(
            statements: [delete], changed: 0, layout: RowLayout(parts: []),
            current: try version.map { _ throws(PlanRefusal) in try current(table, id) })
    }

    /// Reads all columns of a record whose version may not be the expected one.
    private func current(_ table: Table, _ id: String?) throws(PlanRefusal) -> RecordPlan {
        var resolution = resolution(Object(), taking: [])
        let selection = try writeSelection(Object(), on: table, in: &resolution)
        let record = record(selection, by: .id)
        return RecordPlan(
            query: Query(statement: record.statement, parameters: selection.parameters + [id]), layout: record.layout)
    }

    /// The selection of what a write reads back; throws everything found wrong with the call.
    private func writeSelection(
        _ params: Object, on table: Table, in resolution: inout Resolution
    ) throws(PlanRefusal) -> PreparedSelection {
        let selection = selection(params["select"], on: table, in: &resolution)
        if let exceeded = selection?.price.check(first: 1, limits: limits) { resolution.findings.add(exceeded) }
        return try resolution.findings.require(selection)
    }

    private func plan(
        _ writes: [Query], changed: Int?, reading selection: PreparedSelection, by key: CompiledRecord.Key,
        id: String? = nil, current: RecordPlan? = nil
    ) -> WritePlan {
        let record = record(selection, by: key)
        let read = Query(
            statement: record.statement, parameters: selection.parameters + (id.map { [$0] } ?? []))
        return WritePlan(
            statements: writes + [read], changed: changed, layout: record.layout, current: current)
    }
}

/// What a statement that changes records, or asks about them, does.
enum WriteShape: Hashable, Sendable {
    case insert(Table, [Field])
    case update(Table, [Field], checksVersion: Bool)
    case check(Table)
    case delete(Table, checksVersion: Bool)
    case copy(Table, [Field])
    case exists(Table)
    case references(Table)

    func sql(_ schema: Schema) -> String {
        switch self {
        case .insert(let table, let fields): WriteSQL.insert(fields, into: table)
        case .update(let table, let fields, let checks): WriteSQL.update(fields, of: table, checksVersion: checks)
        case .check(let table): WriteSQL.check(table)
        case .delete(let table, let checks): WriteSQL.delete(from: table, checksVersion: checks)
        case .copy(let table, let fields): WriteSQL.copy(table, replacing: fields)
        case .exists(let table): WriteSQL.exists(table)
        case .references(let table): WriteSQL.count(schema.references(to: table))
        }
    }
}
