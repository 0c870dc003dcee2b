package import Auth
package import DomainKit
package import QueryCompiler

/// What a service is composed on: the served domains, and how calls are planned, authenticated and executed. Capabilities are made
/// from it.
package struct Kernel: Sendable {
    /// The name of the service, for its description.
    package let title: String
    package let domains: [Domain]
    /// Every served role.
    package let roles: [ServedRole]
    /// For what the service itself reads: the caller's account, and the journal of records that the caller may read.
    package let planner: Planner
    package let executor: Executor
    package let identity: AuthService
    package let authenticator: any Authenticating
    /// The limits of one call.
    package let limits: CallLimits
    /// The limits of one body and its response.
    let envelope: EnvelopeLimits
    /// Whether the reports of calls have their statements, for those that are slow.
    package let notesStatements: Bool
    private let journal: Entity?

    /// - Parameters:
    ///   - title: the name of the service, for its description.
    ///   - domains: the entities and methods that the service offers.
    ///   - sortCollation: the Postgres collation by which texts sort; nil for the database's default.
    ///   - journal: the name of the entity of the journal's entries; nil if there is no journal.
    ///   - identity: authenticates callers and keeps passwords and sign-ins.
    ///   - databases: the database client of each role.
    ///   - drawing: draws the pictures that accounts give; nil: none are drawn.
    ///   - slowCall: after how long a call is slow, so that its report has its statements; nil: none is.
    package init(
        title: String, domains: [Domain], sortCollation: String? = nil, journal: String? = nil, identity: AuthService,
        databases: Databases, drawing: (any PictureDrawing)? = nil, limits: CallLimits = CallLimits(),
        envelope: EnvelopeLimits = EnvelopeLimits(), slowCall: Duration? = nil
    ) throws(RPCService.SetupError) {
        if let duplicate = domains.duplicateEntity {
            throw .duplicateEntity(duplicate.entity, domains: duplicate.domains)
        }
        try domains.checkReaches()
        try domains.checkViews()
        try domains.checkFigures()
        self.title = title
        self.domains = domains
        planner = Planner(domains: domains, sortCollation: sortCollation, limits: limits)
        roles = ServedRole.roles(
            of: domains,
            Planner.planners(for: domains.roles, domains: domains, sortCollation: sortCollation, limits: limits))
        executor = try Executor(
            databases: databases, domains: domains, roles: roles, limits: envelope, drawing: drawing ?? NoDrawing())
        self.identity = identity
        authenticator = TokenAuthenticator(identity: identity)
        self.limits = limits
        self.envelope = envelope
        notesStatements = slowCall != nil
        self.journal = try journal.map { name throws(RPCService.SetupError) in try domains.entity(named: name) }
    }

    /// The methods that follow from the domains' entities and commands, and those that compute a value. Those that make documents
    /// are of a capability.
    func methods() throws(RPCService.SetupError) -> [Method] {
        var methods: [Method] = []
        for domain in domains {
            let roles = roles.roles(of: domain)
            for entity in domain.entities {
                let own = EntityMethods(entity: entity, roles: roles).methods
                if let taken = own.lazy.compactMap(\.duplicateParameter).first {
                    throw .invalidView(entity.name, .takenParameter(taken))
                }
                methods += own
                guard let journal else { continue }
                let history = HistoryMethod(entity: entity, journal: journal, roles: roles, planner: planner)
                if let method = history.method { methods.append(method) }
            }
            for command in domain.commands {
                methods.append(try command.method(for: roles, in: domains))
            }
            for loaded in domain.methods {
                if let method = try loaded.method(in: domain, for: roles) { methods.append(method) }
            }
        }
        return methods
    }
}

extension Method {
    /// The first name that two of the parameters have.
    fileprivate var duplicateParameter: String? {
        var names: Set<String> = []
        return parameters.lazy.map(\.name).first { !names.insert($0).inserted }
    }
}
