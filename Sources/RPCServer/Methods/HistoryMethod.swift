import DomainKit
import QueryCompiler

/// `X.history`: what was changed of one record and by whom, newest first, out of the journal.
struct HistoryMethod {
    let entity: Entity
    /// Has the columns `table_name` and `row_id`, and an `id` that grows with time.
    let journal: Entity
    let planner: Planner

    /// Nil where nobody may read the records, and of the journal itself, which is not kept a journal of.
    var method: Method? {
        let readers = entity.access.roles(for: .read)
        guard !readers.isEmpty, entity.name != journal.name else { return nil }
        return Method(
            name: "\(entity.name).history",
            summary: "Ce qui a été changé \(entity.noun.ofOne), et par qui, du plus récent au plus ancien.",
            rights: .roles(readers),
            parameters: [
                .init(
                    "id", .identifier(entity), required: true,
                    summary: "L'identifiant\u{A0}; aussi celui d'un enregistrement supprimé."),
                .init("first", .first, summary: "Combien d'entrées au plus."),
                .init("after", .cursor, summary: "La suite de la page dont c'est end_cursor."),
            ] + MethodParameter.selection(of: journal),
            result: .page(journal), plan: plan)
    }

    private func plan(_ params: Object, _ call: Call) throws(CallFailure) -> Plan {
        var reader = ParameterReader(params)
        // A wrong one is told together with all else that is wrong.
        let identifier = reader.recordID() ?? "1"
        let given = params.members.filter { $0.name != "id" }
        let own: [Object.Member] = [
            .init("where", ["table_name": .string(entity.name), "row_id": .number(identifier)]),
            .init("order_by", ["-id"]),
        ]
        let plan: ListPlan
        do throws(CallFailure) {
            plan = try planned { () throws(PlanError) in try planner.list(journal, Object(own + given)) }
        } catch {
            throw reader.problems.isEmpty ? error : error.joined(by: reader.problems)
        }
        try reader.finish()
        let isFirst = params["after"]?.isNull ?? true
        let subject = try planned { () throws(PlanError) in
            try planner.record(entity, id: identifier, selection: "{ id }")
        }
        return .history(plan, subject: isFirst ? subject : nil, of: entity.noun)
    }
}

extension Noun {
    /// `d'une session`, `d'un client`.
    fileprivate var ofOne: String { "d'\(one)" }
}
