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
            return .page(try await page(plan, for: call))
        case .history(let plan, let subject, let noun):
            let page = try await page(plan, for: call)
            if let subject, page.rows.count == 0 { _ = try await record(subject, of: noun, for: call) }
            return .page(page)
        case .aggregate(let plan):
            let rows = try await read(plan.query, for: call)
            return .groups(Groups(rows: rows, plan: plan, program: plan.query.companion.program(of: plan.layout)))
        case .record(let plan, let noun):
            return .record(try await record(plan, of: noun, for: call))
        case .write(let write):
            let caller = try caller(of: call)
            defer { databases.wrote(caller) }
            return try await carryOut(write, for: call, on: databases[caller.role].primary, by: deadline)
        case .loaded(let loading):
            let record = try await record(loading.plan, of: loading.noun, for: call)
            return .value(loading.answer(try record.value()))
        case .account(let work):
            return try await work(call)
        }
    }

    private func page(_ plan: ListPlan, for call: Call) async throws(ExecutionFault) -> Page {
        let rows = try await read(plan.query, for: call)
        return Page(rows: rows, plan: plan, program: plan.query.companion.program(of: plan.layout))
    }

    private func record(
        _ plan: RecordPlan, of noun: Noun, for call: Call
    ) async throws(ExecutionFault) -> Record {
        try record(plan, of: noun, in: await read(plan.query, for: call))
    }

    /// The one row of `plan`, for a record that must exist.
    func record(
        _ plan: RecordPlan, of noun: Noun, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Record {
        try record(plan, of: noun, in: await query(plan.query, on: database, by: deadline))
    }

    private func record(
        _ plan: RecordPlan, of noun: Noun, in rows: Rows
    ) throws(ExecutionFault) -> Record {
        guard rows.count > 0 else { throw .notFound(noun) }
        return Record(rows: rows, program: plan.query.companion.program(of: plan.layout))
    }

    /// Reads on a replica, if one shows all that the caller has written.
    private func read(_ query: Query, for call: Call) async throws(ExecutionFault) -> Rows {
        let caller = try caller(of: call)
        let database = databases[caller.role]
        let deadline = call.context.deadline
        do throws(PostgresError) {
            // Only a transaction can have its plan made anew, and replicas are for single reads.
            guard query.statement.prefersCustomPlan, database.maxLag == nil else {
                return try await database.query(
                    query.driverStatement, query.driverParameters, after: databases.lastWrite(of: caller),
                    deadline: deadline)
            }
            return try await readPlannedAnew(query, on: database.primary, by: deadline)
        } catch {
            throw ExecutionFault(error)
        }
    }

    /// Has the statement planned for these very parameters: half a millisecond that may save a hundred.
    private func readPlannedAnew(
        _ query: Query, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> Rows {
        do throws(PostgresError) {
            return try await database.transaction([Step(Self.planAnew), query.step], deadline: deadline)[1]
        } catch {
            // A read has no outcome that could be unknown: it is run again as any read is.
            guard error.kind == .outcomeUnknown || error.kind == .connectionLost else { throw error }
            return try await database.query(query.driverStatement, query.driverParameters, deadline: deadline)
        }
    }

    /// Holds until the transaction ends.
    private static let planAnew = Statement("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")

    func query(
        _ query: Query, on database: PostgresClient, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionFault) -> Rows {
        do throws(PostgresError) {
            return try await database.query(query.driverStatement, query.driverParameters, deadline: deadline)
        } catch {
            throw ExecutionFault(error)
        }
    }

    private func caller(of call: Call) throws(ExecutionFault) -> Caller {
        guard let caller = call.caller else { throw .unexpected(cause: "a plan that needs a caller has none") }
        return caller
    }
}

extension Record {
    /// The row as a value, for functions that compute from it.
    func value() throws(ExecutionFault) -> Value {
        var buffer = ByteBuffer()
        do throws(AnswerTooLarge) {
            try buffer.writeRecord(self, upTo: EnvelopeLimits().answer)
        } catch {
            throw .unexpected(cause: "a record to compute from is larger than an answer may be")
        }
        do throws(JSONFault) {
            return try JSONReader.read(buffer).value
        } catch {
            throw .unexpected(cause: "a written row is not JSON: \(error)")
        }
    }
}
