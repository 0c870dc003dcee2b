import DomainKit
import JSON
import QueryCompiler

/// The methods that follow from an entity. Each exists only if the entity's access table permits it to some role.
struct EntityMethods {
    let entity: Entity
    /// The roles of the entity's domain.
    let roles: [ServedRole]
    /// The parameters of a view, which its methods take beside their own.
    private let view: ColumnParameters

    init(entity: Entity, roles: [ServedRole]) {
        self.entity = entity
        self.roles = roles
        view = ColumnParameters(entity.parameters, rules: entity.isView ? entity.rules : [])
    }

    var methods: [Method] {
        let readers = entity.access.grants(for: .read)
        guard !entity.isView else {
            return readers.isEmpty ? [] : [list(rights(readers)), aggregate(rights(readers))]
        }
        let creators = entity.access.grants(for: .create)
        let candidates = [
            (list, readers), (get, readers), (aggregate, readers), (create, creators),
            (update, entity.access.grants(for: .update)), (delete, entity.access.grants(for: .delete)),
            (duplicate, entity.isDuplicable ? creators.intersection(readers) : []),
        ]
        return candidates.compactMap { make, grants in grants.isEmpty ? nil : make(rights(grants)) }
    }

    private func rights(_ grants: Grants) -> Rights { .roles(grants, of: roles) }

    // MARK: Reading

    private func list(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).list", summary: "Une page des \(entity.noun.plural).", rights: rights,
            parameters: view.parameters + matching + nearness + [
                QueryParameter(
                    "order_by", .order(entity), summary: "Dans quel ordre\u{202F}; le moins devant pour décroissant."),
                QueryParameter("first", .first, summary: "Combien au plus."),
                QueryParameter("after", .cursor, summary: "La suite de la page dont c’est end_cursor."),
                QueryParameter("count", .count, summary: "Donner aussi leur nombre total."),
            ] + selection,
            result: .page(entity), rules: entity.isView ? entity.rules : [],
            check: { [entity, view] params, call in
                view.problems(in: params, call) { (planner, arguments) throws(PlanError) in
                    _ = try planner.list(entity, params.object, arguments: arguments)
                }
            }
        ) { [entity, view] (params, call) throws(CallError) in
            let planner = try call.planner
            let arguments = view.given(in: params)
            return .list(try mapError(planner.list(entity, params.object, arguments: arguments), CallError.init))
        }
    }

    private func get(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).get", summary: "\(entity.noun.oneCapitalised).", rights: rights,
            parameters: [entity.isSingle ? onlyIdentifier : identifier] + selection, result: .record(entity)
        ) { [entity] (params, call) throws(CallError) in
            let planner = try call.planner
            return .record(try mapError(planner.get(entity, params.object), CallError.init), of: entity)
        }
    }

    private func aggregate(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).aggregate", summary: "Des nombres sur les \(entity.noun.plural), groupe par groupe.",
            rights: rights,
            parameters: view.parameters + matching + [
                QueryParameter(
                    "group_by", .groups(entity), summary: "Par quoi grouper\u{202F}; sans cela, un seul groupe de tout."
                ),
                QueryParameter(
                    "select", .aggregates(entity), required: true, summary: "Les nombres voulus de chaque groupe."),
                QueryParameter(
                    "order_by", .groupOrder(entity),
                    summary:
                        "Dans quel ordre\u{202F}: des clés de group_by et des nombres, le moins devant pour décroissant."
                ),
                QueryParameter("first", .first, summary: "Combien de groupes au plus."),
                QueryParameter("variables", .variables, summary: "Les valeurs des variables de select."),
            ],
            result: .groups(entity), rules: entity.isView ? entity.rules : []
        ) { [entity, view] params, call in
            view.problems(in: params, call) { (planner, arguments) throws(PlanError) in
                _ = try planner.aggregate(entity, params.object, arguments: arguments)
            }
        } plan: { [entity, view] (params, call) throws(CallError) in
            let planner = try call.planner
            let arguments = view.given(in: params)
            return .aggregate(
                try mapError(planner.aggregate(entity, params.object, arguments: arguments), CallError.init))
        }
    }

    // MARK: Writing

    private func create(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).create", summary: "Crée \(entity.noun.one).", rights: rights,
            parameters: [values(.create, summary: "Ses valeurs.")] + selection, result: .record(entity),
            rules: entity.rules,
            write: { [self] (params, call, mode) throws(CallError) in
                let planner = try call.planner
                return write(.create, params, try mapError(planner.create(entity, params.object, mode), CallError.init))
            })
    }

    private func update(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).update", summary: "Modifie \(entity.noun.one).", rights: rights,
            parameters: [identifier, values(.update, summary: "Ce qui change."), version] + selection,
            result: .record(entity), rules: entity.rules,
            write: { [self] (params, call, mode) throws(CallError) in
                let planner = try call.planner
                return write(.update, params, try mapError(planner.update(entity, params.object, mode), CallError.init))
            })
    }

    private func duplicate(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).duplicate", summary: "Crée \(entity.noun.one) d’après \(entity.noun.another).",
            rights: rights,
            parameters: [identifier, values(.duplicate, summary: "Ce qui diffère.")] + selection,
            result: .record(entity), rules: entity.rules,
            write: { [self] (params, call, mode) throws(CallError) in
                let planner = try call.planner
                return write(
                    .duplicate, params, try mapError(planner.duplicate(entity, params.object, mode), CallError.init))
            })
    }

    private func delete(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).delete", summary: "Supprime \(entity.noun.one).", rights: rights,
            parameters: [identifier, version], result: .deletion,
            errors: [.conflict, .outcomeUnknown], rules: entity.rules,
            write: { [self] (params, call, mode) throws(CallError) in
                let planner = try call.planner
                return write(.delete, params, try mapError(planner.delete(entity, params.object, mode), CallError.init))
            })
    }

    private func write(_ kind: RecordWrite.Kind, _ params: Params, _ plan: WritePlan) -> any Write {
        let values = if case .object(let values) = params.object["values"] { values } else { JSONObject() }
        return RecordWrite(kind: kind, entity: entity, plan: plan, values: values)
    }

    // MARK: Parameters

    /// The parameters that say which records are meant.
    private var matching: [QueryParameter] {
        let filter = QueryParameter("where", .filter(entity), summary: "Lesquels.")
        guard entity.search != nil else { return [filter] }
        return [
            filter,
            QueryParameter(
                "search", .search, summary: "Mots à trouver tous, sans égard à la casse ni aux accents."),
        ]
    }

    private var nearness: [QueryParameter] {
        guard entity.search != nil else { return [] }
        return [
            QueryParameter(
                "near", .near,
                summary: "Ce dont les mots ressemblent à ceux de search suffit\u{202F}; sans order_by, le plus proche"
                    + " d’abord, sur une seule page.")
        ]
    }

    /// A read of the only record need not know its id.
    private var onlyIdentifier: QueryParameter {
        QueryParameter("id", .identifier(entity), summary: "L’identifiant\u{202F}; sans lui, la seule fiche.")
    }

    private var identifier: QueryParameter {
        QueryParameter("id", .identifier(entity), required: true, summary: "L’identifiant.")
    }

    private var version: QueryParameter {
        QueryParameter("if_version", .version, summary: "La version attendue\u{202F}; toute autre est un conflit.")
    }

    private var selection: [QueryParameter] { QueryParameter.selection(of: entity) }

    private func values(_ kind: WriteKind, summary: String) -> QueryParameter {
        QueryParameter("values", .values(entity, kind), required: kind == .create, summary: summary)
    }
}

extension ColumnParameters {
    /// The violated rules between the parameters of a view. If there are any, or if a param could not be decoded, the
    /// method is not planned: then also the problems that planning finds.
    fileprivate func problems(
        in params: Params, _ call: Call, plan: (Planner, [String: JSONValue]) throws(PlanError) -> Void
    ) -> [Problem] {
        let violations = violations(in: params)
        guard !params.problems.isEmpty || !violations.isEmpty, let planner = call.role?.served.planner else {
            return violations
        }
        let arguments = given(in: params)
        return violations + RPCServer.problems { () throws(PlanError) in try plan(planner, arguments) }
    }
}

// MARK: History

/// `X.history`: the changes of one record and their authors, newest first, from the journal.
struct HistoryMethod {
    let entity: Entity
    /// An entity with the columns `table_name` and `row_id`, and an `id` that grows with time.
    let journal: Entity
    /// The roles of the entity's domain.
    let roles: [ServedRole]
    /// Plans the reading of the journal. A role reads the entries of the records that it may read, in the methods
    /// `X.history` only.
    let planner: Planner

    /// Nil if no role may read the records. The journal itself has no history.
    var method: Method? {
        let readers = entity.access.grants(for: .read)
        guard !readers.isEmpty, entity.name != journal.name, !entity.isView else { return nil }
        let identifier = MethodParameter(
            "id", .recordID(of: entity), summary: "L’identifiant\u{202F}; aussi celui d’un enregistrement supprimé.")
        return Method(
            name: "\(entity.name).history",
            summary: "Ce qui a été changé \(entity.noun.ofOne), et par qui, du plus récent au plus ancien.",
            rights: .roles(readers, of: roles),
            parameters: [
                identifier, QueryParameter("first", .first, summary: "Combien d’entrées au plus."),
                QueryParameter("after", .cursor, summary: "La suite de la page dont c’est end_cursor."),
            ] + QueryParameter.selection(of: journal),
            result: .page(journal)
        ) { [self] params, _ in
            guard params.valid(identifier) == nil else { return [] }
            return problems { () throws(PlanError) in _ = try page(of: "1", params) }
        } plan: { [self] (params, call) throws(CallError) in
            let planner = try call.planner
            let page = try mapError(page(of: params[identifier], params), CallError.init)
            let isFirst = params.object["after"]?.isNull ?? true
            let record = try mapError(
                planner.record(entity, id: params[identifier], selection: "{ id }"), CallError.init)
            return .history(page, record: isFirst || call.hasSubject ? record : nil, of: entity)
        }
    }

    private func page(of identifier: String, _ params: Params) throws(PlanError) -> ListPlan {
        let given = params.object.members.filter { $0.name != "id" }
        let own: [JSONObject.Member] = [
            .init("where", ["table_name": .string(entity.name), "row_id": .number(identifier)]),
            .init("order_by", ["-id"]),
        ]
        return try planner.list(journal, JSONObject(own + given))
    }
}

/// The problems that `plan` throws.
private func problems(_ plan: () throws(PlanError) -> Void) -> [Problem] {
    do throws(PlanError) {
        try plan()
        return []
    } catch {
        if case .problems(let problems) = error { return problems }
        return []
    }
}
