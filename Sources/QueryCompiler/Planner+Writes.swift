package import DomainKit
package import JSON

extension Planner {
    /// Plans `X.create`. Params: `values`, `select`, `variables`.
    package func create(
        _ entity: Entity, _ params: JSONObject, _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let values = resolution.values(params, of: table, for: .create)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let insert = write(.insert(table, values.map(\.field)), table.written(values), mode)
        return plan(insert, of: nil, reading: selection, cost)
    }

    /// Plans `X.update`. Params: `id`, `values`, `if_version`, `select`, `variables`.
    package func update(
        _ entity: Entity, _ params: JSONObject, _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .update)
        let version = resolution.version(params)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let current = version == nil ? nil : try wholeRecord(of: table)
        let versions = version.map { [WrittenValue($0, .integer)] } ?? []
        let kind: WriteShape.Kind =
            values.isEmpty
            ? .match(table, checksVersion: version != nil)
            : .update(table, values.map(\.field), checksVersion: version != nil)
        let update = write(kind, [table.written(id: id)] + table.written(values) + versions, mode)
        return plan(
            update, of: id, reading: selection, cost, current: current, expecting: version,
            check: check(version, of: table, id, for: .update, mode))
    }

    /// Plans `X.duplicate`. Params: `id`, `values`, `select`, `variables`.
    package func duplicate(
        _ entity: Entity, _ params: JSONObject, _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let values = resolution.values(params, of: table, for: .duplicate)
        let (selection, cost) = try writeSelection(params, on: table, in: &resolution)
        let copy = write(
            .copy(table, values.map(\.field)), [table.written(id: id)] + table.written(values), mode)
        return plan(copy, of: nil, reading: selection, cost)
    }

    /// Plans `X.delete`. Params: `id`, `if_version`.
    package func delete(
        _ entity: Entity, _ params: JSONObject, _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> WritePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let version = resolution.version(params)
        try resolution.diagnostics.check()
        let delete = write(
            .delete(table, checksVersion: version != nil),
            [table.written(id: id)] + (version.map { [WrittenValue($0, .integer)] } ?? []), mode)
        let reference = id.flatMap { delete.mode.references[$0] }
        let check = check(version, of: table, id, for: .delete, mode)
        return WritePlan(
            id: reference == nil ? id : nil, idReference: reference,
            statements: [check, delete.query].compactMap(\.self), cost: CallCost(),
            writeIndex: check == nil ? 0 : 1, layout: RowLayout(parts: []),
            current: version == nil ? nil : try wholeRecord(of: table), expectedVersion: version,
            usedReferences: delete.usedReferences)
    }

    /// A check of the version before the write, among the calls of a transaction: only the transaction itself sees the
    /// version that an earlier call has left. Nil if there is nothing to check.
    private func check(
        _ version: String?, of table: Table, _ id: String?, for operation: Operation, _ mode: WriteMode
    ) -> Query? {
        guard let version, mode.hasEarlierCalls else { return nil }
        let values = [table.written(id: id), WrittenValue(version, .integer)]
        return write(.version(table, operation), values, mode).query
    }

    /// A read of all columns of a record that a command names, for a version conflict.
    package func wholeRecord(of entity: Entity) throws(PlanError) -> RecordRead {
        try wholeRecord(of: table(of: entity))
    }

    /// A read of all columns of a record, for a version conflict.
    func wholeRecord(of table: Table) throws(PlanError) -> RecordRead {
        var resolution = resolution()
        let (selection, cost) = try writeSelection(JSONObject(), on: table, in: &resolution)
        return RecordRead(plan: recordPlan(selection, cost, id: nil))
    }

    /// The selection that a write returns. Throws what has been found wrong with the call.
    private func writeSelection(
        _ params: JSONObject, on table: Table, in resolution: inout Resolution
    ) throws(PlanError) -> (PreparedSelection, CallCost) {
        let selection = selection(params["select"], on: table, in: &resolution)
        return try check(selection, first: 1, in: &resolution)
    }

    // MARK: Statements

    /// A statement that writes, and what it was made for.
    private struct PlannedWrite {
        let query: Query
        let mode: WriteMode
        let usedReferences: Set<UsedReference>
    }

    /// - Parameter values: those of the parameters. The digits that stand for the id of an earlier call are replaced by
    ///   the call.
    private func write(_ kind: WriteShape.Kind, _ values: [WrittenValue], _ mode: WriteMode) -> PlannedWrite {
        var shape = WriteShape(kind: kind)
        var parameters = values.map(\.text)
        var used: Set<UsedReference> = []
        if !mode.references.isEmpty {
            for (slot, value) in values.enumerated() where value.type == .bigint {
                guard let digits = value.text, let call = mode.references[digits] else { continue }
                shape.references.insert(slot)
                parameters[slot] = String(call)
                used.insert(UsedReference(digits: digits, target: value.target))
            }
        }
        return PlannedWrite(
            query: Query(statement: statement(shape, parameters: parameters.count), parameters: parameters), mode: mode,
            usedReferences: used)
    }

    /// - Parameters:
    ///   - id: of the record that is written, if the call names it.
    ///   - current: a read of the whole record, for a version conflict.
    ///   - version: that the call expects.
    ///   - check: comes before the write.
    private func plan(
        _ write: PlannedWrite, of id: String?, reading selection: PreparedSelection, _ cost: CallCost,
        current: RecordRead? = nil, expecting version: String? = nil, check: Query? = nil
    ) -> WritePlan {
        let record = record(selection, by: .answered)
        let read = Query(
            statement: record.statement, parameters: selection.parameters,
            expectedCost: .record(selection, cost))
        let reference = id.flatMap { write.mode.references[$0] }
        return WritePlan(
            id: reference == nil ? id : nil, idReference: reference,
            statements: [check, write.query, read].compactMap(\.self), cost: cost,
            writeIndex: check == nil ? 0 : 1, layout: record.layout, current: current, expectedVersion: version,
            readAgain: RecordRead(plan: recordPlan(selection, cost, id: nil)), usedReferences: write.usedReferences)
    }

    // MARK: References

    /// A check for each foreign key in `values`: whether the record that it names exists. It is meant for a write that
    /// the database has rejected, to report all missing records together.
    ///
    /// - Parameter references: values among them that stand for the ids of earlier calls of the transaction. They are not
    ///   checked.
    package func missingReferences(
        _ entity: Entity, _ values: JSONObject, except references: Set<UsedReference> = []
    ) -> [ReferenceCheck] {
        entity.relations.compactMap { relation in
            guard case .toOne(let column) = relation.kind, let value = values[column], !value.isNull,
                let target = schema.table(named: relation.target), target.rights.isReadable
            else { return nil }
            var resolution = Resolution(schema: schema, limits: limits)
            let path = "/values".appendingPointer(column)
            guard let id = resolution.text(of: value, as: .bigint, at: .pointer(path)),
                !references.contains(where: { $0.digits == id })
            else { return nil }
            return ReferenceCheck(
                path: path, message: target.entity.missingMessage(id: id),
                query: Query(statement: statement(WriteShape(kind: .exists(target)), parameters: 1), parameters: [id]),
                successor: successor(of: target.entity, id: id))
        }
    }

    /// A query for the record that has taken the place of a gone one: one row with one `bigint` or null. Nil if the entity
    /// names no successors, and if the role may not read its records.
    package func successor(of entity: Entity, id: String) -> Query? {
        guard let successor = entity.successor, let table = schema.table(named: entity.name), table.rights.isReadable
        else { return nil }
        return Query(
            statement: statement(WriteShape(kind: .successor(successor.function)), parameters: 1), parameters: [id])
    }

    /// A query for the number of records that refer to a record: one row with one `bigint`. Nil when no table can refer
    /// to it.
    package func references(to entity: Entity, id: String) -> Query? {
        guard let table = schema.table(named: entity.name), !schema.references(to: table).isEmpty else { return nil }
        return Query(
            statement: statement(WriteShape(kind: .references(table)), parameters: 1), parameters: [id],
            expectedCost: .page)
    }
}

/// The value of a parameter of a statement that writes.
private struct WrittenValue {
    let text: String?
    let type: FieldType
    /// The entity that the value names a record of.
    let target: String?

    init(_ text: String?, _ type: FieldType, namingRecordOf target: String? = nil) {
        self.text = text
        self.type = type
        self.target = target
    }
}

extension Table {
    fileprivate func written(id: String?) -> WrittenValue {
        WrittenValue(id, .bigint, namingRecordOf: entity.name)
    }

    fileprivate func written(_ values: [(field: Field, text: String?)]) -> [WrittenValue] {
        values.map { value in
            let relation = entity.relations.first { $0.kind == .toOne(column: value.field.name) }
            return WrittenValue(value.text, value.field.type, namingRecordOf: relation?.target)
        }
    }
}
