import Auth
import DomainKit
import JSON
package import Outbox
import PostgresDriver
import QueryCompiler
package import RPCServer

/// The methods of accounts: signing in and out, the caller's own account, passwords, and the first administrator.
package struct AccountMethods: Sendable {
    let identity: AuthService
    /// The entity of the accounts.
    let accounts: Entity
    /// The entity of the roles that accounts have beside their base role; nil if there are none to have.
    let accountRoles: Entity?
    /// Every served role.
    let roles: [ServedRole]
    let planner: Planner
    let executor: Executor
    /// Nil if the service cannot send mail.
    let resetQueue: (any PasswordResetQueue)?
    /// Whether new accounts get a mail with a link to choose their password.
    let invites: Bool
    let site: ServedSite
    /// As browsers show it with passkeys.
    let serviceName: String
    /// The mails that invite new accounts.
    package let notices: [PlannedNotice]

    /// - Parameters:
    ///   - accounts: the name of the entity of the accounts.
    ///   - accountRoles: the name of the entity of the roles that accounts have beside their base role. Need not be served.
    ///   - resetQueue: mails the links for forgotten passwords. If it is nil, `auth.request_password_reset` is
    ///     unavailable.
    ///   - invitations: the mails that invite new accounts; nil: they are not invited, and `users.invite_again` is unavailable.
    ///   - sendsMail: whether mails can leave.
    ///   - site: the web site that the pages of the service are on.
    package init(
        _ kernel: Kernel, accounts name: String, accountRoles: String? = nil,
        resetQueue: (any PasswordResetQueue)? = nil, invitations: Invitations? = nil, sendsMail: Bool = false,
        site: ServedSite = ServedSite()
    ) throws(RPCService.SetupError) {
        let accounts = try kernel.domains.entity(named: name)
        identity = kernel.identity
        self.accounts = accounts
        self.accountRoles = accountRoles.flatMap { name in
            kernel.domains.lazy.compactMap { $0.entity(named: name) }.first
        }
        roles = kernel.roles
        planner = kernel.planner
        executor = kernel.executor
        self.resetQueue = resetQueue
        invites = invitations != nil && sendsMail
        self.site = site
        serviceName = kernel.title
        if let invitations, let domain = kernel.domains.first(where: { $0.entity(named: name) != nil }) {
            let roles = kernel.roles.roles(of: domain)
            notices = [
                try invitations.planned(
                    accounts, in: domain, for: roles, by: kernel.identity, of: executor.installation)
            ]
        } else {
            notices = []
        }
    }

    package var capability: Capability { Capability(methods: methods, writeExtensions: writeExtensions) }

    private var methods: [Method] {
        [
            login, refresh, logout, me, listSignIns, endSignIn, changePassword, requestPasswordReset, resetPassword,
            createFirstAdmin,
        ] + passkeyMethods + accessKeyMethods + invitationMethods + companyMethods
    }

    private var me: Method {
        Method(
            name: "auth.me", summary: "Le compte qui appelle.", rights: .signedIn,
            parameters: QueryParameter.selection(of: accounts) + [Self.company], result: .ownAccount(accounts),
            servesSuspended: true
        ) { [self] (params, call) throws(CallError) in
            let caller = try caller(of: call)
            let asked = params[Self.company].flatMap { Int64($0) }
            let given = params.object.members.filter { $0.name != Self.company.name }
            // The member of another company is known when the call runs.
            @Sendable func plan(_ member: Int64) throws(PlanError) -> RecordPlan {
                try planner.get(accounts, JSONObject([.init("id", .number(String(member)))] + given))
            }
            let own = try mapError(plan(caller.userID), CallError.init)
            return .work(cost: own.cost) { call throws(ExecutionError) in
                let deadline = call.context.deadline
                var (member, shown) = (caller.member, own)
                if let asked, asked != caller.company {
                    // A key is of one company.
                    let found = try await mapError(
                        async: caller.accessKeyID != nil
                            ? nil : await identity.member(of: caller.accountID, in: asked, deadline: deadline),
                        ExecutionError.init(account:))
                    guard let found else {
                        throw .invalidValues([AccountProblem.company.problem(at: "/company_id")])
                    }
                    member = found
                    shown = try mapError(plan(found.id)) { (error: PlanError) in
                        ExecutionError.unexpected(cause: "the account cannot be selected: \(error)")
                    }
                }
                do throws(ExecutionError) {
                    let record = try await account(
                        shown, in: Company(id: member.company), for: caller.share, by: deadline)
                    // Who selects fields wants these alone.
                    guard !given.contains(where: { $0.name == "select" }) else { return .record(record) }
                    let further = try await companies(of: caller, entering: member.company, by: deadline)
                    return .extended(record, JSONObject(further))
                } catch .notFound {
                    throw .unauthenticated(.revoked)
                }
            }
        }
    }

    // MARK: Shared by the account methods

    /// The account that makes the call. The method must not be open to everyone.
    func caller(of call: Call) throws(CallError) -> AuthenticatedUser {
        guard let caller = call.caller else { throw .authentication(.refused(.missing)) }
        return caller.user
    }

    /// The method that lists what the caller's account has, such as its sign-ins.
    func ownList(
        _ name: String, summary: String, result: ResultType,
        _ items: @escaping @Sendable (AuthenticatedUser, ContinuousClock.Instant) async throws(AuthError) -> [JSONValue]
    ) -> Method {
        Method(
            name: name, summary: summary, rights: .signedIn, parameters: [], result: result, acceptsAccessKeys: false
        ) { [self] (_, call) throws(CallError) in
            let caller = try caller(of: call)
            return .work { call throws(ExecutionError) in
                let items = try await mapError(
                    async: await items(caller, call.context.deadline), ExecutionError.init(account:))
                return .value(["items": .array(items)])
            }
        }
    }

    /// The method that ends or removes something of an account, such as a sign-in.
    ///
    /// - Parameters:
    ///   - identifier: the type of its identifier.
    ///   - noun: what it is.
    ///   - remove: returns false if there is none with the identifier.
    func removal(
        _ name: String, summary: String, rights: Rights = .signedIn, of identifier: ParameterType<String>,
        _ noun: Noun,
        _ remove:
            @escaping @Sendable (
                _ id: String, AuthenticatedUser, WriteTerms, ContinuousClock.Instant
            ) async throws(AuthError) -> Bool
    ) -> Method {
        let identifier = MethodParameter("id", identifier, summary: "Son identifiant.")
        return Method(
            name: name, summary: summary, rights: rights, parameters: [identifier], result: .empty,
            acceptsAccessKeys: false,
            writeInOtherRole: { [self] (params, call, terms) throws(CallError) in
                let caller = try caller(of: call)
                return .work { call throws(ExecutionError) in
                    let isRemoved = try await mapError(
                        async: await remove(params[identifier], caller, terms, call.context.deadline),
                        ExecutionError.init(account:))
                    guard isRemoved else { throw .notFound(noun) }
                    return .value([:])
                }
            })
    }

    /// The whole record of a user.
    func account(
        _ user: AuthenticatedUser, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Record {
        try await account(user.member, for: user.share, by: deadline)
    }

    /// The whole record of a member.
    private func account(
        _ member: Member, for share: Share?, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Record {
        let key: JSONObject = ["id": .number(String(member.id))]
        let plan = try mapError(planner.get(accounts, key)) { (error: PlanError) in
            ExecutionError.unexpected(cause: "the account cannot be selected: \(error)")
        }
        return try await account(plan, in: Company(id: member.company), for: share, by: deadline)
    }

    /// Reads an account with the one database role that may read every account.
    private func account(
        _ plan: RecordPlan, in company: Company, for share: Share?, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> Record {
        try await executor.record(
            plan, of: accounts, in: company, on: executor.databases.accounts, for: share, by: deadline)
    }
}

// MARK: First administrator

extension AccountMethods {
    /// Creates an account without being signed in, as long as there is no administrator.
    private var createFirstAdmin: Method {
        let token = MethodParameter("token", .secret, summary: "Le jeton\u{202F}: il sert une fois.")
        let email = MethodParameter("email", .column(accounts.knownColumn("email")), summary: "L’adresse du compte.")
        let password = MethodParameter("password", .newPassword, summary: "Son mot de passe.")
        let username = MethodParameter(
            optional: "username", .column(accounts.knownColumn("username")), summary: "Son nom.")
        return Method(
            name: "auth.create_first_admin",
            summary: "Crée le premier administrateur, avec le jeton affiché au démarrage tant qu’il n’y en a aucun.",
            rights: .anyone, parameters: [token, email, password, username], result: .record(accounts),
            errors: [.rateLimited, .conflict, .outcomeUnknown]
        ) { params, _ in
            guard let email = params.valid(email), let new = params.valid(password) else { return [] }
            return PasswordPolicy.violation(in: new, email: email).map { [$0.problem(at: "/password")] } ?? []
        } plan: { [self] (params, _) throws(CallError) in
            .work { call throws(ExecutionError) in
                let deadline = call.context.deadline
                let identifier = try await mapError(
                    async: await identity.createFirstAdmin(
                        token: params[token], email: params[email], username: params[username],
                        password: params[password], deadline: deadline)
                ) { (error: AuthError) in
                    firstAdminError(error, email: params[email], username: params[username])
                }
                guard let identifier else {
                    throw .invalidValues([AccountProblem.setupToken.problem(at: "/token")])
                }
                return .record(
                    try await account(
                        Member(company: Company.only.id, id: identifier), for: nil, by: deadline))
            }
        }
    }

    private func firstAdminError(_ error: AuthError, email: String, username: String?) -> ExecutionError {
        switch error {
        case .emailTaken:
            return .notUnique(AccountProblem.emailTaken.problem(at: "/email"))
        case .database(let error):
            let given: JSONObject = ["email": .string(email), "username": username.map { .string($0) } ?? .null]
            let constraint = error.server?.constraint
            let problem = constraint.flatMap { accounts.problem(forConstraint: $0, given: given, at: "") }
            return problem.map { .invalidValues([$0]) } ?? ExecutionError(postgres: error)
        default:
            return ExecutionError(auth: error)
        }
    }
}

extension Entity {
    /// A column that the accounts of every domain have.
    func knownColumn(_ name: String) -> Column {
        guard let column = column(named: name) else { preconditionFailure("accounts have no column \(name)") }
        return column
    }
}
