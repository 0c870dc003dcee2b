package import Auth
package import DomainKit
package import Logging
package import PostgresDriver
package import QueryCompiler

extension RPCService {
    /// - Parameters:
    ///   - title: the name of the service, for its description.
    ///   - version: the version of the service, such as `1.0.0`.
    ///   - domains: the entities and methods that the service offers.
    ///   - sortCollation: the Postgres collation by which texts sort; nil for the database's default.
    ///   - accounts: the name of the entity of the accounts.
    ///   - accountRoles: the name of the entity of the roles that accounts have beside their base role. Need not be served.
    ///   - journal: the name of the entity of the journal's entries; nil if there is no journal.
    ///   - identity: authenticates callers and keeps passwords and sign-ins.
    ///   - databases: the database client of each role.
    ///   - resetQueue: mails the links for forgotten passwords. If it is nil, `auth.request_password_reset` is
    ///     unavailable.
    ///   - invitations: the mails that invite new accounts; nil: they are not invited, and `users.invite_again` is unavailable.
    ///   - publicURL: the public address of the server, for links to documents; nil: the links are paths.
    ///   - site: the web site that the pages of the service are on.
    ///   - address: of the server, for links in mails.
    ///   - signing: the domain of the documents that people sign, with its entities of the documents and of the signatories.
    ///     Needed if a domain has signatures.
    ///   - changes: connections of a database role that may read the record of changes; nil if there is none, and then
    ///     there is no change feed.
    ///   - feed: the configuration of the change feed.
    ///   - outbox: what the outbox is served with; nil: the messages of the domains stay in it.
    ///   - drawing: draws the pictures that accounts give; nil: none are drawn.
    ///   - documentDrawing: draws documents that take long; nil: this process does.
    ///   - limits: the limits of one call.
    ///   - envelope: the limits of one body and its response.
    ///   - slowCall: after how long a call is slow, so that its report has its statements; nil: none is.
    package init(
        title: String, version: String, domains: [Domain], sortCollation: String? = nil, accounts: String,
        accountRoles: String? = nil, journal: String? = nil, identity: AuthService, databases: Databases,
        resetQueue: (any PasswordResetQueue)? = nil, invitations: Invitations? = nil, publicURL: String? = nil,
        site: ServedSite = ServedSite(), address: ServedAddress = ServedAddress("", isPublic: true),
        signing signingEntities: SigningEntities? = nil, changes: PostgresClient? = nil,
        feed: ChangeFeed.Configuration = .init(), outbox: OutboxSetup? = nil,
        drawing: (any PictureDrawing)? = nil, documentDrawing: (any DocumentDrawing)? = nil,
        limits: CallLimits = CallLimits(), envelope: EnvelopeLimits = EnvelopeLimits(), slowCall: Duration? = nil
    ) throws(SetupError) {
        if let duplicate = domains.duplicateEntity {
            throw .duplicateEntity(duplicate.entity, domains: duplicate.domains)
        }
        try domains.checkReaches()
        try domains.checkViews()
        // For what the service itself reads: the caller's account, and the journal of records that the caller may read.
        let planner = Planner(domains: domains, sortCollation: sortCollation, limits: limits)
        let roles = ServedRole.roles(
            of: domains,
            Planner.planners(for: domains.roles, domains: domains, sortCollation: sortCollation, limits: limits))
        let executor = try Executor(
            databases: databases, domains: domains, roles: roles, limits: envelope, drawing: drawing ?? NoDrawing())
        let accounts = try domains.entity(named: accounts)
        let journal = try journal.map { name throws(SetupError) in try domains.entity(named: name) }
        let accountMethods = AccountMethods(
            identity: identity, accounts: accounts,
            accountRoles: accountRoles.flatMap { name in domains.lazy.compactMap { $0.entity(named: name) }.first },
            roles: roles, planner: planner, executor: executor, resetQueue: resetQueue,
            invites: invitations != nil && outbox?.transport.sendsMail == true, site: site, serviceName: title)
        var methods: [Method] = []
        let turns = AccountTurns(atOnce: 2)
        let maker = DocumentMaker(
            executor: executor, turns: turns, drawing: documentDrawing ?? DrawingHere(domains: domains))
        let links = DocumentLinks(identity: identity, publicURL: publicURL)
        let signatures = SignatureStore(database: databases.accounts)
        let completion = try SignatureCompletion(
            domains, for: roles, store: signatures, executor: executor, turns: turns)
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
                methods.append(try loaded.method(in: domain, for: roles, links: links))
            }
            for subscriptions in domain.subscriptions {
                guard let document = methods.first(where: { $0.name == subscriptions.document }),
                    document.makesDocuments
                else { throw .noDocuments(method: subscriptions.document) }
                methods +=
                    SubscriptionMethods(
                        subscriptions: subscriptions, document: document, links: links, executor: executor
                    ).methods
            }
            for signing in domain.signatures {
                guard let entities = try signingEntities?.entities(in: domains) else {
                    throw .noSuchEntity(signing.name)
                }
                methods += try SignatureMethods(
                    signing, in: domain, of: domains, for: roles, entities, methods: methods, links: links,
                    maker: maker, completion: completion, sendsMail: outbox?.transport.sendsMail ?? true
                ).methods()
            }
        }
        let extensions = accountMethods.writeExtensions
        methods = methods.map { method in extensions[method.name].map(method.extended) ?? method }
        methods += accountMethods.methods
        let files = FileAccess(executor: executor, roles: roles)
        methods += FileMethods(access: files, links: links).methods
        let transaction = methods.count
        let authenticator = TokenAuthenticator(identity: identity)
        let changeFeed = changes.map { database in
            ChangeFeed(
                log: ChangeLog(database: database), tables: FeedTables(domains, roles), authenticator: authenticator,
                configuration: feed)
        }
        if let changeFeed { methods.append(ChangeMethods(log: changeFeed.log, tables: changeFeed.tables).list) }
        methods.insert(
            TransactionMethod(methods + [.discovery(of: .empty)], domains).method, at: transaction)
        var notices = try domains.plannedNotices(for: roles)
        if let invitations, let domain = domains.first(where: { $0.entity(named: accounts.name) != nil }) {
            let notice = try invitations.planned(accounts, in: domain, for: roles.roles(of: domain), by: identity)
            notices[notice.notice.name] = notice
        }
        let kinds = Dictionary(
            domains.flatMap(\.signatures).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        if !kinds.isEmpty, let signingEntities {
            let links = SignatureLinks(identity: identity, server: address)
            let mails = SignatureNotices(
                entities: try signingEntities.entities(in: domains), links: links, completion: completion)
            for domain in domains where domain.name == signingEntities.domain {
                for notice in try mails.planned(in: domain, for: roles.roles(of: domain)) {
                    notices[notice.notice.name] = notice
                }
            }
        }
        let operations =
            [OpenRPCDescription.operation] + (changeFeed.map { [$0.operation] } ?? [])
            + [DocumentEndpoint.operation] + FileService.operations
        let description = OpenRPCDescription(
            title: title, version: version, methods: methods + [.discovery(of: .empty)], operations: operations,
            entities: domains.flatMap(\.entities), limits: limits)
        methods.append(.discovery(of: description))
        let registry = try MethodRegistry(methods)
        self.init(
            methods: registry, description: description, limits: envelope, costLimits: limits,
            authenticator: authenticator, executor: executor, feed: changeFeed,
            documents: DocumentEndpoint(
                identity: identity, methods: registry, maker: maker, limits: limits, notesStatements: slowCall != nil),
            files: FileService(files, domains: domains, authenticator: authenticator),
            signatures: kinds.isEmpty
                ? nil
                : SignatureEndpoint(
                    identity: identity, store: signatures, completion: completion,
                    drawings: DrawingReader(), signatures: kinds),
            outbox: notices.isEmpty ? nil : outbox?.outbox(of: notices, executor), notesStatements: slowCall != nil)
    }

    /// The names of the domain and the entities of the documents that people sign.
    package struct SigningEntities: Sendable {
        let domain: String
        let signatures: String
        let signatories: String

        package init(domain: String, signatures: String, signatories: String) {
            self.domain = domain
            self.signatures = signatures
            self.signatories = signatories
        }

        fileprivate func entities(in domains: [Domain]) throws(SetupError) -> SignatureMethods.Entities {
            SignatureMethods.Entities(
                signatures: try domains.entity(named: signatures), signatories: try domains.entity(named: signatories))
        }
    }

    /// What the outbox is served with.
    package struct OutboxSetup: Sendable {
        /// Connections of the workers' role.
        let database: PostgresClient
        let transport: any MessageTransport
        let logger: Logger

        package init(database: PostgresClient, transport: any MessageTransport, logger: Logger) {
            self.database = database
            self.transport = transport
            self.logger = logger
        }

        fileprivate func outbox(of notices: [String: PlannedNotice], _ executor: Executor) -> Outbox {
            Outbox(
                notices: notices, store: OutboxStore(database: database), executor: executor, transport: transport,
                logger: logger)
        }
    }

    /// The reason why the domains cannot be served.
    package enum SetupError: Error, Sendable, Equatable, CustomStringConvertible {
        case noSuchEntity(String)
        case duplicateMethod(String)
        case duplicateEntity(String, domains: [String])
        case noDatabase(role: String)
        /// The entity, or the command, grants rights to a role that its domain does not have.
        case foreignRole(String, entity: String)
        /// The role is to reach its own rows of the entity, or of what the command names, but it has no subject, or the
        /// entity has no such column.
        case noOwnRows(role: String, entity: String)
        /// The role is to call the command for its own rows only, but there is no parameter that every call gives and that
        /// names a record of an entity with this column.
        case unlimitedCommand(String, role: String, column: String)
        /// The operation reaches rows that the role may not read, so that a write would be answered with 404 after its commit.
        case unreadableWrite(Operation, role: String, entity: String)
        /// The role is to reach its own rows of the entity, or of what the command answers, but the domain lists it after
        /// a base role to which the same right reaches every row. Each account has a base role: the call would be made in
        /// that one.
        case roleAfterBase(String, base: String, entity: String)
        /// The role may call the command, but not read what it answers.
        case unreadableAnswer(role: String, command: String)
        /// The role may call the command, but not read the records that a parameter names.
        case unreadableParameter(role: String, entity: String, command: String)
        /// The parameter is declared with an entity, but no part of it is the id of a record, or the entity is a view.
        case noRecordID(parameter: String, command: String)
        /// The role may call a method that loads rows of an entity which it may not read.
        case unreadableLoad(role: String, entity: String)
        /// A method loads a file of the column, but no load of the entity before it selects the column, or the column names
        /// no files.
        case noFile(column: String, entity: String)
        /// The entity is duplicable and its column names files. A duplicate would name a file of another account, which is refused.
        case duplicatedFile(column: String, entity: String)
        case invalidView(String, ViewError)
        /// The method makes no documents.
        case noDocuments(method: String)
        /// The documents that are signed have other parameters than the first of them.
        case otherParameters(method: String)
        /// The first role of the notice's domain does not reach every record that the notice may be about.
        case unreadableNotice(String)
        case duplicateNotice(String)

        package var description: String {
            switch self {
            case .noSuchEntity(let entity): "no served domain has an entity \(entity)"
            case .duplicateMethod(let method): "two methods have the name \(method)"
            case .duplicateEntity(let entity, let domains):
                "two entities have the name \(entity): of the domains \(domains.joined(separator: ", "))"
            case .noDatabase(let role): "there is no database client for the role \(role)"
            case .foreignRole(let role, let entity):
                "\(entity) gives a right to the role \(role), which its domain does not list in roles"
            case .noOwnRows(let role, let entity):
                "the role \(role) is to reach its own rows of \(entity), but it has no subject, or there is no such column"
            case .unlimitedCommand(let command, let role, let column):
                "the role \(role) is to call \(command) for its own rows only, but no required parameter names a record of an "
                    + "entity with the column \(column): declare one with of:, or grant every row and limit the "
                    + "function by kernel.subject()"
            case .unreadableWrite(let operation, let role, let entity):
                "the role \(role) may \(operation) rows of \(entity) that it may not read: give \(operation) the reach of read"
            case .roleAfterBase(let role, let base, let entity):
                "the domain lists the role \(role) after \(base), so that calls of an account with both would reach every row "
                    + "of \(entity): list \(role) first"
            case .unreadableAnswer(let role, let command):
                "the role \(role) may call \(command), but not read what it answers"
            case .unreadableParameter(let role, let entity, let command):
                "the role \(role) may call \(command), but not read records of \(entity), which a parameter names"
            case .noRecordID(let parameter, let command):
                "the parameter \(parameter) of \(command) is to name records of an entity, but no part of it is a bigint, or the "
                    + "entity is a view"
            case .unreadableLoad(let role, let entity):
                "the role \(role) may call a method that loads rows of \(entity), but not read them"
            case .noFile(let column, let entity):
                "a method loads the file \(column) of \(entity), but no load before it selects such a column"
            case .duplicatedFile(let column, let entity):
                "\(entity) is duplicable and its column \(column) names files, which a duplicate could not take over: an account "
                    + "names its own files only"
            case .noDocuments(let method): "the method \(method) makes no documents"
            case .otherParameters(let method):
                "the documents that can be signed have the same parameters, and \(method) has others"
            case .unreadableNotice(let notice):
                "the notice \(notice) is about an entity of which the first role of its domain does not read every record"
            case .duplicateNotice(let notice): "two notices have the name \(notice)"
            case .invalidView(let view, let error): "the view \(view) cannot be served: \(error)"
            }
        }
    }
}

extension Domain {
    /// Checks that a role with a right to its own rows comes before the role of ordinary accounts with the right to all.
    ///
    /// Administrators are meant to reach everything, also when they hold other roles.
    fileprivate func checkOrder(_ grants: Grants, of name: String) throws(RPCService.SetupError) {
        guard grants[.user] == .every, let user = roles.firstIndex(of: .user) else { return }
        for role in roles[user...] {
            if case .own? = grants[role] { throw .roleAfterBase(role.name, base: Role.user.name, entity: name) }
        }
    }
}

extension Domain {
    /// Checks that a role may read what it writes: the answer is the record.
    fileprivate func checkReadBack(of entity: Entity) throws(RPCService.SetupError) {
        for role in roles {
            guard let read = entity.access.reach(of: role, for: .read), read != .every else { continue }
            let create = entity.access.reach(of: role, for: .create)
            if create ?? read != read { throw .unreadableWrite(.create, role: role.name, entity: entity.name) }
            // An update with another column reaches the rows that have the subject in both.
            if entity.access.reach(of: role, for: .update) == .every {
                throw .unreadableWrite(.update, role: role.name, entity: entity.name)
            }
        }
    }
}

extension [Domain] {
    /// Checks that every right is one that a call can have, and that a duplicate can have what it copies.
    fileprivate func checkReaches() throws(RPCService.SetupError) {
        for domain in self {
            for entity in domain.entities {
                for operation in Operation.allCases {
                    try domain.checkOrder(entity.access.grants(for: operation), of: entity.name)
                    for role in entity.access.roles(for: operation) {
                        guard let served = domain.roles.first(where: { $0 == role }) else {
                            throw .foreignRole(role.name, entity: entity.name)
                        }
                        guard case .own(let column)? = entity.access.reach(of: role, for: operation) else { continue }
                        guard served.subject != nil, entity.column(named: column) != nil else {
                            throw .noOwnRows(role: role.name, entity: entity.name)
                        }
                    }
                }
                try domain.checkReadBack(of: entity)
                if entity.isDuplicable, let column = entity.readableColumns.first(where: { $0.file != nil }) {
                    throw .duplicatedFile(column: column.name, entity: entity.name)
                }
            }
            for command in domain.commands {
                try domain.checkOrder(command.roles, of: command.name)
                for role in domain.roles { try checkReach(of: role, calling: command) }
            }
        }
    }

    /// Checks that `.own` limits the calls of a command: a parameter that every call gives names a record with the column.
    private func checkReach(of role: Role, calling command: Command) throws(RPCService.SetupError) {
        guard case .own(let column)? = command.roles[role] else { return }
        guard role.subject != nil else { throw .noOwnRows(role: role.name, entity: command.name) }
        for parameter in command.parameters {
            for name in command.namedEntities(by: parameter, always: true) {
                if command.ownColumn(of: try entity(named: name), for: role) != nil { return }
            }
        }
        throw .unlimitedCommand(command.name, role: role.name, column: column)
    }

    fileprivate func checkViews() throws(RPCService.SetupError) {
        for view in flatMap(\.entities) where view.isView {
            if let error = Domain.viewError(of: view, in: self) { throw .invalidView(view.name, error) }
        }
    }

    func entity(named name: String) throws(RPCService.SetupError) -> Entity {
        guard let entity = lazy.compactMap({ $0.entity(named: name) }).first else { throw .noSuchEntity(name) }
        return entity
    }
}

extension Method {
    /// The first name that two of the parameters have.
    fileprivate var duplicateParameter: String? {
        var names: Set<String> = []
        return parameters.lazy.map(\.name).first { !names.insert($0).inserted }
    }
}
