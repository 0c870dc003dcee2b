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
        let own = ColumnParameters(parameters, rules: rules)
        return Method(
            name: "\(entity.name).\(name)", summary: summary,
            rights: .roles(entity.access.grants(for: .read), of: roles),
            parameters: [identifier] + own.parameters, result: members.isEmpty ? .object : .texts(members),
            errors: [.limitExceeded], check: { params, _ in own.violations(in: params) }
        ) { (params, call) throws(CallError) in
            let given = own.values(in: params)
            guard let role = call.role, allows(role.served.role, given) else {
                throw .authorisation(AuthorisationError())
            }
            let plan = try mapError(
                role.served.planner.record(entity, id: params[identifier], selection: selection), CallError.init)
            return .computed(CallPlan.Computation(plan: plan, noun: entity.noun) { record in answer(record, given) })
        }
    }
}
