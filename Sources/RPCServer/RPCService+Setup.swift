package import Auth
package import DomainKit
package import QueryCompiler

extension RPCService {
    /// - Parameters:
    ///   - title: what the service is called, for its description.
    ///   - version: its own, such as `1.0.0`.
    ///   - domains: what is served: the methods of their entities, and their own.
    ///   - accounts: the name of the entity whose records are the accounts.
    ///   - journal: the name of the entity whose records tell of changes; nil: none is kept.
    ///   - identity: who people are.
    ///   - databases: the connections of each database role.
    ///   - resetQueue: where somebody who forgot a password is helped; nil: `auth.request_password_reset` is unavailable.
    ///   - limits: what one call may ask for.
    ///   - envelope: what one body may hold.
    package init(
        title: String, version: String, domains: [Domain], accounts: String, journal: String? = nil,
        identity: AuthService, databases: Databases, resetQueue: (any PasswordResetQueue)? = nil,
        limits: Limits = Limits(),
        envelope: EnvelopeLimits = EnvelopeLimits()
    ) throws(SetupFault) {
        let planner = Planner(domains: domains, limits: limits)
        let executor = Executor(databases: databases, planner: planner, domains: domains)
        let accounts = try domains.entity(named: accounts)
        let journal = try journal.map { name throws(SetupFault) in try domains.entity(named: name) }
        let own = AccountMethods(
            identity: identity, accounts: accounts, planner: planner, executor: executor, resetQueue: resetQueue)
        var methods: [Method] = []
        for domain in domains {
            for entity in domain.entities {
                methods += EntityMethods(entity: entity, planner: planner).methods.map(own.completed)
                if let journal, let history = HistoryMethod(entity: entity, journal: journal, planner: planner).method {
                    methods.append(history)
                }
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

extension [Domain] {
    fileprivate func entity(named name: String) throws(RPCService.SetupFault) -> Entity {
        guard let entity = lazy.compactMap({ $0.entity(named: name) }).first else { throw .noSuchEntity(name) }
        return entity
    }
}
