import DomainKit
import PostgresDriver
import QueryCompiler

extension Executor {
    /// Why the database refused a write, in terms of what the caller gave.
    func explain(
        _ error: PostgresError, of write: Plan.Write, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async -> ExecutionFault {
        guard error.kind == .server, let server = error.server else { return ExecutionFault(error) }
        switch (server.sqlState, write.kind) {
        case ("23503", .delete):
            return await countReferences(to: write.entity, write.plan.id, on: database, by: deadline)
        case ("23503", _):
            return await findMissingReferences(error, of: write, on: database, by: deadline)
        case ("23505", _):
            return .notUnique(problem(server.constraint, of: write))
        case ("23502", _):
            guard let column = server.column, server.table == write.entity.name else { return ExecutionFault(error) }
            let message = "Donnez une valeur\u{A0}: ce champ ne peut pas être vide."
            return .invalidValues([
                Problem(path: "/values".appendingPointer(column), code: .required, message: message)
            ])
        default:
            guard server.sqlState.hasPrefix("23") || server.sqlState.hasPrefix("22"),
                let problem = problem(server.constraint, of: write)
            else { return ExecutionFault(error) }
            return .invalidValues([problem])
        }
    }

    private func problem(_ constraint: String?, of write: Plan.Write) -> Problem? {
        constraint.flatMap { write.entity.problem(forConstraint: $0, given: write.values) }
    }

    /// The database names the first reference that leads nowhere; the caller is told of all.
    private func findMissingReferences(
        _ error: PostgresError, of write: Plan.Write, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async -> ExecutionFault {
        var problems: [Problem] = []
        do throws(ExecutionFault) {
            for check in planner.missingReferences(write.entity, write.values) {
                let rows = try await query(check.query, on: database, by: deadline)
                guard rows.count > 0, rows.text(0, 0) != "true" else { continue }
                problems.append(Problem(path: check.path, code: .notFound, message: check.message))
            }
        } catch {
            return error
        }
        // None is missing any more when the record came back in the meantime: then the first is named all the same.
        if problems.isEmpty, let named = problem(error.server?.constraint, of: write) { problems.append(named) }
        return problems.isEmpty ? ExecutionFault(error) : .invalidValues(problems)
    }

    private func countReferences(
        to entity: Entity, _ id: String?, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async -> ExecutionFault {
        var count = 0
        do throws(ExecutionFault) {
            if let id, let references = planner.references(to: entity, id: id) {
                let rows = try await query(references, on: database, by: deadline)
                count = rows.text(0, 0).flatMap { Int($0) } ?? 0
            }
        } catch {
            return error
        }
        return .referenced(count: count, by: domains.nouns(referringTo: entity))
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
