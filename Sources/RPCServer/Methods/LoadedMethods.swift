package import DomainKit
package import JSON
package import QueryCompiler

extension LoadedMethod {
    var makesDocuments: Bool { if case .document = answers { true } else { false } }

    /// The method of the service for a method of a domain that computes a value; nil if this one makes documents.
    ///
    /// - Parameters:
    ///   - domain: the domain of the method.
    ///   - roles: the roles of the domain.
    func method(in domain: Domain, for roles: [ServedRole]) throws(RPCService.SetupError) -> Method? {
        guard case .value(let members, let answer) = answers else { return nil }
        let planning = try LoadedPlanning(of: self, in: domain, for: roles)
        return Method(
            name: qualifiedName, summary: summary, rights: planning.rights, parameters: planning.parameters,
            result: members.isEmpty ? .object : .texts(members), errors: planning.errors, rules: rules,
            check: planning.check
        ) { (params, call) throws(CallError) in
            let (loads, given) = try planning.plan(params, call)
            return .computed(CallPlan.Computation(loads: loads) { loaded in answer(loaded, given) })
        }
    }
}

/// A call of a method that a domain declares: what it loads, from which the domain computes the result.
package struct LoadedPlanning: Sendable {
    package let rights: Rights
    package let parameters: [any DeclaredParameter]
    package let errors: Set<ErrorKind>
    private let declared: LoadedMethod
    private let loads: LoadPlanner
    private let own: ColumnParameters
    private let named: NamedParameters

    package init(
        of declared: LoadedMethod, in domain: Domain, for roles: [ServedRole]
    ) throws(RPCService.SetupError) {
        guard let entity = domain.entity(named: declared.entity) else { throw .noSuchEntity(declared.entity) }
        self.declared = declared
        rights = Rights.roles(entity.access.grants(for: .read), of: roles)
        loads = try LoadPlanner(declared.loads, of: entity, in: domain)
        own = ColumnParameters(declared.parameters, rules: declared.rules)
        named = try NamedParameters(
            declared.parameters, of: declared.qualifiedName, for: entity.access.roles(for: .read), in: domain)
        errors = named.isEmpty ? [.limitExceeded] : [.limitExceeded, .notFound]
        let identifier: [any DeclaredParameter] = loads.identifier.map { [$0] } ?? []
        parameters = identifier + own.parameters
    }

    package var check: Method.Check { { [own] params, _ in own.violations(in: params) } }

    /// - Returns: what is loaded, and the values of the parameters.
    package func plan(
        _ params: Params, _ call: Call
    ) throws(CallError) -> (loads: [CallPlan.PlannedLoad], given: [String: JSONValue]) {
        let given = own.values(in: params)
        guard let role = call.role, declared.allows(role.served.role, given) else {
            throw .authorisation(AuthorisationError())
        }
        let planner = role.served.planner
        let checks = try mapError(named.plan(given, planner), CallError.init)
        let loads = try mapError(
            loads.plan(id: loads.identifier.map { params[$0] }, given, planner), CallError.init)
        return (checks + loads, given)
    }
}

/// The parameters of a method that name records by their `id`.
private struct NamedParameters: Sendable {
    private let parameters: [(column: Column, entity: Entity)]

    var isEmpty: Bool { parameters.isEmpty }

    /// - Parameters:
    ///   - method: the name of the method.
    ///   - roles: those that may call it.
    /// - Throws: if a parameter is to name records that not all roles can read, or is no id.
    init(
        _ columns: [Column], of method: String, for roles: Set<Role>, in domain: Domain
    ) throws(RPCService.SetupError) {
        var parameters: [(column: Column, entity: Entity)] = []
        for column in columns {
            guard let target = column.target else { continue }
            guard let entity = domain.entity(named: target) else { throw .noSuchEntity(target) }
            guard column.type == .bigint, !entity.isView else {
                throw .noRecordID(parameter: column.name, command: method)
            }
            for role in roles where !entity.access.allows(.read, to: role) {
                throw .unreadableParameter(role: role.name, entity: target, command: method)
            }
            parameters.append((column, entity))
        }
        self.parameters = parameters
    }

    /// The reads of the records that a call names.
    ///
    /// - Throws: a problem at each parameter with a number that no record can have as its `id`.
    func plan(
        _ given: [String: JSONValue], _ planner: Planner
    ) throws(PlanError) -> [CallPlan.PlannedLoad] {
        var loads: [CallPlan.PlannedLoad] = []
        var problems: [Problem] = []
        for (column, entity) in parameters {
            guard let value = given[column.name], !value.isNull else { continue }
            let id: String
            do throws(ValueError) {
                id = try RecordID.text(of: value)
            } catch {
                problems += error.problems(at: "".appendingPointer(column.name))
                continue
            }
            let plan = try planner.record(entity, id: id, selection: "{ id }")
            loads.append(.named(.init(plan: plan, entity: entity, parameter: column.name)))
        }
        guard problems.isEmpty else { throw .problems(problems) }
        return loads
    }
}

/// Plans what a method loads.
package struct LoadPlanner: Sendable {
    private enum Source: Sendable {
        case called
        case rows(Entity, atMost: Int, @Sendable ([String: JSONValue]) -> JSONValue)
        case groups(Entity, @Sendable ([String: JSONValue]) -> JSONValue)
        case file(CallPlan.LoadedFile)
        case timeZone
    }

    private let loads: [(source: Source, selection: String)]
    private let entity: Entity
    /// The parameter that names the record; nil if the method loads none.
    let identifier: MethodParameter<String>?

    /// - Throws: if a load names an entity that the domain does not have, or one that not all roles can read, or a file that no
    ///   earlier load selects.
    package init(_ loads: [Load], of entity: Entity, in domain: Domain) throws(RPCService.SetupError) {
        var sources: [(source: Source, selection: String)] = []
        var isForRecord = false
        for load in loads {
            switch load.records {
            case .called:
                isForRecord = true
                sources.append((.called, load.selection))
            case .rows(let name, let atMost, let params):
                let loaded = try Self.entity(named: name, readableBy: entity, in: domain)
                sources.append((.rows(loaded, atMost: atMost, params), load.selection))
            case .groups(let name, let params):
                let loaded = try Self.entity(named: name, readableBy: entity, in: domain)
                sources.append((.groups(loaded, params), load.selection))
            case .file(let column, let name, let form):
                sources.append((.file(try Self.file(column, of: name, form, after: sources, entity)), ""))
            case .timeZone: sources.append((.timeZone, ""))
            }
        }
        self.loads = sources
        self.entity = entity
        identifier = isForRecord ? MethodParameter("id", .recordID(of: entity), summary: "L’identifiant.") : nil
    }

    /// An entity that every role may read which may read the method's own.
    private static func entity(
        named name: String, readableBy own: Entity, in domain: Domain
    ) throws(RPCService.SetupError) -> Entity {
        guard let loaded = domain.entity(named: name) else { throw .noSuchEntity(name) }
        for role in own.access.roles(for: .read) where !loaded.access.allows(.read, to: role) {
            throw .unreadableLoad(role: role.name, entity: name)
        }
        return loaded
    }

    private static func file(
        _ column: String, of name: String, _ form: Load.FileForm, after sources: [(source: Source, selection: String)],
        _ entity: Entity
    ) throws(RPCService.SetupError) -> CallPlan.LoadedFile {
        for (position, earlier) in sources.enumerated() {
            let loaded: Entity
            switch earlier.source {
            case .called: loaded = entity
            case .rows(let entity, _, _): loaded = entity
            case .groups, .file, .timeZone: continue
            }
            guard loaded.name == name, let rule = loaded.column(named: column)?.file,
                Planner.selection(earlier.selection, contains: column)
            else { continue }
            return CallPlan.LoadedFile(record: position, column: column, maxBytes: rule.maxBytes, form: form)
        }
        throw .noFile(column: column, entity: name)
    }

    /// - Parameter id: the id of the record; nil if the method loads none.
    package func plan(
        id: String?, _ parameters: [String: JSONValue], _ planner: Planner
    ) throws(PlanError) -> [CallPlan.PlannedLoad] {
        var plans: [CallPlan.PlannedLoad] = []
        for (source, selection) in loads {
            switch source {
            case .called:
                plans.append(
                    .record(try planner.record(entity, id: id ?? "", selection: selection), of: entity))
            case .rows(let entity, let atMost, let params):
                plans.append(.rows(try rows(of: entity, selection, atMost, params(parameters), planner)))
            case .groups(let entity, let params):
                let given = if case .object(let members) = params(parameters) { members } else { JSONObject() }
                let selected = JSONObject(given.members + [.init("select", .string(selection))])
                plans.append(.groups(try planner.aggregate(entity, selected)))
            case .file(let file): plans.append(.file(file))
            case .timeZone: plans.append(.timeZone)
            }
        }
        return plans
    }

    private func rows(
        of entity: Entity, _ selection: String, _ atMost: Int, _ given: JSONValue, _ planner: Planner
    ) throws(PlanError) -> CallPlan.LoadedRows {
        let given = if case .object(let members) = given { members } else { JSONObject() }
        let names = Set(entity.parameters.map(\.name))
        let arguments = Dictionary(
            uniqueKeysWithValues: given.members.filter { names.contains($0.name) }.map { ($0.name, $0.value) })
        let first = min(atMost, planner.limits.maxFirst)
        let params = JSONObject(
            given.members.filter { !names.contains($0.name) } + [
                .init("select", .string(selection)), .init("first", .number(String(first))),
            ])
        return CallPlan.LoadedRows(
            first: try planner.list(entity, params, arguments: arguments), atMost: atMost
        ) { (cursor) throws(PlanError) in
            let next = JSONObject(params.members + [.init("after", .string(cursor))])
            return try planner.list(entity, next, arguments: arguments)
        }
    }
}
