import DomainKit
import QueryCompiler

extension LoadedMethod {
    /// This method as the server calls it: it loads the record of `entity` and lets the domain think.
    func method(of entity: Entity, _ planner: Planner) -> Method {
        let own = parameters.map { parameter in
            MethodParameter(
                parameter.name, .choice(parameter.choices, defaultChoice: parameter.defaultChoice),
                summary: parameter.summary)
        }
        let identifier = MethodParameter("id", .identifier(entity), required: true, summary: "L'identifiant.")
        return Method(
            name: "\(entity.name).\(name)", summary: summary, rights: .roles(entity.access.roles(for: .read)),
            parameters: [identifier] + own, result: members.isEmpty ? .object : .texts(members)
        ) { (params, call) throws(CallFailure) in
            try plan(params, call, entity, planner)
        }
    }

    private func plan(
        _ params: Object, _ call: Call, _ entity: Entity, _ planner: Planner
    ) throws(CallFailure) -> Plan {
        var reader = ParameterReader(params)
        let identifier = reader.recordID() ?? ""
        var choices: [String: Value] = [:]
        for parameter in parameters {
            choices[parameter.name] = .string(reader.choice(parameter))
        }
        try reader.finish()
        guard let caller = call.caller, allows(caller.role, choices) else { throw .authorisation(AuthorisationFault()) }
        let plan = try planned { () throws(PlanError) in
            try planner.record(entity, id: identifier, selection: selection)
        }
        let parameters = choices
        return .loaded(Plan.Loading(plan: plan, noun: entity.noun) { record in answer(record, parameters) })
    }
}

extension ParameterReader {
    fileprivate mutating func choice(_ parameter: LoadedMethod.Parameter) -> String {
        guard let value = params[parameter.name], !value.isNull else { return parameter.defaultChoice }
        do throws(ValueFault) {
            return try FieldType.choice(parameter.choices).postgresText(of: value)
        } catch {
            add(
                Problem(
                    path: "".appendingPointer(parameter.name), code: error.code, message: error.message,
                    suggestion: value.text.flatMap(parameter.choices.nearest)))
            return ""
        }
    }
}
