package import Auth
package import DomainKit
package import QueryCompiler

extension RPCService {
    /// - Parameters:
    ///   - title: what the service is called, for its description.
    ///   - version: its own, such as `1.0.0`.
    ///   - domains: what is served: the methods of their entities, and their own.
    ///   - accounts: the name of the entity whose records are the accounts.
    ///   - identity: who people are.
    ///   - databases: the connections of each database role.
    ///   - resetDesk: where somebody who forgot a password is helped; nil: `auth.request_password_reset` is unavailable.
    ///   - limits: what one call may ask for.
    ///   - envelope: what one body may hold.
    package init(
        title: String, version: String, domains: [Domain], accounts: String, identity: Identity, databases: Databases,
        resetDesk: (any PasswordResetDesk)? = nil, limits: Limits = Limits(),
        envelope: EnvelopeLimits = EnvelopeLimits()
    ) throws(SetupFault) {
        let planner = Planner(domains: domains, limits: limits)
        let executor = Executor(databases: databases, planner: planner, domains: domains)
        guard let accounts = domains.lazy.compactMap({ $0.entity(named: accounts) }).first else {
            throw .noSuchEntity(accounts)
        }
        let own = AccountMethods(
            identity: identity, accounts: accounts, planner: planner, executor: executor, resetDesk: resetDesk)
        var methods: [Method] = []
        for domain in domains {
            for entity in domain.entities {
                methods += EntityMethods(entity: entity, planner: planner).methods.map(own.completed)
            }
            for loaded in domain.methods {
                guard let entity = domain.entity(named: loaded.entity) else { throw .noSuchEntity(loaded.entity) }
                methods.append(loaded.method(of: entity, planner))
            }
        }
        methods += own.methods
        let document = OpenRPCDocument(
            title: title, version: version, methods: methods + [.discovery(of: .empty)],
            entities: domains.flatMap(\.entities), limits: limits)
        methods.append(.discovery(of: document))
        self.init(
            methods: try MethodRegistry(methods), document: document, limits: envelope,
            authenticator: IdentityAuthenticator(identity: identity), executor: executor)
    }

    /// Why domains do not make a service.
    package enum SetupFault: Error, Sendable, Equatable {
        case noSuchEntity(String)
        case duplicateMethod(String)
    }
}
