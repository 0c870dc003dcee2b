package import DomainKit
package import JSON

/// A value for a parameter of a command's function.
package struct CommandArgument: Sendable {
    let type: FieldType
    let text: String?
    let target: String?

    /// - Parameters:
    ///   - text: as Postgres reads it; nil for null.
    ///   - target: the entity that the value names a record of.
    package init(_ type: FieldType, _ text: String?, namingRecordOf target: String? = nil) {
        self.type = type
        self.text = text
        self.target = target
    }
}

/// The records that a command answers with.
package enum CommandRecords: Sendable {
    case one(Entity)
    case many(Entity, atMost: Int)
}

/// A call of a command's function. Its statements run in order, in one transaction.
package struct CommandPlan: Sendable {
    /// First a check that the caller may read the records that the call names, if it names any. Then the call of the
    /// function, which returns one row: the function's result as text. A command that answers records also has a check that
    /// the caller may read them, and the read.
    package let statements: [Query]
    /// The index of the call of the function.
    package let functionIndex: Int
    package let cost: CallCost
    /// The layout of the last statement's rows; nil if the command answers no records.
    package let layout: RowLayout?
    /// A read of the records with the selection of the call, to answer it again. Its id is what the function has returned.
    package let readAgain: RecordRead?
    /// The references in ``WriteMode/references`` that the arguments use.
    package let usedReferences: Set<UsedReference>
}

extension Planner {
    /// Plans a command. Params: `select`, `variables`, if it answers records.
    ///
    /// - Parameters:
    ///   - named: the records that the arguments name, which the caller must be able to read.
    ///   - ownColumns: by entity, the column that must be the caller's subject in them.
    package func command(
        _ function: String, _ arguments: [CommandArgument], naming named: [NamedRecord] = [],
        ownColumns: [String: String] = [:], answering records: CommandRecords?, _ params: JSONObject,
        _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> CommandPlan {
        let (call, used) = call(function, arguments, mode)
        let calls = [check(named, ownColumns, mode)].compactMap(\.self) + [call]
        let (entity, count, isList): (Entity, Int, Bool)
        switch records {
        case nil:
            return CommandPlan(
                statements: calls, functionIndex: calls.count - 1, cost: CallCost(), layout: nil, readAgain: nil,
                usedReferences: used)
        case .one(let answered)?: (entity, count, isList) = (answered, 1, false)
        case .many(let answered, let max)?: (entity, count, isList) = (answered, max, true)
        }
        let table = try table(of: entity)
        var resolution = resolution(params)
        let selection = selection(params["select"], on: table, in: &resolution)
        let (prepared, cost) = try check(selection, first: count, in: &resolution)
        let read = record(prepared, by: isList ? .answeredList : .answered)
        let again = record(prepared, by: isList ? .listed : .id)
        return CommandPlan(
            statements: calls + [
                Query(
                    statement: statement(WriteShape(kind: .answered(table, isList: isList)), parameters: 0),
                    parameters: []),
                Query(
                    statement: read.statement, parameters: prepared.parameters,
                    expectedCost: .record(prepared, cost)),
            ], functionIndex: calls.count - 1, cost: cost, layout: read.layout,
            readAgain: RecordRead(
                plan: RecordPlan(
                    query: Query(
                        statement: again.statement, parameters: prepared.parameters + [nil],
                        expectedCost: .record(prepared, cost)),
                    cost: cost, layout: again.layout, id: nil)),
            usedReferences: used)
    }

    /// The check that the caller may read each of `named`; nil if there is none.
    private func check(_ named: [NamedRecord], _ ownColumns: [String: String], _ mode: WriteMode) -> Query? {
        var tables: [NamedTable] = []
        let records = named.compactMap { record -> JSONValue? in
            guard let table = schema.table(named: record.entity) else { return nil }
            let source = NamedTable(table: table, ownColumn: ownColumns[record.entity])
            let position = tables.firstIndex(of: source) ?? tables.count
            if position == tables.count { tables.append(source) }
            let key: JSONObject.Member =
                mode.references[record.id].map { .init("call", .number(String($0))) } ?? .init("id", .number(record.id))
            return .object(
                JSONObject([key, .init("place", .number(String(position))), .init("path", .string(record.path))]))
        }
        guard !records.isEmpty else { return nil }
        return Query(
            statement: statement(WriteShape(kind: .named(tables)), parameters: 1),
            parameters: [JSONValue.array(records).jsonText])
    }

    /// The call of the function, and the references to earlier calls that it uses.
    private func call(
        _ function: String, _ arguments: [CommandArgument], _ mode: WriteMode
    ) -> (Query, used: Set<UsedReference>) {
        var shape = WriteShape(kind: .command(function, arguments.map(\.type.argument)))
        var parameters = arguments.map(\.text)
        var used: Set<UsedReference> = []
        for (slot, argument) in arguments.enumerated() where argument.type == .bigint {
            guard let digits = argument.text, let call = mode.references[digits] else { continue }
            shape.references.insert(slot)
            parameters[slot] = String(call)
            used.insert(UsedReference(digits: digits, target: argument.target))
        }
        return (Query(statement: statement(shape, parameters: parameters.count), parameters: parameters), used)
    }
}
