package import DomainKit
package import JSON

extension Planner {
    /// Plans `X.create`. Params: `values`, `select`, `variables`.
    package func create(_ entity: Entity, _ params: JSONObject) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let values = resolution.values(params, of: table, for: .create)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let insert = Query(
            statement: statement(.insert(table, values.map(\.field))), parameters: values.map(\.text))
        return plan([insert], writeIndex: 0, reading: selection, cost, by: .inserted)
    }

    /// Plans `X.update`. Params: `id`, `values`, `if_version`, `select`, `variables`. Without values, the plan only reads.
    package func update(_ entity: Entity, _ params: JSONObject) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .update)
        let version = resolution.version(params)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let current = version == nil ? nil : try wholeRecord(of: table, id: id)
        let versions: [String?] = version.map { [$0] } ?? []
        guard !values.isEmpty else {
            return plan(
                [], of: id, writeIndex: nil, reading: selection, cost, by: version == nil ? .id : .version,
                [id] + versions, current: current)
        }
        let update = Query(
            statement: statement(.update(table, values.map(\.field), checksVersion: version != nil)),
            parameters: [id] + values.map(\.text) + versions)
        return plan([update], of: id, writeIndex: 0, reading: selection, cost, by: .id, [id], current: current)
    }

    /// Plans `X.duplicate`. Params: `id`, `values`, `select`, `variables`.
    package func duplicate(_ entity: Entity, _ params: JSONObject) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .duplicate)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let copy = Query(
            statement: statement(.copy(table, values.map(\.field))), parameters: [id] + values.map(\.text))
        return plan([copy], writeIndex: 0, reading: selection, cost, by: .copied)
    }

    /// Plans `X.delete`. Params: `id`, `if_version`.
    package func delete(_ entity: Entity, _ params: JSONObject) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let version = resolution.version(params)
        try resolution.diagnostics.check()
        let delete = Query(
            statement: statement(.delete(table, checksVersion: version != nil)),
            parameters: [id] + (version.map { [$0] } ?? []))
        return WritePlan(
            id: id, statements: [delete], cost: CallCost(), writeIndex: 0, layout: RowLayout(parts: []),
            current: version == nil ? nil : try wholeRecord(of: table, id: id))
    }

    /// A read of all columns of a record, for a version conflict.
    private func wholeRecord(of table: Table, id: String?) throws(PlanError) -> RecordPlan {
        var resolution = resolution()
        let (selection, cost) = try writeSelection(JSONObject(), on: table, in: &resolution)
        return recordPlan(selection, cost, id: id)
    }

    /// The selection that a write returns. Throws what has been found wrong with the call.
    private func writeSelection(
        _ params: JSONObject, on table: Table, in resolution: inout Resolution
    ) throws(PlanError) -> (PreparedSelection, CallCost) {
        let selection = selection(params["select"], on: table, in: &resolution)
        return try check(selection, first: 1, in: &resolution)
    }

    /// - Parameter identity: the parameters that `key` requires.
    private func plan(
        _ writes: [Query], of id: String? = nil, writeIndex: Int?, reading selection: PreparedSelection,
        _ cost: CallCost, by key: CompiledRecord.Key, _ identity: [String?] = [], current: RecordPlan? = nil
    ) -> WritePlan {
        let record = record(selection, by: key)
        let read = Query(
            statement: record.statement, parameters: selection.parameters + identity,
            expectedCost: .record(selection, cost))
        return WritePlan(
            id: id, statements: writes + [read], cost: cost, writeIndex: writeIndex, layout: record.layout,
            current: current)
    }

    // MARK: References

    /// A check for each foreign key in `values`: whether the record that it names exists. It is meant for a write that
    /// the database has rejected, to report all missing records together.
    package func missingReferences(_ entity: Entity, _ values: JSONObject) -> [ReferenceCheck] {
        entity.relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind, let value = values[column], !value.isNull,
                let target = schema.table(named: relation.target), target.rights.isReadable
            else { return nil }
            var resolution = Resolution(schema: schema, limits: limits)
            let path = "/values".appendingPointer(column)
            guard let id = resolution.text(of: value, as: .bigint, at: .pointer(path)) else { return nil }
            return ReferenceCheck(
                path: path, message: target.entity.missingMessage(id: id),
                query: Query(statement: statement(.exists(target)), parameters: [id]))
        }
    }

    /// A query for the number of records that refer to a record: one row with one `bigint`. Nil when no table can refer
    /// to it.
    package func references(to entity: Entity, id: String) -> Query? {
        guard let table = schema.table(named: entity.name), !schema.references(to: table).isEmpty else { return nil }
        return Query(statement: statement(.references(table)), parameters: [id], expectedCost: .page)
    }
}
