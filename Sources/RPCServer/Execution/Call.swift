package import Auth
package import DomainKit
package import JSON
package import PostgresDriver
package import QueryCompiler

/// The circumstances of one call, apart from its method and params.
package struct Call: Sendable {
    /// Nil if the method needs no caller, or the server itself acts.
    package let caller: Caller?
    /// Nil if the method is open to all roles.
    package let role: ActingRole?
    /// The company in which the call acts.
    package let company: Company
    package let context: CallContext

    /// - Parameter company: nil: that of the caller; without a caller, the one that the installation has.
    package init(caller: Caller?, role: ActingRole?, company: Company? = nil, context: CallContext) {
        self.caller = caller
        self.role = role
        self.company = company ?? caller?.company ?? .only
        self.context = context
    }

    /// Plans what the role of the call may read and write.
    package var planner: Planner {
        get throws(CallError) {
            guard let role else { throw .authorisation(AuthorisationError()) }
            return role.served.planner
        }
    }
}

/// The account that makes a call.
package struct Caller: Sendable, Hashable {
    /// The account as the access token or the access key names it.
    package let user: AuthenticatedUser

    package init(user: AuthenticatedUser) {
        self.user = user
    }

    /// The company in which the account acts.
    package var company: Company { Company(id: user.company) }

    /// The part of the database connections that the account has in the company.
    package var share: Share { user.share }
}

/// Identifies the caller of a request.
package protocol Authenticating: Sendable {
    /// - Parameter authorization: the `Authorization` header, unchanged.
    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller

    /// Why no call is answered in the company of a caller who has just been identified, but those of ``Method/servesSuspended``; nil:
    /// calls are. It asks nobody: what identified the caller knows it.
    func closure(for caller: Caller) -> CompanyClosure?

    /// Whether the account is an operator of the installation.
    func isOperator(_ caller: Caller, deadline: ContinuousClock.Instant) async throws(AuthenticationError) -> Bool

    /// Verifies an access token without waiting, which leaves out what only the database knows.
    func verify(_ authorization: String?) throws(TokenError)

    /// Whether a caller who was identified by this header is still to be served, and its company not closed, as far as is known
    /// without waiting.
    func isStillValid(_ caller: Caller, _ authorization: String?) -> Bool

    /// Calls `observer` when some callers may no longer be valid. It must not block.
    func onWithdrawal(_ observer: @escaping @Sendable (Withdrawal) -> Void)
}

extension Authenticating {
    /// The caller of a request beside `/rpc`.
    ///
    /// - Parameter authorization: the `Authorization` header, unchanged.
    /// - Throws: `.closed`, too.
    package func servedCaller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller {
        let caller = try await caller(authorization, deadline: deadline)
        if let closure = closure(for: caller) { throw .closed(closure) }
        return caller
    }
}

/// The reason why the caller is not identified, or not served.
package enum AuthenticationError: Error, Sendable {
    case refused(TokenError)
    /// No call is answered in the company of the caller.
    case closed(CompanyClosure)
    /// The state of the token could not be read, for example because the database is unavailable.
    case undecided(ExecutionError)

    init(_ error: AuthError) {
        self =
            if case .unauthenticated(let error) = error { .refused(error) } else { .undecided(.init(auth: error)) }
    }
}

/// Identifies callers by their access tokens or access keys.
struct TokenAuthenticator: Authenticating {
    let identity: AuthService

    func caller(
        _ authorization: String?, deadline: ContinuousClock.Instant
    ) async throws(AuthenticationError) -> Caller {
        Caller(
            user: try await mapError(
                async: await identity.authenticate(authorization: authorization, deadline: deadline),
                AuthenticationError.init))
    }

    func closure(for caller: Caller) -> CompanyClosure? { identity.closure(for: caller.user) }

    func isOperator(_ caller: Caller, deadline: ContinuousClock.Instant) async throws(AuthenticationError) -> Bool {
        try await mapError(
            async: await identity.isOperator(caller.user, deadline: deadline), AuthenticationError.init)
    }

    func verify(_ authorization: String?) throws(TokenError) {
        try identity.verify(authorization: authorization)
    }

    func isStillValid(_ caller: Caller, _ authorization: String?) -> Bool {
        identity.isStillValid(caller.user, authorization: authorization)
    }

    func onWithdrawal(_ observer: @escaping @Sendable (Withdrawal) -> Void) { identity.onWithdrawal(observer) }
}

/// What a call will do. It is decided completely before the call takes a database connection.
package enum CallPlan: Sendable {
    case list(ListPlan)
    /// A page of the history of a record. If the page is empty, `record` is read to find out whether there is such a
    /// record; it is nil for a page that continues another one. For a caller with a subject it is read before every page,
    /// because the journal does not say to which subject a record belonged.
    indirect case history(ListPlan, record: RecordPlan?, of: Entity)
    case aggregate(AggregatePlan)
    /// The entity is for the error that there is no such record.
    case record(RecordPlan, of: Entity)
    /// One transaction of writes.
    case batch(WriteBatch)
    /// Records are read, and the result is computed from them.
    case computed(Computation)
    /// Work that is not a statement of the query compiler: signing in, passwords, the description of the service.
    case work(cost: CallCost = CallCost(), @Sendable (Call) async throws(ExecutionError) -> CallResult)

    /// What the call may cost, which is charged to the budget of its HTTP request.
    var cost: CallCost {
        switch self {
        case .list(let plan), .history(let plan, _, _): plan.cost
        case .aggregate(let plan): plan.cost
        case .record(let plan, _): plan.cost
        case .batch(let batch): batch.cost
        case .computed(let computation): computation.cost
        case .work(let cost, _): cost
        }
    }

    package struct Computation: Sendable {
        let loads: [PlannedLoad]
        let compute: @Sendable (_ loaded: [JSONValue]) -> JSONValue

        package init(loads: [PlannedLoad], compute: @escaping @Sendable (_ loaded: [JSONValue]) -> JSONValue) {
            self.loads = loads
            self.compute = compute
        }

        var cost: CallCost { loads.reduce(CallCost()) { $0.adding($1.cost) } }
    }

    /// A read from which a result is computed.
    package enum PlannedLoad: Sendable {
        /// The entity is for the error that there is no such record.
        case record(RecordPlan, of: Entity)
        case rows(LoadedRows)
        case groups(AggregatePlan)
        case file(LoadedFile)
        case timeZone
        /// Null, in the place of a file that is not needed.
        case nothing
        /// Loads no value: the call is refused if the record, which a parameter names, cannot be read.
        case named(NamedLoad)

        package var withoutFile: PlannedLoad {
            if case .file = self { .nothing } else { self }
        }

        package var named: NamedLoad? {
            if case .named(let load) = self { load } else { nil }
        }

        package var cost: CallCost {
            switch self {
            case .record(let plan, _): plan.cost
            case .rows(let rows): rows.cost
            case .groups(let plan): plan.cost
            case .named(let named): named.plan.cost
            case .file, .timeZone, .nothing: CallCost()
            }
        }
    }

    /// The read of a record that a parameter names.
    package struct NamedLoad: Sendable {
        let plan: RecordPlan
        let entity: Entity
        /// The name of the parameter.
        let parameter: String
    }

    /// A file that a loaded record names.
    package struct LoadedFile: Sendable {
        /// The position of the load that reads the record.
        let record: Int
        let column: String
        /// A larger one is not read.
        let maxBytes: Int
        let form: Load.FileForm
    }

    /// Rows of a list, which are read page by page.
    package struct LoadedRows: Sendable {
        let first: ListPlan
        let atMost: Int
        /// Plans the page after a cursor.
        let next: @Sendable (_ cursor: String) throws(PlanError) -> ListPlan

        /// That of all pages that may be read.
        var cost: CallCost {
            let pages = (atMost + first.first - 1) / max(1, first.first)
            return (1..<max(2, pages + 1)).reduce(CallCost()) { sum, _ in sum.adding(first.cost) }
        }
    }
}
