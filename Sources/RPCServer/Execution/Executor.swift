package import DomainKit
import JSON
import NIOCore
package import PostgresDriver
package import QueryCompiler

/// Executes a planned call.
protocol Executing: Sendable {
    func run(_ plan: CallPlan, for call: Call) async throws(ExecutionError) -> CallResult
}

/// Executes plans on the database, each with the database role of the role in which it is called.
package struct Executor: Executing {
    package let databases: Databases
    let domains: [Domain]
    package let files: FileStore
    package let pictures: FilePictures
    package let installation: Installation
    /// The client of each served role, by the role's index.
    private let clients: [ReplicatedClient]

    /// How many bytes the records may have from which a result is computed.
    let maxLoadedBytes: Int

    /// Throws if a role has no database client.
    init(
        databases: Databases, domains: [Domain], roles: [ServedRole], limits: EnvelopeLimits,
        drawing: any PictureDrawing = NoDrawing()
    ) throws(RPCService.SetupError) {
        self.databases = databases
        maxLoadedBytes = limits.response
        self.domains = domains
        files = FileStore(database: databases.accounts)
        installation = Installation(database: databases.accounts)
        pictures = FilePictures(store: files, drawing: drawing)
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
        case .history(let plan, let recordPlan, let entity):
            if call.hasSubject, let recordPlan { _ = try await record(recordPlan, of: entity, for: call) }
            let page = try await page(plan, for: call)
            if let recordPlan, page.rows.count == 0 { _ = try await record(recordPlan, of: entity, for: call) }
            return .page(page)
        case .aggregate(let plan):
            return try await groups(plan, for: call)
        case .record(let plan, let entity):
            return .record(try await record(plan, of: entity, for: call))
        case .batch(let batch):
            // The calls of a transaction have a role in common, which the method itself does not have.
            let call =
                batch.role.map { Call(caller: call.caller, role: $0, company: call.company, context: call.context) }
                ?? call
            let (caller, role) = try caller(of: call)
            defer { databases.noteWrite(of: caller) }
            return try await write(batch, for: call, on: clients[role.served.index].primary)
        case .computed(let computation):
            return .value(computation.compute(try await load(computation.loads, for: call)))
        case .work(_, let work):
            return try await work(call)
        }
    }

    /// The database with the rights of a role.
    package func client(of role: ActingRole) -> ReplicatedClient { clients[role.served.index] }

    func page(_ plan: ListPlan, for call: Call) async throws(ExecutionError) -> RecordPage {
        let rows = try await read(plan.query, of: plan.view, for: call)
        return RecordPage(rows: rows, plan: plan, program: plan.query.program(of: plan.layout))
    }

    func groups(_ plan: AggregatePlan, for call: Call) async throws(ExecutionError) -> CallResult {
        let rows = try await read(plan.query, of: plan.view, for: call)
        return .groups(Groups(rows: rows, plan: plan, program: plan.query.program(of: plan.layout)))
    }

    func record(
        _ plan: RecordPlan, of entity: Entity, for call: Call
    ) async throws(ExecutionError) -> Record {
        let rows = try await read(plan.query, for: call)
        if let record = record(plan, in: rows) { return record }
        guard let id = plan.id, let query = successor(of: entity, id, for: call) else { throw .notFound(entity.noun) }
        throw entity.notFound(succeededBy: try await read(query, for: call))
    }

    /// - Throws: ``ExecutionError/notFound(_:facts:)`` if `plan` selects no row.
    package func record(
        _ plan: RecordPlan, of entity: Entity, in company: Company, on database: PostgresClient, for share: Share?,
        by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Record {
        let rows = try await query(plan.query, in: company, on: database, for: share, by: deadline)
        guard let record = record(plan, in: rows) else { throw .notFound(entity.noun) }
        return record
    }

    private func record(_ plan: RecordPlan, in rows: Rows) -> Record? {
        rows.count > 0 ? Record(rows: rows, program: plan.query.program(of: plan.layout)) : nil
    }

    /// The error of a call for a record that does not exist.
    ///
    /// - Parameters:
    ///   - id: nil if it is not known. The error then names no successor.
    ///   - path: where the call names the record; nil for the record that the method is about.
    ///   - database: the one that the record was looked for in.
    func notFound(
        _ entity: Entity, _ id: String?, at path: String? = nil, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> ExecutionError {
        guard let id, let query = successor(of: entity, id, for: call) else {
            return .notFound(entity.noun, path: path)
        }
        return entity.notFound(succeededBy: try await self.query(query, on: database, for: call), at: path)
    }

    private func successor(of entity: Entity, _ id: String, for call: Call) -> Query? {
        call.role?.served.planner.successor(of: entity, id: id)
    }

    /// Reads from a replica, if one has everything that the caller has written. The server itself reads from the primary: what
    /// it reads may have been written by anyone a moment ago.
    ///
    /// - Parameter view: the view that is read, if it is one.
    private func read(
        _ query: Query, of view: Entity? = nil, for call: Call
    ) async throws(ExecutionError) -> Rows {
        if call.caller == nil, let role = call.role {
            return try await self.query(query, on: clients[role.served.index].primary, for: call)
        }
        let (caller, role) = try caller(of: call)
        return try await mapError(
            async: await clients[role.served.index].query(
                query.driverStatement, query.driverParameters(in: call.company),
                settings: CallSettings.ofRead(in: call, of: installation),
                for: caller.share, expecting: query.expectedRunTime, after: databases.lastWrite(of: caller),
                deadline: call.context.deadline)
        ) { (error: PostgresError) in ExecutionError(postgres: error, reading: view) }
    }

    func record(
        _ plan: RecordPlan, of entity: Entity, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> Record {
        let rows = try await query(plan.query, on: database, for: call)
        if let record = record(plan, in: rows) { return record }
        throw try await notFound(entity, plan.id, on: database, for: call)
    }

    /// Reads what the call may read from a certain database, such as the one that has just been written to.
    func query(
        _ query: Query, on database: PostgresClient, for call: Call
    ) async throws(ExecutionError) -> Rows {
        try await mapError(async: await rows(of: query, on: database, for: call), ExecutionError.init(postgres:))
    }

    /// Reads with the settings of the call, if the rows depend on them.
    func rows(
        of query: Query, on database: PostgresClient, for call: Call
    ) async throws(PostgresError) -> Rows {
        try await database.query(
            query.driverStatement, query.driverParameters(in: call.company),
            settings: CallSettings.ofRead(in: call, of: installation), for: call.caller?.share,
            expecting: query.expectedRunTime, deadline: call.context.deadline)
    }

    /// Reads from a certain database, in a role without a subject.
    func query(
        _ query: Query, in company: Company, on database: PostgresClient, for share: Share?,
        by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Rows {
        try await mapError(
            async: await database.query(
                query.driverStatement, query.driverParameters(in: company),
                settings: CallSettings.ofRead(in: company, of: installation), for: share,
                expecting: query.expectedRunTime, deadline: deadline),
            ExecutionError.init(postgres:))
    }

    private func caller(of call: Call) throws(ExecutionError) -> (Caller, ActingRole) {
        guard let caller = call.caller, let role = call.role else {
            throw .unexpected(cause: "a plan that needs a caller with a role has none")
        }
        return (caller, role)
    }
}

extension Entity {
    /// The error of a call for a record that is gone.
    ///
    /// - Parameter rows: the answer of the function of ``Entity/successor``.
    fileprivate func notFound(succeededBy rows: Rows, at path: String? = nil) -> ExecutionError {
        guard let successor, rows.count > 0, let id = rows.text(0, 0) else { return .notFound(noun, path: path) }
        return .notFound(noun, facts: JSONObject([.init(successor.name, .number(id))]), path: path)
    }
}
