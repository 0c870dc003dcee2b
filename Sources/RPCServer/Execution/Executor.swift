import DomainKit
import JSON
import NIOCore
import PostgresDriver
import QueryCompiler

/// Executes a planned call.
protocol Executing: Sendable {
    func run(_ plan: CallPlan, for call: Call) async throws(ExecutionError) -> CallResult
}

/// Executes plans on the database, each with the database role of the role in which it is called.
struct Executor: Executing {
    let databases: Databases
    let domains: [Domain]
    /// The client of each served role, by the role's index.
    private let clients: [ReplicatedClient]

    /// Throws if a role has no database client.
    init(databases: Databases, domains: [Domain], roles: [ServedRole]) throws(RPCService.SetupError) {
        self.databases = databases
        self.domains = domains
        var clients: [ReplicatedClient] = []
        for served in roles {
            guard let client = databases[served.role] else { throw .noDatabase(role: served.role.name) }
            clients.append(client)
        }
        self.clients = clients
    }

    func run(_ plan: CallPlan, for call: Call) async throws(ExecutionError) -> CallResult {
        switch plan {
        case .list(let plan):
            return .page(try await page(plan, for: call))
        case .history(let plan, let subject, let noun):
            if call.hasSubject, let subject { _ = try await record(subject, of: noun, for: call) }
            let page = try await page(plan, for: call)
            if let subject, page.rows.count == 0 { _ = try await record(subject, of: noun, for: call) }
            return .page(page)
        case .aggregate(let plan):
            let rows = try await read(plan.query, for: call)
            return .groups(Groups(rows: rows, plan: plan, program: plan.query.program(of: plan.layout)))
        case .record(let plan, let noun):
            return .record(try await record(plan, of: noun, for: call))
        case .batch(let batch):
            // The calls of a transaction have a role in common, which the method itself does not have.
            let call = batch.role.map { Call(caller: call.caller, role: $0, context: call.context) } ?? call
            let (caller, role) = try caller(of: call)
            defer { databases.noteWrite(of: caller) }
            return try await change(batch, for: call, on: clients[role.served.index].primary)
        case .computed(let computation):
            return .value(computation.compute(try await load(computation.loads, for: call)))
        case .work(_, let work):
            return try await work(call)
        }
    }

    func page(_ plan: ListPlan, for call: Call) async throws(ExecutionError) -> Page {
        let rows = try await read(plan.query, for: call)
        return Page(rows: rows, plan: plan, program: plan.query.program(of: plan.layout))
    }

    func record(
        _ plan: RecordPlan, of noun: Noun, for call: Call
    ) async throws(ExecutionError) -> Record {
        try record(plan, of: noun, in: await read(plan.query, for: call))
    }

    /// - Throws: ``ExecutionError/notFound(_:)`` if `plan` selects no row.
    func record(
        _ plan: RecordPlan, of noun: Noun, on database: PostgresClient, for share: Share?,
        by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Record {
        try record(plan, of: noun, in: await query(plan.query, on: database, for: share, by: deadline))
    }

    private func record(_ plan: RecordPlan, of noun: Noun, in rows: Rows) throws(ExecutionError) -> Record {
        guard rows.count > 0 else { throw .notFound(noun) }
        return Record(rows: rows, program: plan.query.program(of: plan.layout))
    }

    /// Reads from a replica, if one has everything that the caller has written. A call with a subject reads from the
    /// primary.
    private func read(_ query: Query, for call: Call) async throws(ExecutionError) -> Rows {
        let (caller, role) = try caller(of: call)
        if call.hasSubject { return try await self.query(query, on: clients[role.served.index].primary, for: call) }
        return try await mapError(
            async: await clients[role.served.index].query(
                query.driverStatement, query.driverParameters, for: caller.share, expecting: query.expectedRunTime,
                after: databases.lastWrite(of: caller), deadline: call.context.deadline),
            ExecutionError.init(postgres:))
    }

    func record(
        _ plan: RecordPlan, of noun: Noun, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> Record {
        try record(plan, of: noun, in: await query(plan.query, on: database, for: call))
    }

    /// Reads what the call may read from a certain database, such as the one that has just been written to.
    func query(
        _ query: Query, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> Rows {
        do throws(PostgresError) {
            return try await rows(of: query, on: database, for: call)
        } catch {
            // The transaction of a read has no outcome that could be unknown.
            guard error.kind == .outcomeUnknown else { throw ExecutionError(postgres: error) }
            throw .unavailable(cause: "\(error)")
        }
    }

    /// Reads in one statement, or in a transaction that begins with the call's settings if the rows depend on them.
    func rows(
        of query: Query, on database: PostgresClient, for call: Call
    ) async throws(PostgresError) -> Rows {
        let deadline = call.context.deadline
        guard call.hasSubject else {
            return try await database.query(
                query.driverStatement, query.driverParameters, for: call.caller?.share,
                expecting: query.expectedRunTime, deadline: deadline)
        }
        let results = try await database.transaction(
            [CallSettings.step(of: call), query.step], for: call.caller?.share, deadline: deadline)
        return results[1]
    }

    /// Reads from a certain database, whose role has no subject.
    func query(
        _ query: Query, on database: PostgresClient, for share: Share?, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Rows {
        try await mapError(
            async: await database.query(
                query.driverStatement, query.driverParameters, for: share, expecting: query.expectedRunTime,
                deadline: deadline),
            ExecutionError.init(postgres:))
    }

    private func caller(of call: Call) throws(ExecutionError) -> (Caller, ActingRole) {
        guard let caller = call.caller, let role = call.role else {
            throw .unexpected(cause: "a plan that needs a caller with a role has none")
        }
        return (caller, role)
    }
}
