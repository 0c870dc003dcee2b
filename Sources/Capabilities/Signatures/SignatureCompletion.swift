import Documents
import DomainKit
import JSON
import Outbox
import QueryCompiler
import RPCServer
import Threads

/// Makes the end of documents that all have signed: the evidence that their domain adds.
///
/// The last signature is committed before that, so that a server that ends in between loses nothing: the next one who needs
/// the document, the mails about it at the latest, makes its end from what the database has kept.
struct SignatureCompletion: Sendable {
    private struct Sealing: Sendable {
        let terms: Signatures
        let loads: LoadPlanner
        let role: ServedRole
    }

    private let sealings: [String: Sealing]
    private let store: SignatureStore
    private let executor: Executor
    private let turns: AccountTurns

    /// - Parameters:
    ///   - domains: those that are served.
    ///   - roles: the roles of all domains.
    init(
        _ domains: [Domain], for roles: [ServedRole], store: SignatureStore, executor: Executor, turns: AccountTurns
    ) throws(RPCService.SetupError) {
        var sealings: [String: Sealing] = [:]
        for domain in domains {
            for signatures in domain.signatures {
                guard let entity = domain.entities.first, let role = roles.roles(of: domain).first else { continue }
                sealings[signatures.name] = Sealing(
                    terms: signatures, loads: try LoadPlanner(signatures.loads, of: entity, in: domain), role: role)
            }
        }
        self.sealings = sealings
        self.store = store
        self.executor = executor
        self.turns = turns
    }

    /// The bytes of a document: as it was shown, or with its evidence once all have signed. Nil if there is none.
    ///
    /// - Parameter kind: the name of the signatures to which it must belong; nil: any.
    func document(
        _ id: Int64, of kind: String? = nil, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> [UInt8]? {
        guard let found = try await store.document(id, in: company, deadline: deadline),
            kind == nil || found.kind == kind
        else { return nil }
        guard found.lacksEvidence else { return found.bytes }
        try await complete(id, in: company, deadline: deadline)
        return try await store.document(id, in: company, deadline: deadline)?.bytes
    }

    /// The head of the page of the document of a signatory.
    func letterhead(
        ofSignatory id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Signatures.Letterhead {
        guard let kind = try await store.kind(ofSignatory: id, in: company, deadline: deadline) else { return .init() }
        return try await letterhead(of: kind, in: company, deadline: deadline)
    }

    /// The head of the page of a document; an empty one if its domain is not served any more.
    func letterhead(
        of kind: String, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Signatures.Letterhead {
        guard let sealing = sealings[kind] else { return Signatures.Letterhead() }
        return sealing.terms.letterhead(
            try await load(for: sealing, in: company, requestID: "signatures:\(kind)", deadline))
    }

    private func load(
        for sealing: Sealing, in company: Company, requestID: String, _ deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> [JSONValue] {
        let call = Call(
            caller: nil, role: ActingRole(served: sealing.role, subject: nil), company: company,
            context: CallContext(requestID: requestID, deadline: deadline))
        let plans = try mapError(sealing.loads.plan(id: nil, [:], sealing.role.planner)) { (error: PlanError) in
            ExecutionError.unexpected(cause: "what signatures load cannot be planned: \(error)")
        }
        return try await executor.load(plans, for: call)
    }

    /// The bytes of the document of a signatory; nil if there is none.
    func document(
        ofSignatory id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> [UInt8]? {
        guard let document = try await store.document(ofSignatory: id, in: company, deadline: deadline) else {
            return nil
        }
        return try await self.document(document, in: company, deadline: deadline)
    }

    /// Makes the end of a signed document, unless it has one.
    func complete(
        _ id: Int64, in company: Company, deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) {
        guard let unsealed = try await store.unsealed(id, in: company, deadline: deadline) else { return }
        guard let sealing = sealings[unsealed.kind] else {
            throw .unavailable(cause: "the domain of the signatures \(unsealed.kind) is not served")
        }
        // All signed documents of a company together are one of those who take turns.
        let addition = try await turns.take(for: 0, in: company, by: deadline) { () throws(ExecutionError) in
            let loaded = try await load(for: sealing, in: company, requestID: "signature:\(id)", deadline)
            return try await BlockingThread.value(
                name: "sealing", priority: .low, orThrow: .unavailable(cause: "the system has no thread left")
            ) { () throws(ExecutionError) in
                do {
                    return try sealing.terms.seal(unsealed.shown, unsealed.signed, loaded)
                } catch {
                    throw .unexpected(cause: "a signed document cannot be ended: \(error)")
                }
            }
        }
        try await store.seal(id, in: company, addition, deadline: deadline)
    }
}
