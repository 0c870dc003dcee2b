import DomainKit
import JSON
import QueryCompiler

extension Method {
    /// This method as an OpenRPC method object.
    func description(_ limits: CallLimits) -> JSONValue {
        let group = name.prefix { $0 != "." }
        let description: JSONValue = [
            "name": .string(name), "summary": .string(summary), "tags": [["name": .string(String(group))]],
            "paramStructure": "by-name", "params": .array(requiredFirst.map { $0.contentDescriptor(limits) }),
            "result": ["name": .string(result.name), "schema": result.schema],
            // Not references to `components`: generators of clients do not resolve those to errors.
            "errors": .array(describedErrors.map(\.errorObject)),
            "examples": [example], "x-roles": .array(roleNames.map { .string($0) }),
        ]
        return description.adding("x-label", label.map { .string($0) })
            .adding("x-entity", entity.map { .string($0.name) })
            .adding("x-rules", rulesOfParameters.isEmpty ? nil : .array(rulesOfParameters.map(\.description)))
            .adding("x-conflicts", reasons.isEmpty ? nil : .array(reasons.map { .string($0) }))
    }

    /// The parameters, required ones first as OpenRPC demands.
    private var requiredFirst: [any DeclaredParameter] {
        parameters.filter(\.isRequired) + parameters.filter { !$0.isRequired }
    }

    /// The names of the roles that may call the method, the most powerful last; empty if everyone may.
    private var roleNames: [String] {
        let roles: [Role]
        switch rights {
        case .anyone, .anyoneOrSignedIn: roles = []
        case .signedIn: roles = Role.base
        case .roles(let served): roles = served.map(\.role)
        // No role of a company: what an account is in the installation.
        case .operators: return ["operator"]
        }
        return roles.reversed().map(\.name)
    }

    /// The rules between parameters, which no schema of one parameter can express.
    private var rulesOfParameters: [Rule] {
        let names = Set(parameters.map(\.name))
        return rules.filter { $0.effect == .invalid && !$0.columns.isEmpty && names.isSuperset(of: $0.columns) }
    }

    /// The reasons of the conflicts that the method's rules lead to.
    private var reasons: [String] {
        rules.compactMap { rule in
            if case .conflict(let reason, _) = rule.effect { reason } else { nil }
        }
    }

    /// The entity of the records in the result, or else of the record that the parameters name.
    var entity: Entity? {
        let selection = parameters.lazy.compactMap { $0 as? QueryParameter }.first(where: \.isSelection)
        return selection?.entity ?? parameters.lazy.compactMap(\.entity).first
    }

    /// The errors that a call of the method may end in, apart from those of every request.
    private var describedErrors: [ErrorKind] {
        var errors: Set<ErrorKind> = [.invalidParams, .internalError]
        // An open method that looks at the header refuses one without valid credentials.
        if rights.knowCaller("") { errors.insert(.unauthenticated) }
        switch rights {
        case .roles, .operators: errors.insert(.forbidden)
        case .signedIn: if !servesSuspended { errors.insert(.forbidden) }
        case .anyone, .anyoneOrSignedIn: break
        }
        if !acceptsAccessKeys { errors.insert(.forbidden) }
        for parameter in parameters { errors.formUnion(parameter.errors) }
        errors.formUnion(result.errors)
        errors.formUnion(self.errors)
        errors.formUnion(rules.compactMap(\.errorKind))
        return ErrorKind.allCases.filter(errors.contains)
    }
}

extension Rule {
    /// The kind of the error of a violation; nil for a problem of the params.
    fileprivate var errorKind: ErrorKind? {
        switch effect {
        case .invalid: nil
        case .conflict: .conflict
        case .forbidden: .forbidden
        }
    }
}

extension DeclaredParameter {
    fileprivate func contentDescriptor(_ limits: CallLimits) -> JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "required": .bool(isRequired),
            "schema": schema(limits),
        ]
    }
}
