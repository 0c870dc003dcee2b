import Auth
import DomainKit
import HTTPServer
import JSON
import QueryCompiler

/// `GET /documents/…`: makes the document that a link opens, with the rights of the account that asked for the link.
struct DocumentEndpoint: Sendable {
    let identity: AuthService
    let methods: MethodRegistry
    let maker: DocumentMaker
    let limits: CallLimits
    /// Whether the reports of calls have their statements, for those that are slow.
    let notesStatements: Bool

    static let operation = HTTPOperation(
        path: DocumentLinks.path + "{token}", summary: "Ouvre le document d’un lien, sans jeton d’accès.",
        parameters: [
            .init(
                name: "token", place: .path, schema: ["type": "string"],
                summary: "La fin du lien qu’a donné une méthode qui fait des documents.")
        ])

    var endpoint: Endpoint { Endpoint(DocumentLinks.path) { await self.respond(to: $0) } }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        let record = CallRecord()
        let context = CallContext(request.context, record: record)
        var clock = StageClock()
        var response: HTTPResponse
        do throws(DocumentError) {
            let document = try await document(request.subpath, context, &clock)
            response = .document(document, for: request)
            clock.lap(.write)
            var report = clock.report(of: nil)
            report.warnings = document.warnings
            record.add(report)
        } catch {
            switch error {
            case .link(let error) where error.hasEnded && request.headers.prefersPage:
                response = .endedLink(error.status, error.message)
            case .link(let error):
                response = .refusal(
                    error.status, name: error.name, error.message, requestID: request.context.requestID)
            case .call(let error):
                let error = RPCErrorObject(error)
                response = .refusal(error, requestID: request.context.requestID)
                record.add(clock.report(of: error))
            }
        }
        response.record = record
        return response
    }

    private func document(
        _ token: String, _ context: CallContext, _ clock: inout StageClock
    ) async throws(DocumentError) -> Document {
        let linked = try await mapError(
            async: await identity.open(linkToken: token, deadline: context.deadline), DocumentError.init)
        clock.lap(.authenticate)
        let method = try mapError(methods.method(named: linked.method)) { (_: MethodError) in
            DocumentError.link(.unknown)
        }
        clock.method = method.name
        if let opening = method.opening {
            let document = try await mapError(async: await opening(linked, context)) { (error: ExecutionError) in
                DocumentError.call(.execution(error))
            }
            clock.lap(.execute)
            return document
        }
        guard method.makesDocuments else { throw .link(.unknown) }
        guard case .roles(let roles) = method.rights,
            let role = roles.first(where: { $0.role.name == linked.acting.role })
        else { throw .link(.revoked) }
        let call = Call(
            caller: Caller(user: linked.user), role: ActingRole(served: role, subject: linked.acting.subject),
            context: context)
        clock.lap(.authorise)

        var plan = try mapError(method.document(linked.params, call), DocumentError.call)
        var budget = RequestBudget(limits)
        try mapError(budget.charge(plan.cost)) { DocumentError.call(.limit($0)) }
        clock.lap(.plan)
        // A record that the link names may have been absorbed by another one since.
        let successors = try await mapError(
            async: await maker.executor.successors(ofNamedBy: plan.loads, for: call)
        ) { (error: ExecutionError) in
            DocumentError.call(.execution(error))
        }
        if !successors.isEmpty {
            let params = linked.params.members.map { JSONObject.Member($0.name, successors[$0.name] ?? $0.value) }
            plan = try mapError(method.document(JSONObject(params), call), DocumentError.call)
        }
        let document = try await mapError(
            async: await maker.make(plan.withoutChecks, for: call)
        ) { (error: ExecutionError) in
            DocumentError.call(.execution(error))
        }
        clock.lap(.execute)
        if notesStatements {
            clock.statements = CallStatements(plan.loads.flatMap(\.queries), in: call.role)
        }
        return document
    }
}

/// Why a link is not answered with a document.
private enum DocumentError: Error {
    case link(DocumentLinkError)
    case call(CallError)

    init(_ error: DocumentLinkError) {
        self =
            if case .undecided(let error) = error { .call(.execution(.init(auth: error))) } else { .link(error) }
    }
}

extension DocumentLinkError {
    /// Whether it opens nothing now or later.
    fileprivate var hasEnded: Bool { if case .undecided = self { false } else { true } }

    fileprivate var status: Int {
        switch self {
        case .unknown: 404
        case .expired: 410
        case .revoked: 403
        case .undecided: 503
        }
    }

    fileprivate var name: String {
        switch self {
        case .unknown: "not_found"
        case .expired: "gone"
        case .revoked: "forbidden"
        case .undecided: "unavailable"
        }
    }
}
