package import Auth
package import DomainKit
package import JSON
package import QueryCompiler

/// A method of the service: its name, who may call it, its parameters, and how a call of it is planned.
package final class Method: Sendable {
    package let name: String
    /// What stands on the button that calls it; nil for a method that has none.
    let label: String?
    /// A French phrase that says what the method does.
    package let summary: String
    package let rights: Rights
    package let parameters: [any DeclaredParameter]
    let result: ResultType
    /// The errors of this method that do not follow from its rights, parameters and result.
    package let errors: Set<ErrorKind>
    /// The rules that the database checks when the method writes.
    package let rules: [Rule]
    /// Whether the method may be called with an access key.
    let acceptsAccessKeys: Bool
    /// Whether the method is answered to callers whose company is suspended.
    let servesSuspended: Bool
    private let check: Check
    private let work: Work
    /// What capabilities add to a method that writes.
    private let extensions: [WriteExtension]

    /// Finds problems between several params.
    ///
    /// It is called with every call's params, also if some of them could not be decoded, so that all problems are
    /// reported together.
    package typealias Check = @Sendable (_ params: Params, _ call: Call) -> [Problem]
    /// Decides what a call does. It is called only if every parameter was decoded, and takes no database connection.
    package typealias Planning = @Sendable (_ params: Params, _ call: Call) throws(CallError) -> CallPlan

    /// Plans the write of a method that writes in the role of the call.
    package typealias WritePlanning =
        @Sendable (
            _ params: Params, _ call: Call, _ mode: WriteMode
        ) throws(CallError) -> any Write

    /// Plans a write that another database role makes than that of the call, such as that of secrets. It cannot be a call of a
    /// transaction.
    package typealias OtherRolePlanning =
        @Sendable (
            _ params: Params, _ call: Call, _ terms: WriteTerms
        ) throws(CallError) -> CallPlan

    private enum Work: Sendable {
        case plan(Planning)
        case write(WritePlanning)
        case writeInOtherRole(OtherRolePlanning)
    }

    private init(
        name: String, label: String? = nil, summary: String, rights: Rights, parameters: [any DeclaredParameter],
        result: ResultType,
        errors: Set<ErrorKind>, rules: [Rule], acceptsAccessKeys: Bool, servesSuspended: Bool = false,
        check: @escaping Check, work: Work, extensions: [WriteExtension] = []
    ) {
        self.name = name
        self.label = label
        self.summary = summary
        self.rights = rights
        self.parameters = parameters
        self.result = result
        self.errors = errors
        self.rules = rules
        self.acceptsAccessKeys = acceptsAccessKeys
        self.servesSuspended = servesSuspended
        self.check = check
        self.work = work
        self.extensions = extensions
    }

    package convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: ResultType,
        errors: Set<ErrorKind> = [], rules: [Rule] = [],
        acceptsAccessKeys: Bool = true, servesSuspended: Bool = false, check: @escaping Check = { _, _ in [] },
        plan: @escaping Planning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters, result: result, errors: errors,
            rules: rules, acceptsAccessKeys: acceptsAccessKeys, servesSuspended: servesSuspended, check: check,
            work: .plan(plan))
    }

    /// A method that writes. Its calls take the parameters of ``WriteParameters`` too, and can be calls of a transaction.
    package convenience init(
        name: String, label: String? = nil, summary: String, rights: Rights, parameters: [any DeclaredParameter],
        result: ResultType,
        errors: Set<ErrorKind> = [], rules: [Rule] = [], acceptsAccessKeys: Bool = true,
        check: @escaping Check = { _, _ in [] },
        write: @escaping WritePlanning
    ) {
        self.init(
            name: name, label: label, summary: summary, rights: rights,
            parameters: parameters + WriteParameters.parameters,
            result: result, errors: errors, rules: rules, acceptsAccessKeys: acceptsAccessKeys, check: check,
            work: .write(write))
    }

    /// A method that writes in another database role than that of the call. Its calls take the parameters of ``WriteParameters``
    /// too.
    package convenience init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter], result: ResultType,
        errors: Set<ErrorKind> = [], rules: [Rule] = [], acceptsAccessKeys: Bool = true, servesSuspended: Bool = false,
        check: @escaping Check = { _, _ in [] },
        writeInOtherRole: @escaping OtherRolePlanning
    ) {
        self.init(
            name: name, summary: summary, rights: rights, parameters: parameters + WriteParameters.parameters,
            result: result, errors: errors.union([.conflict, .outcomeUnknown]), rules: rules,
            acceptsAccessKeys: acceptsAccessKeys, servesSuspended: servesSuspended, check: check,
            work: .writeInOtherRole(writeInOtherRole))
    }

    /// Whether the method can be a call of a transaction.
    var isCallOfTransactions: Bool {
        guard case .write = work else { return false }
        return extensions.allSatisfy(\.isCallOfTransactions)
    }

    /// The parameters of the method as a call of a transaction, which has the terms for all of its calls.
    var ownParameters: [any DeclaredParameter] {
        guard case .write = work else { return parameters }
        return Array(parameters.dropLast(WriteParameters.parameters.count))
    }

    /// The problems that the params have together.
    package func violations(in params: Params, _ call: Call) -> [Problem] { check(params, call) }

    /// Checks the params and decides what the call does.
    ///
    /// - Throws: ``CallError/params(_:)`` with the problems of all params together: wrong names first, then wrong
    ///   values.
    func plan(_ given: RPCRequest.RawParams, _ call: Call) throws(CallError) -> CallPlan {
        try checked(given, parameters, call) { params throws(CallError) in
            switch work {
            case .plan(let planning): return try planning(params, call)
            case .writeInOtherRole(let planning): return try planning(params, call, terms(of: params, call))
            case .write(let planning):
                let terms = terms(of: params, call)
                let write = try planned(planning, params, call, WriteMode())
                return .batch(WriteBatch(writes: [write], terms: terms))
            }
        }
    }

    private func terms(of params: Params, _ call: Call) -> WriteTerms {
        WriteParameters.decode(params, method: name, digested: digested(params.object), as: call.role)
    }

    /// Checks the params as those of a call, and plans from them what else than a call follows from them.
    ///
    /// - Throws: as ``plan(_:_:)``.
    package func checked<Planned>(
        _ given: JSONObject, _ call: Call, _ plan: (Params) throws(CallError) -> Planned
    ) throws(CallError) -> Planned {
        try checked(.byName(given, duplicates: []), parameters, call, plan)
    }

    /// Plans the write of a call of a transaction.
    ///
    /// - Precondition: ``isCallOfTransactions``.
    func write(_ given: JSONObject, _ call: Call, _ mode: WriteMode) throws(CallError) -> PlannedWrite {
        guard case .write(let planning) = work else { preconditionFailure("\(name) does not write") }
        return try checked(.byName(given, duplicates: []), ownParameters, call) { params throws(CallError) in
            try planned(planning, params, call, mode)
        }
    }

    /// The problems of the write and of what is added to it are reported together.
    private func planned(
        _ planning: WritePlanning, _ params: Params, _ call: Call, _ mode: WriteMode
    ) throws(CallError) -> PlannedWrite {
        guard !extensions.isEmpty else { return PlannedWrite(write: try planning(params, call, mode)) }
        var hooks: [WriteHook] = []
        var problems: [Problem] = []
        var failure: CallError?
        for added in extensions {
            do throws(CallError) {
                hooks.append(try added.hook(params, params.values(added.members), call))
            } catch {
                if case .params(let others) = error { problems += others } else { failure = failure ?? error }
            }
        }
        let columns = params.leavingOut(extensions.flatMap(\.members))
        let write = try mapError(planning(columns, call, mode)) { (error: CallError) in error.joined(to: problems) }
        guard problems.isEmpty else { throw .params(problems) }
        if let failure { throw failure }
        return PlannedWrite(write: write, hooks: hooks)
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

    /// This method, which writes, with what a capability adds to it.
    package func extended(by added: WriteExtension) -> Method {
        guard case .write = work else { preconditionFailure("\(name) does not write") }
        let own = ownParameters.map { parameter in
            (parameter as? QueryParameter).map { $0.taking(added.members) } ?? parameter
        }
        return Method(
            name: name, summary: summary, rights: rights, parameters: own + WriteParameters.parameters,
            result: result, errors: errors.union(added.errors), rules: rules,
            acceptsAccessKeys: acceptsAccessKeys && added.acceptsAccessKeys, servesSuspended: servesSuspended,
            check: check, work: work,
            extensions: extensions + [added])
    }
}

extension Params {
    /// The values of members of the parameter `values` that are no columns.
    fileprivate func values(_ members: [any DeclaredParameter]) -> Params {
        guard case .object(let values)? = object["values"] else { return Params(JSONObject(), []) }
        return Params(values, members, at: "/values")
    }

    /// These params without some members of `values`.
    fileprivate func leavingOut(_ members: [any DeclaredParameter]) -> Params {
        guard !members.isEmpty, case .object(let values)? = object["values"] else { return self }
        let columns = values.members.filter { value in !members.contains { $0.name == value.name } }
        return Params(
            JSONObject(
                object.members.map { $0.name == "values" ? .init($0.name, .object(JSONObject(columns))) : $0 }))
    }
}

/// Who may call a method.
package enum Rights: Sendable {
    /// Every client. The `Authorization` header is ignored.
    case anyone
    /// Every client. The account of the `Authorization` header is known, if there is one.
    case anyoneOrSignedIn
    /// Every signed-in account.
    case signedIn
    /// Every signed-in account with one of these roles of the method's domain, the most powerful first.
    case roles([ServedRole])
    /// The operators of the installation, with an access token.
    case operators

    /// The rights of those of `served` that have `grants`.
    ///
    /// - Parameter served: the roles of the method's domain, in its order.
    package static func roles(_ grants: Grants, of served: [ServedRole]) -> Rights {
        .roles(served.filter { grants[$0.role] != nil })
    }
}

extension Rights {
    var needCaller: Bool {
        switch self {
        case .anyone, .anyoneOrSignedIn: false
        case .signedIn, .roles, .operators: true
        }
    }

    /// Whether a call with this `Authorization` header is made by an account.
    func knowCaller(_ authorization: String?) -> Bool {
        if case .anyoneOrSignedIn = self { authorization != nil } else { needCaller }
    }
}

/// The roles of the caller do not permit the call.
package struct AuthorisationError: Error, Sendable, Hashable {
    /// The JSON Pointer of the call's name among those of a transaction; nil for a call by itself.
    var path: String?

    package init(path: String? = nil) {
        self.path = path
    }
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
