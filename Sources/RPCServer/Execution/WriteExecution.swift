import DomainKit
import PostgresDriver
import QueryCompiler

extension Executor {
    /// Sends a write and what reads it back in one flight, and makes out what became of it.
    func carryOut(
        _ write: Plan.Write, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Answer {
        let results: [Rows]
        do throws(PostgresError) {
            results = try await send(write.plan, to: database, by: deadline)
        } catch {
            throw await explain(error, of: write, on: database, by: deadline)
        }
        return try write.answer(results)
    }

    private func send(
        _ plan: WritePlan, to database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [Rows] {
        if plan.changed == nil, let query = plan.statements.first {
            // Nothing is changed: a read, and as free to be repeated as one.
            return [try await database.query(query.driverStatement, query.driverParameters, deadline: deadline)]
        }
        return try await database.transaction(plan.statements.map(\.step), deadline: deadline)
    }
}

extension Plan.Write {
    /// What the results of the statements amount to.
    fileprivate func answer(_ results: [Rows]) throws(ExecutionFault) -> Answer {
        var readBack: Record?
        if let rows = results.last, let query = plan.statements.last, rows.count > 0 {
            readBack = Record(rows: rows, program: query.companion.program(of: plan.layout))
        }
        if let changed = plan.changed, results[changed].affected == 0 {
            guard plan.hasVersionCheck, let readBack else { throw .notFound(entity.noun) }
            throw .versionConflict(current: readBack)
        }
        if case .delete(let identifier) = kind { return .deleted(identifier: identifier) }
        guard let readBack else { throw .notFound(entity.noun) }
        return .record(readBack)
    }
}
