package import DomainKit
package import JSON
import PostgresDriver
import QueryCompiler
package import RPCServer

/// A notice of a served domain, with what its messages are phrased from.
package struct PlannedNotice: Sendable {
    let notice: Notice
    /// The calls of the functions that the notice names. Connections know a statement that they have prepared by its
    /// identity, so that each is made once.
    let sent: Statement?
    let failed: Statement?
    private let functions: [Statement]
    /// The domain's first role: what is loaded, is loaded with its rights.
    private let role: ServedRole
    private let loads: LoadPlanner
    private let prepare: Preparation?

    /// What is done before the record is loaded, each time anew.
    ///
    /// - Returns: further values that the messages are phrased from, behind those that are loaded.
    package typealias Preparation =
        @Sendable (_ record: String, Call) async throws(ExecutionError) -> [JSONValue]

    /// - Throws: if the domain's first role cannot read all of it.
    package init(
        _ notice: Notice, in domain: Domain, for roles: [ServedRole], prepare: Preparation? = nil
    ) throws(RPCService.SetupError) {
        guard let entity = domain.entity(named: notice.entity) else { throw .noSuchEntity(notice.entity) }
        guard let role = roles.first, entity.access.reach(of: role.role, for: .read) == .every else {
            throw .unreadableNotice(notice.name)
        }
        self.notice = notice
        self.role = role
        self.prepare = prepare
        sent = notice.sent.map(OutboxStore.call)
        failed = notice.failed.map(OutboxStore.call)
        functions = notice.functions.map(OutboxStore.text(of:))
        loads = try LoadPlanner(notice.loads, of: entity, in: domain)
    }

    /// What the messages about the record are phrased from.
    func load(_ claim: OutboxClaim, by executor: Executor, _ store: OutboxStore) async throws(ExecutionError)
        -> [JSONValue]
    {
        let call = Call(
            caller: nil, role: ActingRole(served: role, subject: nil), company: claim.company,
            context: CallContext(requestID: "outbox:\(claim.id)"))
        let parameters: [String: JSONValue] = ["id": .number(claim.record), "key": .string(claim.key)]
        let plans = try mapError(loads.plan(id: claim.record, parameters, role.planner)) { (error: PlanError) in
            ExecutionError.unexpected(cause: "what a notice loads cannot be planned: \(error)")
        }
        let prepared = try await prepare?(claim.record, call) ?? []
        var loaded = try await executor.load(plans, for: call)
        for function in functions {
            let text = try await mapError(
                async: await store.text(of: function, for: claim), ExecutionError.init(postgres:))
            loaded.append(text.map { .string($0) } ?? .null)
        }
        return loaded + prepared
    }
}

/// The notices of a service. They are checked also where no outbox sends them.
package struct Notices: Sendable {
    package let byName: [String: PlannedNotice]

    package var isEmpty: Bool { byName.isEmpty }

    package var capability: Capability { Capability(serves: [.notices]) }

    /// - Parameter further: those of capabilities, beside those of the domains.
    package init(_ kernel: Kernel, and further: [PlannedNotice] = []) throws(RPCService.SetupError) {
        var planned = further
        for domain in kernel.domains {
            let roles = kernel.roles.roles(of: domain)
            for notice in domain.notices { planned.append(try PlannedNotice(notice, in: domain, for: roles)) }
        }
        var byName: [String: PlannedNotice] = [:]
        for one in planned {
            guard byName.updateValue(one, forKey: one.notice.name) == nil else {
                throw .duplicateNotice(one.notice.name)
            }
        }
        self.byName = byName
    }
}
