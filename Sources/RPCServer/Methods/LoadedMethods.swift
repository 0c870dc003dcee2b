import DomainKit
import JSON
import QueryCompiler

extension LoadedMethod {
    /// The method of the service for this declaration of a domain: it reads the record of `entity` with the given
    /// primary key, and the domain computes the result from it.
    ///
    /// - Parameter roles: the roles of the domain.
    func method(of entity: Entity, for roles: [ServedRole]) -> Method {
        let identifier = MethodParameter("id", .recordID(of: entity), summary: "L’identifiant.")
        let choices = parameters.map { parameter in
            MethodParameter(
                parameter.name, .choice(parameter.choices), default: parameter.defaultChoice,
                summary: parameter.summary)
        }
        return Method(
            name: "\(entity.name).\(name)", summary: summary, rights: .roles(entity.access.grants(for: .read)),
            roles: roles,
            parameters: [identifier] + choices, result: members.isEmpty ? .object : .texts(members),
            errors: [.limitExceeded]
        ) { (params, call) throws(CallError) in
            let given = Dictionary(uniqueKeysWithValues: choices.map { ($0.name, JSONValue.string(params[$0])) })
            guard let role = call.role, allows(role.served.role, given) else {
                throw .authorisation(AuthorisationError())
            }
            let plan = try mapError(
                role.served.planner.record(entity, id: params[identifier], selection: selection), CallError.init)
            return .computed(CallPlan.Computation(plan: plan, noun: entity.noun) { record in answer(record, given) })
        }
    }
}
