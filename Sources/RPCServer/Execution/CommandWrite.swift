import DomainKit
import JSON
import NIOCore
import PostgresDriver
import QueryCompiler

/// A call of a command.
struct CommandWrite: Write {
    let answers: Command.Answers
    let plan: CommandPlan
    /// The entity of the records that it answers.
    let entity: Entity?
    /// The records that the call names.
    let named: [Named]
    /// The parameters and rules of the command.
    let columns: ColumnSet
    let params: JSONObject

    /// A record that the call names.
    struct Named: Sendable {
        let record: NamedRecord
        let entity: Entity
        /// The earlier call of the transaction that has answered its id, counted from 0.
        let call: Int?

        /// - Parameter answers: those of the calls before in the transaction.
        fileprivate func id(after answers: [String?]) -> String? {
            call.map { answers.indices.contains($0) ? answers[$0] : nil } ?? record.id
        }
    }

    var cost: CallCost { plan.cost }
    var queries: [Query] { plan.statements }
    var writeIndex: Int { plan.functionIndex }
    var mustMatch: Bool { entity != nil }
    var answeredEntity: Entity? { if case .record = answers { entity } else { nil } }
    var usedReferences: Set<UsedReference> { plan.usedReferences }

    func result(of rows: Rows, answer: String?) throws(ExecutionError) -> CallResult? {
        try result(
            records: rows, value: answer, by: plan.statements.last, plan.layout, isReadBack: true)
    }

    func readAgain(_ answer: String?) -> Query? { plan.readAgain?.plan(id: answer).query }

    func result(ofReadingAgain rows: Rows?, answer: String?) throws(ExecutionError) -> CallResult {
        let again = plan.readAgain?.plan(id: answer)
        if let result = try result(records: rows, value: answer, by: again?.query, again?.layout, isReadBack: false) {
            return result
        }
        guard let answer else { throw .unexpected(cause: "a command has kept no answer") }
        return .deleted(identifier: answer)
    }

    /// - Parameters:
    ///   - rows: of the read of the records.
    ///   - value: what the function has returned; nil or empty for null.
    /// - Returns: nil if there is no record.
    private func result(
        records rows: Rows?, value: String?, by query: Query?, _ layout: RowLayout?, isReadBack: Bool
    ) throws(ExecutionError) -> CallResult? {
        switch answers {
        case .record, .records:
            guard let rows, let query, let layout else {
                throw .unexpected(cause: "a command has not read its records")
            }
            let record = Record(rows: rows, program: query.program(of: layout), isReadBack: isReadBack)
            if case .records = answers { return .records(record) }
            return rows.count > 0 ? .record(record) : nil
        case .value:
            return .text(ByteBuffer(string: value.flatMap { $0.isEmpty ? nil : $0 } ?? "null"))
        case .nothing:
            return .value([:])
        }
    }

    // MARK: Errors

    /// The record that is missing is one that the call names, or else the one that the function should have answered.
    func unmatched(
        _ missing: MissingRecord?, after answers: [String?], in context: WriteContext
    ) async throws(ExecutionError) -> ExecutionError {
        guard let missing else { return .notFound(entity?.noun ?? .record) }
        let found =
            missing.path.map { path in named.first { $0.record.path == path } }
            ?? named.first { missing.id != nil && $0.id(after: answers) == missing.id }
        let path = found?.record.path ?? missing.path
        guard let entity = found?.entity ?? entity else { return .notFound(.record, path: path) }
        return try await context.executor.notFound(
            entity, missing.id, at: path, on: context.database, for: context.call)
    }

    /// Errors that neither the command nor the entity of its answer declares are those of the service.
    func explain(_ error: PostgresError, in context: WriteContext) async -> ExecutionError {
        guard error.kind == .server, let server = error.server else { return ExecutionError(postgres: error) }
        if let outdated = server.outdatedRecord { return await versionConflict(outdated, in: context) }
        let refusal =
            server.refusal(by: columns, given: params, at: "")
            ?? entity.flatMap { server.refusal(by: $0, given: params, at: "") }
        guard let refusal else { return ExecutionError(postgres: error) }
        if server.sqlState == "23505", let problem = refusal.problem { return .notUnique(problem) }
        return ExecutionError(refusal)
    }

    /// The function says which id and version the record has, and not of which entity. It is one that the call names, or else that
    /// of the answer. Where the call names records of several entities with this id, it is the one that has this version. Of other
    /// records the error has only the version.
    private func versionConflict(_ outdated: OutdatedRecord, in context: WriteContext) async -> ExecutionError {
        var candidates: [Entity] = []
        for entity in named.filter({ $0.call != nil || $0.record.id == outdated.id }).map(\.entity)
        where !candidates.contains(where: { $0.name == entity.name }) {
            candidates.append(entity)
        }
        let likely = candidates.first { $0.name == entity?.name } ?? candidates.first ?? entity
        guard let likely, let planner = context.call.role?.served.planner else {
            return .changedBefore(id: outdated.id, version: outdated.version)
        }
        var errors: [ExecutionError] = []
        for entity in [likely] + candidates where errors.isEmpty || entity.name != likely.name {
            do throws(PlanError) {
                let error = await context.versionConflict(outdated, of: entity, try planner.wholeRecord(of: entity))
                if case .versionConflict(let current) = error, current.version(of: entity) == outdated.version {
                    return error
                }
                errors.append(error)
            } catch {
                return .unexpected(cause: "a record of \(entity.name) cannot be read whole: \(error)")
            }
        }
        return errors[0]
    }

    func declares(constraint: String) -> Bool {
        columns.problem(forConstraint: constraint, given: params, at: "") != nil
            || entity?.problem(forConstraint: constraint, given: params, at: "") != nil
    }
}
