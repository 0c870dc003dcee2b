import DomainKit
import PostgresDriver
import QueryCompiler

extension Executor {
    /// Sends a write and what reads it back in one flight, and makes out what became of it.
    func carryOut(
        _ write: Plan.Write, for call: Call, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Answer {
        let results: [Rows]
        do throws(PostgresError) {
            results = try await send(write, for: call, to: database, by: deadline)
        } catch {
            throw await explain(error, of: write, on: database, by: deadline)
        }
        let isUnmatched =
            write.plan.writeIndex.map { results[$0].affected == 0 } ?? results.allSatisfy { $0.count == 0 }
        if isUnmatched {
            throw try await unmatched(write, on: database, by: deadline)
        }
        return try write.answer(results)
    }

    /// Why nothing matched: there is no such record, or it has another version by now.
    private func unmatched(
        _ write: Plan.Write, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> ExecutionFault {
        guard let current = write.plan.current else { return .notFound(write.entity.noun) }
        return .versionConflict(current: try await record(current, of: write.entity.noun, on: database, by: deadline))
    }

    private func send(
        _ write: Plan.Write, for call: Call, to database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [Rows] {
        let statements = write.plan.statements
        guard let changed = write.plan.writeIndex else {
            // Nothing is changed: a read, and as free to be repeated as one.
            guard let query = statements.first else { return [] }
            return [try await database.query(query.driverStatement, query.driverParameters, deadline: deadline)]
        }
        var steps = [Authorship.step(of: call)] + statements.map(\.step)
        if let companion = write.companion { steps.insert(companion, at: changed + 2) }
        var results = try await database.transaction(steps, deadline: deadline)
        if write.companion != nil { results.remove(at: changed + 2) }
        results.removeFirst()
        return results
    }
}

extension Plan.Write {
    /// What the results of the statements amount to.
    fileprivate func answer(_ results: [Rows]) throws(ExecutionFault) -> Answer {
        var readBack: Record?
        if let rows = results.last, let query = plan.statements.last, rows.count > 0 {
            readBack = Record(
                rows: rows, program: query.companion.program(of: plan.layout), isReadBack: plan.writeIndex != nil)
        }
        if kind == .delete, let id = plan.id { return .deleted(identifier: id) }
        guard let readBack else { throw .notFound(entity.noun) }
        return .record(readBack)
    }
}
