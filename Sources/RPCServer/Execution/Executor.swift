import DomainKit
import NIOCore
import PostgresDriver
import QueryCompiler

/// Carries out plans on the database, each as the role of its caller.
struct Executor: Executing {
    let databases: Databases
    let planner: Planner
    let domains: [Domain]

    func run(_ plan: Plan, for call: Call) async throws(ExecutionFault) -> Answer {
        let deadline = call.context.deadline
        switch plan {
        case .list(let plan):
            let rows = try await query(plan.query, on: database(of: call), by: deadline)
            return .page(Page(rows: rows, plan: plan, program: plan.query.companion.program(of: plan.layout)))
        case .aggregate(let plan):
            let rows = try await query(plan.query, on: database(of: call), by: deadline)
            return .groups(Groups(rows: rows, plan: plan, program: plan.query.companion.program(of: plan.layout)))
        case .record(let plan, let entity):
            return .record(try await record(plan, of: entity, on: database(of: call), by: deadline))
        case .write(let write):
            return try await carryOut(write, on: database(of: call), by: deadline)
        case .loaded(let loading):
            let record = try await record(loading.plan, of: loading.entity, on: database(of: call), by: deadline)
            return .value(loading.answer(try record.value()))
        case .account(let work):
            return try await work(call)
        }
    }

    /// The one row of `plan`, for a record that must exist.
    func record(
        _ plan: RecordPlan, of entity: Entity, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Record {
        let rows = try await query(plan.query, on: database, by: deadline)
        guard rows.count > 0 else { throw .notFound(entity.noun) }
        return Record(rows: rows, program: plan.query.companion.program(of: plan.layout))
    }

    func query(
        _ query: Query, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Rows {
        do throws(PostgresError) {
            return try await database.query(query.driverStatement, query.driverParameters, deadline: deadline)
        } catch {
            throw ExecutionFault(error)
        }
    }

    private func database(of call: Call) throws(ExecutionFault) -> PostgresClient {
        guard let caller = call.caller else { throw .unexpected(cause: "a plan that needs a caller has none") }
        return databases[caller.role]
    }
}

extension Record {
    /// The row as a value, for functions that compute from it.
    func value() throws(ExecutionFault) -> Value {
        var buffer = ByteBuffer()
        buffer.writeRecord(self)
        do throws(JSONFault) {
            return try JSONReader.read(buffer).value
        } catch {
            throw .unexpected(cause: "a written row is not JSON: \(error)")
        }
    }
}
