package import Documents
import DomainKit
import Files
import HTTPServer
package import Outbox
package import RPCServer

/// The documents that people without an account sign.
package struct DocumentSigning: Sendable {
    /// The names of the domain of the documents, and of its entities of the documents and of the signatories.
    package struct EntityNames: Sendable {
        let domain: String
        let signatures: String
        let signatories: String

        package init(domain: String, signatures: String, signatories: String) {
            self.domain = domain
            self.signatures = signatures
            self.signatories = signatories
        }
    }

    package let notices: [PlannedNotice]
    /// Those whose links open a signed document.
    package let linkedMethods: [LinkedMethod]
    private let methods: [Method]
    /// Nil if no domain has signatures.
    private let endpoint: SignatureEndpoint?

    /// - Parameters:
    ///   - address: of the server, for the links in mails.
    ///   - sendsMail: whether mails can leave. Otherwise nobody can be asked to sign.
    package init(
        _ kernel: Kernel, _ documents: Documents, _ names: EntityNames, address: ServedAddress, sendsMail: Bool
    ) throws(RPCService.SetupError) {
        let domains = kernel.domains
        let kinds = Dictionary(domains.flatMap(\.signatures).map { ($0.name, $0) }) { first, _ in first }
        guard !kinds.isEmpty else {
            (notices, linkedMethods, methods, endpoint) = ([], [], [], nil)
            return
        }
        let store = SignatureStore(database: kernel.executor.databases.accounts)
        let completion = try SignatureCompletion(
            domains, for: kernel.roles, store: store, executor: kernel.executor, turns: documents.maker.turns)
        let served = SignatureMethods.Entities(
            signatures: try domains.entity(named: names.signatures),
            signatories: try domains.entity(named: names.signatories))
        var methods: [Method] = []
        var linked: [LinkedMethod] = []
        for domain in domains {
            for signatures in domain.signatures {
                let own = try SignatureMethods(
                    signatures, in: domain, of: domains, for: kernel.roles.roles(of: domain), served,
                    documents: documents, completion: completion, sendsMail: sendsMail)
                methods += try own.methods()
                linked.append(documents.linkedMethod(for: own.download))
            }
        }
        self.methods = methods
        linkedMethods = linked
        let mails = SignatureNotices(
            entities: served, links: SignatureLinks(identity: kernel.identity, server: address),
            completion: completion)
        var notices: [PlannedNotice] = []
        for domain in domains where domain.name == names.domain {
            notices += try mails.planned(in: domain, for: kernel.roles.roles(of: domain))
        }
        self.notices = notices
        endpoint = SignatureEndpoint(
            identity: kernel.identity, store: store, completion: completion, drawings: DrawingReader(),
            signatures: kinds)
    }

    package var capability: Capability {
        Capability(
            serves: [.signatures], methods: methods,
            endpoints: endpoint.map { [$0.endpoint] } ?? [])
    }
}
