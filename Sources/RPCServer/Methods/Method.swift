import Auth
import DomainKit
import JSON
import QueryCompiler

/// A method of the service: its name, who may call it, its parameters, and how a call of it is planned.
package final class Method: Sendable {
    package let name: String
    /// A French phrase that says what the method does.
    package let summary: String
    let rights: Rights
    let parameters: [any DeclaredParameter]
    let result: Result
    /// The errors of this method that do not follow from its rights, parameters and result.
    let errors: Set<ErrorKind>
    /// The rules that the database checks when the method writes.
    let rules: [Rule]
    /// Whether the method may be called with an access key.
    let acceptsAccessKeys: Bool
    private let check: Check
    private let work: Work

    /// Finds problems between several params.
    ///
    /// It is called with every call's params, also if some of them could not be decoded, so that all problems are
    /// reported together.
    typealias Check = @Sendable (_ params: Params, _ call: Call) -> [Problem]
    /// Decides what a call does. It is called only if every parameter was decoded, and takes no database connection.
    typealias Planning = @Sendable (_ params: Params, _ call: Call) throws(CallError) -> CallPlan

    /// Plans the change of a method that writes.
    typealias ChangePlanning =
        @Sendable (
            _ params: Params, _ call: Call, _ mode: WriteMode
        ) throws(CallError) -> any Change

    /// Plans a write that cannot be a call of a transaction: another database role makes it than that of the caller.
    typealias WritePlanning =
        @Sendable (
            _ params: Params, _ call: Call, _ terms: WriteTerms
        ) throws(CallError) -> CallPlan

    /// Plans the document of a method that makes one.
    typealias DocumentPlanning = @Sendable (_ params: Params, _ call: Call) throws(CallError) -> DocumentPlan

    /// Reads what a link opens that the method has made.
    typealias Opening =
        @Sendable (
            _ linked: LinkedDocument, _ context: CallContext
        ) async throws(ExecutionError) -> Document

    private enum Work: Sendable {
        case plan(Planning)
        /// A call is answered with a link to something that has rights of its own.
        case link(Planning, Opening)
        /// A call is answered with a link to the document.
        case document(DocumentPlanning, DocumentLinks)
        /// The method can be a call of a transaction.
        case change(ChangePlanning)
        case write(WritePlanning)
    }

    /// The type of a result, for the description of the service.
    enum Result: Sendable {
        case record(Entity)
        /// All records of this entity that a command answers.
        case records(Entity)
        case page(Entity)
        /// Aggregates over groups of records of this entity.
        case groups(Entity)
        /// The primary key of a deleted record of this entity.
        case deletion(Entity)
        /// Tokens, and the account that they were issued to.
        case session(Entity)
        /// The sign-ins of an account.
        case signIns
        /// What a browser needs to make a passkey, or to sign in with one.
        case passkeyOptions
        case passkey
        /// The passkeys of an account.
        case passkeys
        /// The results of the calls of a transaction.
        case results(example: [Method])
        /// The access keys of an account.
        case accessKeys
        /// An access key, which only this result shows.
        case newAccessKey
        /// Some changes of the feed, which has these tables.
        case changes(tables: [String])
        /// An object of texts.
        case texts([LoadedMethod.Member])
        /// A link to a document.
        case documentLink
        /// A subscription, with its link, which only this result shows.
        case newSubscription
        /// The subscriptions of an account. `label` is the member that names them.
        case subscriptions(label: String)
        /// The id of a deleted row that belongs to no entity.
        case ended
        /// The description of the service.
        case serviceDescription
        /// JSON of this shape.
        case value(Shape)
        /// An object with members that depend on the params.
        case object
        /// An object without members.
        case empty
    }

    private init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: Result,
        errors: Set<ErrorKind>, rules: [Rule], acceptsAccessKeys: Bool,
        check: @escaping Check, work: Work
    ) {
        self.name = name
        self.summary = summary
        self.rights = rights
        self.parameters = parameters
        self.result = result
        self.errors = errors
        self.rules = rules
        self.acceptsAccessKeys = acceptsAccessKeys
        self.check = check
        self.work = work
    }

    convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: Result,
        errors: Set<ErrorKind> = [], rules: [Rule] = [],
        acceptsAccessKeys: Bool = true, check: @escaping Check = { _, _ in [] },
        plan: @escaping Planning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters, result: result, errors: errors,
            rules: rules, acceptsAccessKeys: acceptsAccessKeys, check: check,
            work: .plan(plan))
    }

    /// A method that answers links to what is there already and has rights of its own.
    convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter],
        plan: @escaping Planning, opening: @escaping Opening
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters, result: .documentLink,
            errors: [], rules: [], acceptsAccessKeys: true, check: { _, _ in [] }, work: .link(plan, opening))
    }

    /// A method that makes a document.
    convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter],
        errors: Set<ErrorKind> = [.limitExceeded], rules: [Rule], check: @escaping Check, links: DocumentLinks,
        document: @escaping DocumentPlanning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters, result: .documentLink,
            errors: errors, rules: rules, acceptsAccessKeys: true, check: check,
            work: .document(document, links))
    }

    /// A method that writes. Its calls take the parameters of ``ChangeTerms`` too, and can be calls of a transaction.
    convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: Result,
        errors: Set<ErrorKind> = [], rules: [Rule] = [], acceptsAccessKeys: Bool = true,
        check: @escaping Check = { _, _ in [] },
        change: @escaping ChangePlanning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters + ChangeTerms.parameters,
            result: result, errors: errors, rules: rules, acceptsAccessKeys: acceptsAccessKeys, check: check,
            work: .change(change))
    }

    /// A method that writes and is no call of a transaction. Its calls take the parameters of ``ChangeTerms`` too.
    convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: Result,
        errors: Set<ErrorKind> = [], rules: [Rule] = [], acceptsAccessKeys: Bool = true,
        check: @escaping Check = { _, _ in [] },
        write: @escaping WritePlanning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters + ChangeTerms.parameters,
            result: result, errors: errors.union([.conflict, .outcomeUnknown]), rules: rules,
            acceptsAccessKeys: acceptsAccessKeys, check: check, work: .write(write))
    }

    /// Whether the method can be a call of a transaction.
    var isWrite: Bool {
        if case .change = work { true } else { false }
    }

    /// Whether the method makes documents.
    var makesDocuments: Bool {
        if case .document = work { true } else { false }
    }

    /// Reads what the method's links open; nil if a link asks for a document that the method makes, or the method has no links.
    var opening: Opening? {
        if case .link(_, let opening) = work { opening } else { nil }
    }

    /// The parameters of the method as a call of a transaction, which has the terms for all of its calls.
    var ownParameters: [any DeclaredParameter] {
        isWrite ? Array(parameters.dropLast(ChangeTerms.parameters.count)) : parameters
    }

    /// The problems that the params have together.
    func violations(in params: Params, _ call: Call) -> [Problem] { check(params, call) }

    /// Checks the params and decides what the call does.
    ///
    /// - Throws: ``CallError/params(_:)`` with the problems of all params together: wrong names first, then wrong
    ///   values.
    func plan(_ given: RPCRequest.RawParams, _ call: Call) throws(CallError) -> CallPlan {
        try checked(given, parameters, call) { params throws(CallError) in
            switch work {
            case .plan(let planning), .link(let planning, _): return try planning(params, call)
            case .document(let planning, let links):
                let plan = try planning(params, call)
                let link = try links.link(to: DocumentLinks.document(name, params.object, for: call))
                return .computed(
                    CallPlan.Computation(loads: plan.loadsForName) { loaded in
                        link.value(name: ContentDisposition.fileName(plan.name(loaded)), plan.kind)
                    })
            case .write(let planning): return try planning(params, call, terms(of: params, call))
            case .change(let planning):
                let terms = terms(of: params, call)
                let change = try planning(params, call, WriteMode(keepsID: terms.once != nil))
                return .batch(ChangeBatch(changes: [change], terms: terms))
            }
        }
    }

    private func terms(of params: Params, _ call: Call) -> WriteTerms {
        ChangeTerms.decode(params, method: name, digested: digested(params.object), as: call.role)
    }

    /// Plans the document of a method that makes one.
    ///
    /// - Precondition: ``makesDocuments``.
    func document(_ given: JSONObject, _ call: Call) throws(CallError) -> DocumentPlan {
        guard case .document(let planning, _) = work else { preconditionFailure("\(name) makes no document") }
        return try checked(.byName(given, duplicates: []), parameters, call) { params throws(CallError) in
            try planning(params, call)
        }
    }

    /// Plans the change of a call of a transaction.
    ///
    /// - Precondition: ``isWrite``.
    func change(_ given: JSONObject, _ call: Call, _ mode: WriteMode) throws(CallError) -> any Change {
        guard case .change(let planning) = work else { preconditionFailure("\(name) does not write") }
        return try checked(.byName(given, duplicates: []), ownParameters, call) { params throws(CallError) in
            try planning(params, call, mode)
        }
    }

    private func checked<Planned>(
        _ given: RPCRequest.RawParams, _ parameters: [any DeclaredParameter], _ call: Call,
        _ plan: (Params) throws(CallError) -> Planned
    ) throws(CallError) -> Planned {
        let (known, misnamed) = try Params.declaredMembers(of: given, parameters)
        let params = Params(known, parameters)
        let problems = params.problems + check(params, call)
        guard problems.isEmpty else { throw .params(misnamed + problems) }
        // Planned even if names are wrong: the planner reports the problems of the params that it reads.
        let plan = try mapError(plan(params)) { (error: CallError) in error.joined(to: misnamed) }
        guard misnamed.isEmpty else { throw .params(misnamed) }
        return plan
    }

    /// `params` as a digest has them: without passwords and tokens, and without members that say what their absence does.
    func digested(_ params: JSONObject) -> JSONObject {
        JSONObject(
            withoutSecrets(params).members.filter { member in
                !member.value.isNull && !(member.name == "variables" && member.value == .object(JSONObject()))
            })
    }

    /// `params` without passwords and tokens.
    func withoutSecrets(_ params: JSONObject) -> JSONObject {
        parameters.reduce(params) { params, parameter in parameter.withoutSecrets(params) }
    }

    /// This method, which writes, with another planning, which may use the original one.
    ///
    /// - Parameters:
    ///   - value: a further member of the parameter `values`.
    ///   - errors: the further errors that the method may end in.
    ///   - acceptsAccessKeys: whether the method may be called with an access key.
    func replacingChange(
        taking value: (any DeclaredParameter)? = nil, errors: Set<ErrorKind> = [], acceptsAccessKeys: Bool,
        _ change: (_ original: @escaping ChangePlanning) -> ChangePlanning
    ) -> Method {
        guard case .change(let planning) = work else { return self }
        let parameters = ownParameters.map { parameter in
            guard let value, let parameter = parameter as? QueryParameter else { return parameter }
            return parameter.taking(value)
        }
        return Method(
            name: name, summary: summary, rights: rights, parameters: parameters, result: result,
            errors: self.errors.union(errors), rules: rules, acceptsAccessKeys: acceptsAccessKeys, check: check,
            change: change(planning))
    }
}

/// Who may call a method.
enum Rights: Sendable {
    /// Every client. The `Authorization` header is ignored.
    case anyone
    /// Every client. The account of the `Authorization` header is known, if there is one.
    case anyoneOrSignedIn
    /// Every signed-in account.
    case signedIn
    /// Every signed-in account with one of these roles of the method's domain, the most powerful first.
    case roles([ServedRole])

    /// The rights of those of `served` that have `grants`.
    ///
    /// - Parameter served: the roles of the method's domain, in its order.
    static func roles(_ grants: Grants, of served: [ServedRole]) -> Rights {
        .roles(served.filter { grants[$0.role] != nil })
    }
}

extension Rights {
    var needCaller: Bool {
        switch self {
        case .anyone, .anyoneOrSignedIn: false
        case .signedIn, .roles: true
        }
    }

    /// Whether a call with this `Authorization` header is made by an account.
    func knowCaller(_ authorization: String?) -> Bool {
        if case .anyoneOrSignedIn = self { authorization != nil } else { needCaller }
    }
}

/// The roles of the caller do not permit the call.
struct AuthorisationError: Error, Sendable, Hashable {
    /// The JSON Pointer of the call's name among those of a transaction; nil for a call by itself.
    var path: String?
}

extension Method {
    /// The role in which `caller` calls the method: the first of the domain's roles that the caller holds and the method
    /// allows. Nil for a method without roles.
    ///
    /// - Parameter caller: nil only if the method needs no caller.
    func actingRole(of caller: Caller?) throws(AuthorisationError) -> ActingRole? {
        guard case .roles(let roles) = rights else { return nil }
        guard let role = caller?.actingRole(among: roles) else { throw AuthorisationError() }
        return role
    }

    /// Checks whether the method may be called with the credential of `caller`: with an access key, or with a token only.
    func checkCredential(of caller: Caller?) throws(AuthorisationError) {
        guard acceptsAccessKeys || caller?.user.accessKeyID == nil else { throw AuthorisationError() }
    }
}
