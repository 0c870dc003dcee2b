package import DomainKit

extension Planner {
    /// `X.aggregate`: `where`, `search`, `group_by`, `select`, `order_by`, `first`, `variables`.
    package func aggregate(_ entity: Entity, _ params: Object) throws(PlanError) -> AggregatePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let groups = given("group_by", in: params).map { resolution.groups($0, on: table) } ?? []
        var outputs = [AggregateOutput.count(key: "count")]
        switch params["select"] {
        case nil, .null?: break
        case .string(let text)?: outputs = resolution.aggregates(text, on: table, besides: groups)
        default:
            resolution.diagnostics.add(
                .type, at: .pointer("/select"), "Donnez la sélection comme texte, entre guillemets.")
        }
        resolution.checkVariables()
        let filter = given("where", in: params).flatMap { resolution.condition($0, on: table) }
        let search = given("search", in: params).map { resolution.search($0) } ?? []
        let order = resolution.order(given("order_by", in: params), of: groups, on: table)
        var first = limits.defaultFirst
        if let given = given("first", in: params) { first = resolution.first(given) ?? first }
        try resolution.diagnostics.check()

        let aggregate = aggregate(
            AggregateShape(
                table: table, filter: filter, search: search, groups: groups, outputs: outputs, order: order,
                first: resolution.slot(for: String(first + 1))))
        return AggregatePlan(
            query: Query(statement: aggregate.statement, parameters: resolution.parameters), layout: aggregate.layout,
            first: first)
    }
}
