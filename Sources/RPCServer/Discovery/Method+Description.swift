import DomainKit
import QueryCompiler

extension Method {
    /// This method as an OpenRPC method object.
    func description(_ limits: Limits) -> Value {
        let group = name.prefix { $0 != "." }
        let description: Value = [
            "name": .string(name), "summary": .string(summary), "tags": [["name": .string(String(group))]],
            "paramStructure": "by-name", "params": .array(requiredFirst.map { $0.contentDescriptor(limits) }),
            "result": ["name": .string(result.name), "schema": result.schema],
            "errors": .array(errors.map { ["$ref": .string("#/components/errors/\($0.rawValue)")] }),
            "examples": [example], "x-roles": .array(roles.map { .string($0.rawValue) }),
        ]
        return description.adding("x-entity", entity.map { .string($0.name) })
    }

    /// OpenRPC wants required parameters before all others, also where they go by name.
    private var requiredFirst: [MethodParameter] {
        parameters.filter(\.isRequired) + parameters.filter { !$0.isRequired }
    }

    /// Who may call it; nobody in particular where anyone may.
    private var roles: [Role] {
        switch rights {
        case .anyone: []
        case .signedIn: Role.allCases
        case .roles(let roles): Role.allCases.filter(roles.contains)
        }
    }

    /// The entity whose records it answers; otherwise the one whose records it speaks of.
    var entity: Entity? {
        var spokenOf: Entity?
        for parameter in parameters {
            switch parameter.kind {
            case .selection(let entity), .aggregates(let entity): return entity
            case .identifier(let entity): spokenOf = spokenOf ?? entity
            default: continue
            }
        }
        return spokenOf
    }

    /// What may go wrong with a call of it, besides what may with any request.
    private var errors: [ErrorKind] {
        var errors: Set<ErrorKind> = [.invalidParams, .internalError]
        if rights.needCaller { errors.insert(.unauthenticated) }
        if case .roles = rights { errors.insert(.forbidden) }
        for parameter in parameters {
            switch parameter.kind {
            case .identifier, .uuid: errors.insert(.notFound)
            case .selection, .filter: errors.insert(.limitExceeded)
            case .values: errors.formUnion([.conflict, .outcomeUnknown])
            default: continue
            }
        }
        errors.formUnion(result.errors)
        errors.formUnion(failures)
        return ErrorKind.allCases.filter(errors.contains)
    }
}

extension MethodParameter {
    fileprivate func contentDescriptor(_ limits: Limits) -> Value {
        [
            "name": .string(name), "summary": .string(summary), "required": .bool(isRequired),
            "schema": schema(limits),
        ]
    }
}
