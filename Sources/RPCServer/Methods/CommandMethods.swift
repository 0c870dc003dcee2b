package import DomainKit
import JSON
import QueryCompiler

extension Command {
    /// The method of the service for this declaration of a domain.
    ///
    /// - Parameters:
    ///   - roles: the roles of the domain.
    ///   - domains: those that are served, for the entity of the answer.
    package func method(for roles: [ServedRole], in domains: [Domain]) throws(RPCService.SetupError) -> Method {
        let records = try records(in: domains)
        let named = try namedEntities(in: domains)
        let entity = records?.entity
        for role in self.roles.roles {
            guard roles.contains(where: { $0.role == role }) else { throw .foreignRole(role.name, entity: name) }
            guard entity?.access.allows(.read, to: role) ?? true else {
                throw .unreadableAnswer(role: role.name, command: name)
            }
            if let hidden = named.values.first(where: { !$0.access.allows(.read, to: role) }) {
                throw .unreadableParameter(role: role.name, entity: hidden.name, command: name)
            }
        }
        let own = ColumnParameters(parameters, rules: rules, areVerified: true, parsed: parsed.map(\.name))
        return Method(
            name: name, label: label, summary: summary, rights: .roles(self.roles, of: roles),
            parameters: own.parameters + (entity.map { QueryParameter.selection(of: $0) } ?? []),
            result: result(records),
            errors: [.notFound, .conflict, .limitExceeded, .outcomeUnknown],
            rules: rules + (entity?.rules ?? []),
            check: { params, call in
                let violations = own.violations(in: params)
                guard !violations.isEmpty, params.problems.isEmpty else { return violations }
                do throws(CallError) {
                    return violations
                        + (try problems { () throws(CallError) in _ = try plan(own, records, named, params, call) })
                } catch {
                    // The call fails for another reason when it is planned.
                    return violations
                }
            },
            write: { (params, call, mode) throws(CallError) in
                let (plan, found) = try plan(own, records, named, params, call, mode)
                return CommandWrite(
                    answers: answers, plan: plan, entity: entity,
                    named: found.compactMap { record in
                        named[record.entity].map {
                            CommandWrite.Named(record: record, entity: $0, call: mode.references[record.id])
                        }
                    }, columns: own.columns, params: params.object)
            })
    }

    /// - Parameter entities: those of the records that the parameters name.
    private func plan(
        _ own: ColumnParameters, _ records: CommandRecords?, _ entities: [String: Entity], _ params: Params,
        _ call: Call, _ mode: WriteMode = WriteMode()
    ) throws(CallError) -> (CommandPlan, named: [NamedRecord]) {
        let values = own.values(in: params)
        var arguments: [CommandArgument] = []
        var named: [NamedRecord] = []
        var found: [Problem] = []
        for column in parameters {
            found += try problems { () throws(CallError) in
                let value = try argument(of: column, values[column.name] ?? .null)
                arguments.append(try CommandArgument(column, parsing(of: column.name)?.type ?? column.type, value))
                named += namedRecords(by: column, value)
            }
        }
        let planner = try call.planner
        guard found.isEmpty else {
            let further = try problems { () throws(CallError) in
                let nulls = parameters.map { CommandArgument(parsing(of: $0.name)?.type ?? $0.type, nil) }
                _ = try mapError(
                    planner.command(function, nulls, answering: records, params.object, mode), CallError.init)
            }
            throw .params(found + further)
        }
        let ownColumns = call.role.map { role in
            entities.compactMapValues { ownColumn(of: $0, for: role.served.role) }
        }
        let plan = try mapError(
            planner.command(
                function, arguments, naming: named, ownColumns: ownColumns ?? [:], answering: records,
                selecting(params.object), mode), CallError.init)
        return (plan, named)
    }

    /// What the function takes for a parameter.
    ///
    /// - Parameter value: one that the parameter accepts.
    private func argument(of column: Column, _ value: JSONValue) throws(CallError) -> JSONValue {
        guard let parsing = parsing(of: column.name), !value.isNull else { return value }
        guard let parsed = parsing.parse(value) else {
            throw .params([Problem(path: "".appendingPointer(column.name), code: .format, message: parsing.message)])
        }
        return parsed
    }

    /// The params with the selection of the command, unless the call gives one.
    private func selecting(_ params: JSONObject) -> JSONObject {
        guard let selection, params["select"]?.isNull ?? true else { return params }
        return JSONObject(params.members.filter { $0.name != "select" } + [.init("select", .string(selection))])
    }

    /// The problems of the params that `plan` throws.
    private func problems(_ plan: () throws(CallError) -> Void) throws(CallError) -> [Problem] {
        do throws(CallError) {
            try plan()
            return []
        } catch {
            guard case .params(let problems) = error else { throw error }
            return problems
        }
    }

    private func records(in domains: [Domain]) throws(RPCService.SetupError) -> CommandRecords? {
        switch answers {
        case .record(let name): return .one(try domains.entity(named: name))
        case .records(let name, let max): return .many(try domains.entity(named: name), atMost: max)
        case .value, .nothing: return nil
        }
    }

    /// The entities of the records that the parameters name, by their names.
    private func namedEntities(in domains: [Domain]) throws(RPCService.SetupError) -> [String: Entity] {
        var entities: [String: Entity] = [:]
        for parameter in parameters {
            let names = namedEntities(by: parameter)
            if parameter.target != nil, names.isEmpty { throw .noRecordID(parameter: parameter.name, command: name) }
            for target in names {
                let entity = try domains.entity(named: target)
                if entity.isView { throw .noRecordID(parameter: parameter.name, command: name) }
                entities[target] = entity
            }
        }
        return entities
    }

    private func result(_ records: CommandRecords?) -> ResultType {
        switch (answers, records) {
        case (_, .one(let entity)?): .record(entity)
        case (_, .many(let entity, _)?): .records(entity)
        case (.value(let shape), nil): .value(shape)
        case (_, nil): .empty
        }
    }
}

extension CommandRecords {
    fileprivate var entity: Entity {
        switch self {
        case .one(let entity), .many(let entity, _): entity
        }
    }
}

extension CommandArgument {
    /// - Parameter value: what the function takes.
    fileprivate init(_ column: Column, _ type: FieldType, _ value: JSONValue) throws(CallError) {
        guard !value.isNull else {
            self.init(type, nil)
            return
        }
        do throws(ValueError) {
            self.init(type, try type.postgresText(of: value), namingRecordOf: column.target)
        } catch {
            throw .params(error.problems(at: "".appendingPointer(column.name)))
        }
    }
}
