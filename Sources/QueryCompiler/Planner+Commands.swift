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
    /// The call of the function, which returns one row: the function's result as text. A command that answers records also
    /// has a check that the caller may read them, and the read.
    package let statements: [Query]
    package let cost: CallCost
    /// The layout of the last statement's rows; nil if the command answers no records.
    package let layout: RowLayout?
    /// A read of the whole record, for a version conflict.
    package let current: RecordRead?
    /// A read of the records with the selection of the call, to answer it again. Its id is what the function has returned.
    package let readAgain: RecordRead?
    /// The references in ``WriteMode/references`` that the arguments use.
    package let usedReferences: Set<UsedReference>
}

extension Planner {
    /// Plans a command. Params: `select`, `variables`, if it answers records.
    package func command(
        _ function: String, _ arguments: [CommandArgument], answering records: CommandRecords?, _ params: JSONObject,
        _ mode: WriteMode = WriteMode()
    ) throws(PlanError) -> CommandPlan {
        let (call, used) = call(function, arguments, mode)
        let (entity, count, isList): (Entity, Int, Bool)
        switch records {
        case nil:
            return CommandPlan(
                statements: [call], cost: CallCost(), layout: nil, current: nil, readAgain: nil, usedReferences: used)
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
            statements: [
                call, Query(statement: statement(WriteShape(kind: .answered(table, isList: isList))), parameters: []),
                Query(
                    statement: read.statement, parameters: prepared.parameters,
                    expectedCost: .record(prepared, cost)),
            ], cost: cost, layout: read.layout, current: try wholeRecord(of: table),
            readAgain: RecordRead(
                plan: RecordPlan(
                    query: Query(
                        statement: again.statement, parameters: prepared.parameters + [nil],
                        expectedCost: .record(prepared, cost)),
                    cost: cost, layout: again.layout)),
            usedReferences: used)
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
        return (Query(statement: statement(shape), parameters: parameters), used)
    }
}
