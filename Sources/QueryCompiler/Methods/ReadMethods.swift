package import DomainKit

extension Planner {
    /// `X.list`: `where`, `search`, `order_by`, `first`, `after`, `count`, `select`, `variables`.
    package func list(_ entity: Entity, _ params: Object) throws(PlanError) -> ListPlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let selection = selection(params["select"], on: table, in: &resolution)

        let filter = given("where", in: params).flatMap { resolution.condition($0, on: table) }
        let search = given("search", in: params).map { resolution.search($0) } ?? []
        var order: [OrderKey]?
        if let given = given("order_by", in: params) {
            order = resolution.order(given, on: table)
        } else {
            order = schema.defaultOrder(of: table)
        }
        var first = limits.defaultFirst
        if let given = given("first", in: params) { first = resolution.first(given) ?? first }
        var after: AfterShape?
        if let value = params["after"], !value.isNull, let order {
            after = resolution.after(value, order: order, on: table)
        }
        var hasCount = false
        switch params["count"] {
        case nil, .null?: break
        case .bool(let given)?: hasCount = given
        default: resolution.diagnostics.add(.type, at: .pointer("/count"), "Donnez true ou false.")
        }
        if let limitError = selection?.cost.check(first: first, limits: limits) {
            resolution.diagnostics.add(limitError)
        }
        let (shape, keys) = (
            try resolution.diagnostics.require(selection?.shape), try resolution.diagnostics.require(order)
        )
        let list = ListShape(
            filter: filter, search: search, order: keys, first: resolution.slot(for: String(first + 1)),
            selection: shape)
        let page = page(PageShape(list: list, after: after, hasCount: hasCount, rows: first + 1))
        return ListPlan(
            query: Query(statement: page.statement, parameters: resolution.parameters), layout: page.layout,
            first: first, totalColumn: page.totalColumn, presenceColumn: page.presenceColumn, cursor: page.cursor)
    }

    /// `X.get`: `id`, `select`, `variables`.
    package func get(_ entity: Entity, _ params: Object) throws(PlanError) -> RecordPlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let id = resolution.id(params)
        let selection = selection(params["select"], on: table, in: &resolution)
        return try record(id, selection, in: &resolution)
    }

    /// A record by a selection that is part of the program.
    package func record(
        _ entity: Entity, id: String, selection: String
    ) throws(PlanError) -> RecordPlan {
        try get(entity, Object([.init("id", .number(id)), .init("select", .string(selection))]))
    }

    private func record(
        _ id: String?, _ selection: PreparedSelection?, in resolution: inout Resolution
    ) throws(PlanError) -> RecordPlan {
        if let limitError = selection?.cost.check(first: 1, limits: limits) { resolution.diagnostics.add(limitError) }
        let prepared = try resolution.diagnostics.require(selection)
        let id = try resolution.diagnostics.require(id)
        let record = record(prepared, by: .id)
        return RecordPlan(
            query: Query(statement: record.statement, parameters: prepared.parameters + [id]), layout: record.layout)
    }

    /// A parameter that null leaves out, as it does in GraphQL.
    func given(_ name: String, in params: Object) -> LocatedValue? {
        guard let value = params[name], !value.isNull else { return nil }
        return LocatedValue(value, at: .pointer("/\(name)"))
    }
}
