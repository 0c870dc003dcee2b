import DomainKit
import HTTPServer

/// The documents that methods make, the links that open them, and the subscriptions to them.
package struct Documents: Sendable {
    /// The methods of all domains that make documents.
    let methods: [Method]
    let links: DocumentLinks
    let maker: DocumentMaker
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
        var methods: [Method] = []
        var subscriptions: [Method] = []
        for domain in kernel.domains {
            for loaded in domain.methods where loaded.makesDocuments {
                methods.append(try loaded.method(in: domain, for: kernel.roles.roles(of: domain), links: links))
            }
            for offered in domain.subscriptions {
                guard let document = methods.first(where: { $0.name == offered.document }) else {
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

    package var capability: Capability {
        Capability(
            serves: [.documents], methods: methods + subscriptions, operations: [DocumentEndpoint.operation],
            endpoints: { [maker, kernel] registry in
                [
                    DocumentEndpoint(
                        identity: kernel.identity, methods: registry, maker: maker, limits: kernel.limits,
                        notesStatements: kernel.notesStatements
                    ).endpoint
                ]
            })
    }
}
