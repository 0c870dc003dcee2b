import Auth
import DomainKit
import JSON
import PostgresDriver
import QueryCompiler

/// Writes, and the explanation of their errors in terms of the values that the caller gave.
extension Executor {
    /// Sends a write and the query that reads the record back in one batch.
    func write(
        _ write: CallPlan.Write, for call: Call, as role: ActingRole, on database: PostgresClient
    ) async throws(ExecutionError) -> CallResult {
        let results: [Rows]
        do throws(PostgresError) {
            results = try await send(write, for: call, to: database)
        } catch {
            throw await explain(error, of: write, on: database, for: call, role.served.planner)
        }
        let isUnmatched =
            write.plan.writeIndex.map { results[$0].affected == 0 } ?? results.allSatisfy { $0.count == 0 }
        if isUnmatched {
            throw try await unmatched(write, on: database, for: call)
        }
        return try write.result(of: results)
    }

    private func send(
        _ write: CallPlan.Write, for call: Call, to database: PostgresClient
    ) async throws(PostgresError) -> [Rows] {
        let statements = write.plan.statements
        guard let changed = write.plan.writeIndex else {
            // An update without values is a read, which may be repeated.
            guard let query = statements.first else { return [] }
            return [try await rows(of: query, on: database, for: call)]
        }
        var steps = [CallSettings.step(of: call)] + statements.map(\.step)
        if let followUp = write.followUp { steps.insert(followUp, at: changed + 2) }
        var results = try await database.transaction(
            steps, for: call.caller?.share, deadline: call.context.deadline)
        if write.followUp != nil { results.remove(at: changed + 2) }
        results.removeFirst()
        return results
    }

    /// The error of a write that matched no record: there is none, or it has another version.
    private func unmatched(
        _ write: CallPlan.Write, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> ExecutionError {
        guard let current = write.plan.current else { return .notFound(write.entity.noun) }
        return .versionConflict(
            current: try await record(current, of: write.entity.noun, on: database, for: call))
    }

    // MARK: Errors of the database

    private func explain(
        _ error: PostgresError, of write: CallPlan.Write, on database: PostgresClient,
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
        _ error: PostgresError, of write: CallPlan.Write, on database: PostgresClient,
        for call: Call, _ planner: Planner
    ) async -> ExecutionError {
        var problems: [Problem] = []
        do throws(ExecutionError) {
            for check in planner.missingReferences(write.entity, write.values) {
                let rows = try await query(check.query, on: database, for: call)
                guard rows.count > 0, rows.text(0, 0) != "true" else { continue }
                problems.append(Problem(path: check.path, code: .notFound, message: check.message))
            }
        } catch {
            return error
        }
        // The target may have been created in the meantime. Then the reference that the database named is reported.
        if problems.isEmpty, let named = error.server?.refusal(by: write)?.problem { problems.append(named) }
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
        return .referenced(count: count, by: domains.nouns(referringTo: entity))
    }
}

extension CallPlan.Write {
    fileprivate func result(of results: [Rows]) throws(ExecutionError) -> CallResult {
        var readBack: Record?
        if let rows = results.last, let query = plan.statements.last, rows.count > 0 {
            readBack = Record(rows: rows, program: query.program(of: plan.layout), isReadBack: plan.writeIndex != nil)
        }
        if kind == .delete, let id = plan.id { return .deleted(identifier: id) }
        guard let readBack else { throw .notFound(entity.noun) }
        return .record(readBack)
    }
}

extension [Domain] {
    /// The nouns of the entities that have a reference to `entity`.
    fileprivate func nouns(referringTo entity: Entity) -> [Noun] {
        flatMap(\.entities).filter { candidate in
            candidate.relations.contains { relation in
                if case .toOne = relation.kind { relation.target == entity.name } else { false }
            }
        }.map(\.noun)
    }
}
