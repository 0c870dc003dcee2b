import Auth
import DomainKit
import HTTPServer
import JSON
import QueryCompiler
package import RPCServer

/// The documents that methods make, the links that open them, and the subscriptions to them.
package struct Documents: Sendable {
    /// The methods of all domains that make documents.
    package let methods: [DocumentMethod]
    package let links: DocumentLinks
    package let maker: DocumentMaker
    private let subscriptions: [Method]
    private let kernel: Kernel

    /// - Parameters:
    ///   - drawing: draws documents that take long; nil: this process does.
    ///   - publicURL: the public address of the server, for the links; nil: they are paths.
    package init(
        _ kernel: Kernel, drawing: (any DocumentDrawing)? = nil, publicURL: String? = nil
    ) throws(RPCService.SetupError) {
        self.kernel = kernel
        links = DocumentLinks(identity: kernel.identity, publicURL: publicURL)
        maker = DocumentMaker(
            executor: kernel.executor, turns: AccountTurns(atOnce: 2),
            drawing: drawing ?? DrawingHere(domains: kernel.domains))
        var methods: [DocumentMethod] = []
        var subscriptions: [Method] = []
        for domain in kernel.domains {
            let roles = kernel.roles.roles(of: domain)
            for loaded in domain.methods {
                if let method = try loaded.documentMethod(in: domain, for: roles, links: links) {
                    methods.append(method)
                }
            }
            for offered in domain.subscriptions {
                guard let document = methods.first(where: { $0.method.name == offered.document }) else {
                    throw .noDocuments(method: offered.document)
                }
                subscriptions +=
                    SubscriptionMethods(
                        subscriptions: offered, document: document, links: links, executor: kernel.executor
                    ).methods
            }
        }
        self.methods = methods
        self.subscriptions = subscriptions
    }

    /// The number of slow documents that are being made and the number that wait, for metrics.
    package var renderingLoad: (running: Int, waiting: Int) { maker.turns.load }

    /// - Parameter others: the methods of other capabilities whose links have the path of documents.
    package func capability(opening others: [LinkedMethod]) -> Capability {
        let opened = methods.map(linkedMethod(for:)) + others
        let endpoint = DocumentEndpoint(
            identity: kernel.identity, installation: kernel.executor.installation,
            openings: Dictionary(uniqueKeysWithValues: opened.map { ($0.method.name, $0.open) }),
            counted: Set(methods.map(\.method.name)))
        return Capability(
            serves: [.documents], methods: methods.map(\.method) + subscriptions,
            operations: [DocumentEndpoint.operation], endpoints: [endpoint.endpoint])
    }

    /// A method that makes documents, with the making of the document of a link.
    package func linkedMethod(for document: DocumentMethod) -> LinkedMethod {
        LinkedMethod(document.method) {
            [maker, kernel] (link, context, clock) throws(DocumentError) in
            guard case .roles(let roles) = document.method.rights,
                let role = roles.first(where: { $0.role.name == link.acting.role })
            else { throw .link(.revoked) }
            let call = Call(
                caller: Caller(user: link.user), role: ActingRole(served: role, subject: link.acting.subject),
                context: context)
            clock.lap(.authorise)

            var plan = try mapError(document.plan(link.params, call), DocumentError.call)
            var budget = RequestBudget(kernel.limits)
            try mapError(budget.charge(plan.cost)) { DocumentError.call(.limit($0)) }
            clock.lap(.plan)
            // A record that the link names may have been absorbed by another one since.
            let successors = try await mapError(
                async: await maker.executor.successors(ofNamedBy: plan.loads, for: call)
            ) { (error: ExecutionError) in DocumentError(execution: error) }
            if !successors.isEmpty {
                let params = link.params.members.map { JSONObject.Member($0.name, successors[$0.name] ?? $0.value) }
                plan = try mapError(document.plan(JSONObject(params), call), DocumentError.call)
            }
            let made = try await mapError(
                async: await maker.make(plan.withoutChecks, for: call)
            ) { (error: ExecutionError) in DocumentError(execution: error) }
            clock.lap(.execute)
            if kernel.notesStatements {
                clock.statements = CallStatements(plan.loads.flatMap(\.queries), in: call.role)
            }
            return made
        }
    }
}
