import DomainKit
import QueryCompiler

extension EntityMethods {
    /// `X.aggregate`: numbers over records instead of the records.
    func aggregate(_ rights: Rights) -> Method {
        Method(
            name: "\(entity.name).aggregate", summary: "Des nombres sur les \(entity.noun.plural), groupe par groupe.",
            rights: rights,
            parameters: matching + [
                .init(
                    "group_by", .groups(entity), summary: "Par quoi grouper\u{A0}; sans cela, un seul groupe de tout."),
                .init("select", .aggregates(entity), required: true, summary: "Les nombres voulus de chaque groupe."),
                .init(
                    "order_by", .groupOrder(entity),
                    summary:
                        "Dans quel ordre\u{A0}: des clés de group_by et des nombres, le moins devant pour décroissant."
                ),
                .init("first", .first, summary: "Combien de groupes au plus."),
                .init("variables", .variables, summary: "Les valeurs des variables de select."),
            ],
            result: .groups(entity)
        ) { [entity, planner] (params, _) throws(CallFailure) in
            var reader = ParameterReader(params)
            if params["select"]?.isNull ?? true { _ = reader.text("select") }
            let plan: AggregatePlan
            do throws(CallFailure) {
                plan = try planned { () throws(PlanError) in try planner.aggregate(entity, params) }
            } catch {
                throw reader.problems.isEmpty ? error : error.joined(by: reader.problems)
            }
            try reader.finish()
            return .aggregate(plan)
        }
    }
}
