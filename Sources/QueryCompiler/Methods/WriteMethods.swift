package import DomainKit

extension Planner {
    /// `X.create`: `values`, `select`, `variables`.
    package func create(_ entity: Entity, _ params: Object) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let values = resolution.values(params, of: table, for: .create)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let insert = Query(
            statement: statement(.insert(table, values.map(\.field))), parameters: values.map(\.text))
        return plan([insert], writeIndex: 0, reading: selection, by: .inserted)
    }

    /// `X.update`: `id`, `values`, `if_version`, `select`, `variables`. Without values nothing is written.
    package func update(_ entity: Entity, _ params: Object) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .update)
        let version = resolution.version(params)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let current = version == nil ? nil : try wholeRecord(of: table, id: id)
        let versions: [String?] = version.map { [$0] } ?? []
        guard !values.isEmpty else {
            return plan(
                [], of: id, writeIndex: nil, reading: selection, by: version == nil ? .id : .version, [id] + versions,
                current: current)
        }
        let update = Query(
            statement: statement(.update(table, values.map(\.field), checksVersion: version != nil)),
            parameters: [id] + values.map(\.text) + versions)
        return plan([update], of: id, writeIndex: 0, reading: selection, by: .id, [id], current: current)
    }

    /// `X.duplicate`: `id`, `values`, `select`, `variables`.
    package func duplicate(_ entity: Entity, _ params: Object) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .duplicate)
        let selection = try writeSelection(params, on: table, in: &resolution)
        let copy = Query(
            statement: statement(.copy(table, values.map(\.field))), parameters: [id] + values.map(\.text))
        return plan([copy], writeIndex: 0, reading: selection, by: .copied)
    }

    /// `X.delete`: `id`, `if_version`.
    package func delete(_ entity: Entity, _ params: Object) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let version = resolution.version(params)
        try resolution.diagnostics.check()
        let delete = Query(
            statement: statement(.delete(table, checksVersion: version != nil)),
            parameters: [id] + (version.map { [$0] } ?? []))
        return WritePlan(
            id: id, statements: [delete], writeIndex: 0, layout: RowLayout(parts: []),
            current: version == nil ? nil : try wholeRecord(of: table, id: id))
    }

    /// Reads all columns of a record whose version may not be the expected one.
    private func wholeRecord(of table: Table, id: String?) throws(PlanError) -> RecordPlan {
        var resolution = resolution()
        let selection = try writeSelection(Object(), on: table, in: &resolution)
        let record = record(selection, by: .id)
        return RecordPlan(
            query: Query(statement: record.statement, parameters: selection.parameters + [id]), layout: record.layout)
    }

    /// The selection of what a write reads back; throws everything found wrong with the call.
    private func writeSelection(
        _ params: Object, on table: Table, in resolution: inout Resolution
    ) throws(PlanError) -> PreparedSelection {
        let selection = selection(params["select"], on: table, in: &resolution)
        if let limitError = selection?.cost.check(first: 1, limits: limits) { resolution.diagnostics.add(limitError) }
        return try resolution.diagnostics.require(selection)
    }

    private func plan(
        _ writes: [Query], of id: String? = nil, writeIndex: Int?, reading selection: PreparedSelection,
        by key: CompiledRecord.Key,
        _ identity: [String?] = [], current: RecordPlan? = nil
    ) -> WritePlan {
        let record = record(selection, by: key)
        let read = Query(statement: record.statement, parameters: selection.parameters + identity)
        return WritePlan(
            id: id, statements: writes + [read], writeIndex: writeIndex, layout: record.layout, current: current)
    }
}
