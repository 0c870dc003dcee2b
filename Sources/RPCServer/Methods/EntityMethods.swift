import DomainKit
import QueryCompiler

/// The methods that follow from what an entity is: those that its access table gives to somebody.
struct EntityMethods {
    let entity: Entity
    let planner: Planner

    var methods: [Method] {
        let readers = entity.access.roles(for: .read)
        let creators = entity.access.roles(for: .create)
        let candidates = [
            (list, readers), (get, readers), (aggregate, readers), (create, creators),
            (update, entity.access.roles(for: .update)), (delete, entity.access.roles(for: .delete)),
            (duplicate, entity.isDuplicable ? creators.intersection(readers) : []),
        ]
        return candidates.compactMap { make, roles in roles.isEmpty ? nil : make(.roles(roles)) }
    }

    // MARK: Reading

    private func list(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).list", summary: "Une page des \(entity.noun.plural).", rights: rights,
            parameters: matching + [
                .init("order_by", .order(entity), summary: "Dans quel ordre\u{A0}; le moins devant pour décroissant."),
                .init("first", .first, summary: "Combien au plus."),
                .init("after", .cursor, summary: "La suite de la page dont c'est end_cursor."),
                .init("count", .flag, summary: "Donner aussi leur nombre total."),
            ] + selection,
            result: .page(entity)
        ) { [entity, planner] (params, _) throws(CallFailure) in
            .list(try planned { () throws(PlanError) in try planner.list(entity, params) })
        }
    }

    private func get(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).get", summary: "\(entity.noun.oneCapitalised).", rights: rights,
            parameters: [identifier] + selection, result: .record(entity)
        ) { [entity, planner] (params, _) throws(CallFailure) in
            .record(try planned { () throws(PlanError) in try planner.get(entity, params) }, of: entity.noun)
        }
    }

    // MARK: Writing

    private func create(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).create", summary: "Crée \(entity.noun.one).", rights: rights,
            parameters: [values(.create, summary: "Ses valeurs.")] + selection, result: .record(entity)
        ) { [self] (params, _) throws(CallFailure) in
            try write(.create, params) { () throws(PlanError) in try planner.create(entity, params) }
        }
    }

    private func update(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).update", summary: "Modifie \(entity.noun.one).", rights: rights,
            parameters: [identifier, values(.update, summary: "Ce qui change."), version] + selection,
            result: .record(entity)
        ) { [self] (params, _) throws(CallFailure) in
            try write(.update, params) { () throws(PlanError) in try planner.update(entity, params) }
        }
    }

    private func duplicate(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).duplicate", summary: "Crée \(entity.noun.one) d'après \(entity.noun.another).",
            rights: rights,
            parameters: [identifier, values(.duplicate, summary: "Ce qui diffère.")] + selection,
            result: .record(entity)
        ) { [self] (params, _) throws(CallFailure) in
            try write(.duplicate, params) { () throws(PlanError) in try planner.duplicate(entity, params) }
        }
    }

    private func delete(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).delete", summary: "Supprime \(entity.noun.one).", rights: rights,
            parameters: [identifier, version], result: .deletion(entity)
        ) { [self] (params, _) throws(CallFailure) in
            let plan = try planned { () throws(PlanError) in try planner.delete(entity, params) }
            return .write(Plan.Write(kind: .delete, entity: entity, plan: plan, values: Object()))
        }
    }

    private func write(
        _ kind: Plan.Write.Kind, _ params: Object, _ plan: () throws(PlanError) -> WritePlan
    ) throws(CallFailure) -> Plan {
        let plan = try planned(plan)
        let values = if case .object(let values) = params["values"] { values } else { Object() }
        return .write(Plan.Write(kind: kind, entity: entity, plan: plan, values: values))
    }

    // MARK: Parameters

    /// Which records are meant.
    var matching: [MethodParameter] {
        let filter = MethodParameter("where", .filter(entity), summary: "Lesquels.")
        guard entity.search != nil else { return [filter] }
        return [
            filter, .init("search", .search, summary: "Mots à trouver tous, sans égard à la casse ni aux accents."),
        ]
    }

    private var identifier: MethodParameter {
        .init("id", .identifier(entity), required: true, summary: "L'identifiant.")
    }

    private var version: MethodParameter {
        .init("if_version", .version, summary: "La version attendue\u{A0}; toute autre est un conflit.")
    }

    private var selection: [MethodParameter] { MethodParameter.selection(of: entity) }

    private func values(_ kind: WriteKind, summary: String) -> MethodParameter {
        .init("values", .values(entity, kind), required: kind == .create, summary: summary)
    }
}

extension MethodParameter {
    /// What every method takes that answers records of `entity`.
    static func selection(of entity: Entity) -> [MethodParameter] {
        [
            .init("select", .selection(entity), summary: "Les champs voulus, relations comprises."),
            .init("variables", .variables, summary: "Les valeurs des variables de select."),
        ]
    }
}

extension Noun {
    /// `une session`, `un client`.
    var one: String { "\(isFeminine ? "une" : "un") \(singular)" }
    var oneCapitalised: String { "\(isFeminine ? "Une" : "Un") \(singular)" }
    var another: String { "\(isFeminine ? "une" : "un") autre" }
}
