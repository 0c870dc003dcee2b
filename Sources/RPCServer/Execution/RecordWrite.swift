import Auth
import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

/// A write of a record, with the facts that explain an error of the database.
struct RecordWrite: Write {
    enum Kind: Sendable {
        case create, update, duplicate, delete
    }

    let kind: Kind
    let entity: Entity
    let plan: WritePlan
    let values: JSONObject

    var cost: CallCost { plan.cost }
    var queries: [Query] { plan.statements }
    var writeIndex: Int { plan.writeIndex }
    var mustMatch: Bool { true }
    var answeredEntity: Entity? { entity }
    var usedReferences: Set<UsedReference> { plan.usedReferences }

    func result(of rows: Rows, answer: String?) throws(ExecutionError) -> CallResult? {
        guard let answer else { return nil }
        if kind == .delete { return .deleted(identifier: answer) }
        guard let query = plan.statements.last, rows.count > 0 else {
            throw .notFound(entity.noun)
        }
        // An update without values has changed nothing.
        let isReadBack = kind != .update || !values.members.isEmpty
        return .record(Record(rows: rows, program: query.program(of: plan.layout), isReadBack: isReadBack))
    }

    func readAgain(_ answer: String?) -> Query? { plan.readAgain?.plan(id: answer).query }

    func result(ofReadingAgain rows: Rows?, answer: String?) throws(ExecutionError) -> CallResult {
        if kind == .delete, let answer { return .deleted(identifier: answer) }
        guard let rows, let plan = plan.readAgain?.plan(id: answer), let answer else {
            throw .unexpected(cause: "a write has kept no answer")
        }
        guard rows.count > 0 else { return .deleted(identifier: answer) }
        return .record(Record(rows: rows, program: plan.query.program(of: plan.layout)))
    }

    /// There is no such record, or it has another version.
    func unmatched(
        _ missing: MissingRecord?, after answers: [String?], in context: WriteContext
    ) async throws(ExecutionError) -> ExecutionError {
        let id =
            missing?.id ?? plan.id ?? plan.idReference.flatMap { answers.indices.contains($0) ? answers[$0] : nil }
        guard let current = plan.current, let id else {
            return try await context.executor.notFound(entity, id, on: context.database, for: context.call)
        }
        let record = try await context.executor.record(
            current.plan(id: id), of: entity, on: context.database, for: context.call)
        // An earlier call of the transaction has deleted it.
        if context.followsOthers, record.version(of: entity) == plan.expectedVersion { return .notFound(entity.noun) }
        return .versionConflict(current: record)
    }

    func explain(_ error: PostgresError, in context: WriteContext) async -> ExecutionError {
        if let outdated = error.server?.outdatedRecord, let current = plan.current {
            return await context.versionConflict(outdated, of: entity, current)
        }
        guard let planner = context.call.role?.served.planner else { return ExecutionError(postgres: error) }
        return await context.executor.explain(error, of: self, on: context.database, for: context.call, planner)
    }

    func declares(constraint: String) -> Bool { entity.problem(forConstraint: constraint, given: values) != nil }

    /// The target of a relation that the call does not give was deleted, or merged into another record.
    func copiedOldValue(_ error: PostgresError) -> Bool {
        guard kind == .duplicate, error.kind == .server, error.sqlState == "23503",
            let constraint = error.server?.constraint,
            let column = entity.columns.first(where: { constraint == "\(entity.name)_\($0.name)_fkey" })
        else { return false }
        return values[column.name] == nil
    }
}

/// The explanation of the errors of writes in terms of the values that the caller gave.
extension Executor {
    fileprivate func explain(
        _ error: PostgresError, of write: RecordWrite, on database: PostgresClient,
        for call: Call, _ planner: Planner
    ) async -> ExecutionError {
        guard error.kind == .server, let server = error.server else { return ExecutionError(postgres: error) }
        let refusal = server.refusal(by: write)
        switch (server.sqlState, write.kind) {
        case _ where refusal?.isInvalid == false:
            return refusal.map(ExecutionError.init) ?? ExecutionError(postgres: error)
        case ("23503", .delete):
            return await countReferences(to: write.entity, write.plan.id, on: database, for: call, planner)
        case ("23503", _):
            return await findMissingReferences(error, of: write, on: database, for: call, planner)
        case ("23505", _):
            return .notUnique(refusal?.problem)
        case ("23502", _):
            guard let column = server.column, server.table == write.entity.name else {
                return ExecutionError(postgres: error)
            }
            return .invalidValues([ParameterProblem.null.problem(at: "/values".appendingPointer(column))])
        default:
            return refusal.map(ExecutionError.init) ?? ExecutionError(postgres: error)
        }
    }

    /// Finds every reference without a target. The database names only the first one.
    private func findMissingReferences(
        _ error: PostgresError, of write: RecordWrite, on database: PostgresClient,
        for call: Call, _ planner: Planner
    ) async -> ExecutionError {
        var problems: [Problem] = []
        do throws(ExecutionError) {
            for check in planner.missingReferences(write.entity, write.values, except: write.usedReferences) {
                let rows = try await query(check.query, on: database, for: call)
                guard rows.count > 0, rows.text(0, 0) != "true" else { continue }
                var successor: String?
                if let query = check.successor {
                    successor = try await self.query(query, on: database, for: call).text(0, 0)
                }
                problems.append(
                    Problem(path: check.path, code: .notFound, message: check.message, suggestion: successor))
            }
        } catch {
            return error
        }
        // The target may have been created in the meantime, or the reference may be one that only the database knows. Then
        // the reference that the database named is reported.
        if let named = error.server?.refusal(by: write)?.problem,
            !problems.contains(where: { $0.path == named.path })
        {
            problems.append(named)
        }
        return problems.isEmpty ? ExecutionError(postgres: error) : .invalidValues(problems)
    }

    private func countReferences(
        to entity: Entity, _ id: String?, on database: PostgresClient, for call: Call, _ planner: Planner
    ) async -> ExecutionError {
        var count = 0
        do throws(ExecutionError) {
            if let id, let references = planner.references(to: entity, id: id) {
                let rows = try await query(references, on: database, for: call)
                count = rows.text(0, 0).flatMap { Int($0) } ?? 0
            }
        } catch {
            return error
        }
        // References that the transaction itself has made are undone, and not counted.
        return .referenced(count: max(count, 1), by: domains.nouns(referringTo: entity))
    }
}

extension [Domain] {
    /// The nouns of the entities that have a reference to `entity`.
    fileprivate func nouns(referringTo entity: Entity) -> [Noun] {
        flatMap(\.entities).filter { candidate in
            !candidate.isView
                && candidate.relations.contains { relation in
                    if case .toOne = relation.kind { relation.target == entity.name } else { false }
                }
        }.map(\.noun)
    }
}
