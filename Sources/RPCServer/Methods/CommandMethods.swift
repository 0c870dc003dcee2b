import DomainKit
import JSON
import QueryCompiler

extension Command {
    /// The method of the service for this declaration of a domain.
    ///
    /// - Parameters:
    ///   - roles: the roles of the domain.
    ///   - domains: those that are served, for the entity of the answer.
    func method(for roles: [ServedRole], in domains: [Domain]) throws(RPCService.SetupError) -> Method {
        let records = try records(in: domains)
        for target in parameters.compactMap(\.target) { _ = try domains.entity(named: target) }
        let entity = records?.entity
        for role in self.roles.roles {
            guard roles.contains(where: { $0.role == role }) else { throw .foreignRole(role.name, entity: name) }
            guard entity?.access.allows(.read, to: role) ?? true else {
                throw .unreadableAnswer(role: role.name, command: name)
            }
        }
        let own = ColumnParameters(parameters, rules: rules, areVerified: true, parsed: parsed.map(\.name))
        return Method(
            name: name, summary: summary, rights: .roles(self.roles, of: roles),
            parameters: own.parameters + (entity.map { QueryParameter.selection(of: $0) } ?? []),
            result: result(records),
            errors: entity == nil
                ? [.conflict, .limitExceeded, .outcomeUnknown]
                : [.notFound, .conflict, .limitExceeded, .outcomeUnknown],
            rules: rules + (entity?.rules ?? []),
            check: { params, call in
                let violations = own.violations(in: params)
                guard !violations.isEmpty, params.problems.isEmpty else { return violations }
                do throws(CallError) {
                    return violations
                        + (try problems { () throws(CallError) in _ = try plan(own, records, params, call) })
                } catch {
                    // The call fails for another reason when it is planned.
                    return violations
                }
            },
            change: { (params, call, mode) throws(CallError) in
                CommandChange(
                    answers: answers, plan: try plan(own, records, params, call, mode), entity: entity,
                    columns: own.columns, params: params.object)
            })
    }

    private func plan(
        _ own: ColumnParameters, _ records: CommandRecords?, _ params: Params, _ call: Call,
        _ mode: WriteMode = WriteMode()
    ) throws(CallError) -> CommandPlan {
        let values = own.values(in: params)
        var arguments: [CommandArgument] = []
        var found: [Problem] = []
        for column in parameters {
            let parsing = parsing(of: column.name)
            found += try problems { () throws(CallError) in
                arguments.append(try CommandArgument(column, parsing, values[column.name] ?? .null))
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
        return try mapError(
            planner.command(function, arguments, answering: records, params.object, mode), CallError.init)
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

    private func result(_ records: CommandRecords?) -> Method.Result {
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
    /// - Parameter value: one that the parameter of `column` accepts.
    fileprivate init(_ column: Column, _ parsing: ParsedParameter?, _ value: JSONValue) throws(CallError) {
        let type = parsing?.type ?? column.type
        guard !value.isNull else {
            self.init(type, nil)
            return
        }
        let path = "".appendingPointer(column.name)
        var argument = value
        if let parsing {
            guard let parsed = parsing.parse(value) else {
                throw .params([Problem(path: path, code: .format, message: parsing.message)])
            }
            argument = parsed
        }
        do throws(ValueError) {
            self.init(type, try type.postgresText(of: argument), namingRecordOf: column.target)
        } catch {
            throw .params(error.problems(at: path))
        }
    }
}
