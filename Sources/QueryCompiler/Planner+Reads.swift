package import DomainKit
package import JSON

extension Planner {
    /// Plans `X.list`. Params: `where`, `search`, `near`, `order_by`, `first`, `after`, `count`, `select`,
    /// `variables`.
    ///
    /// - Parameter arguments: of a view: the values of its parameters, checked by their declarations.
    package func list(
        _ entity: Entity, _ params: JSONObject, arguments: [String: JSONValue] = [:]
    ) throws(PlanError) -> ListPlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let selection = selection(params["select"], on: table, in: &resolution)
        let arguments = resolution.arguments(arguments, of: table)
        let filter = resolution.given("where", in: params).flatMap { resolution.condition($0, on: table) }
        let isNear = isSet("near", in: params, of: &resolution)
        let search = resolution.given("search", in: params).map { resolution.search($0, near: isNear) } ?? []
        let order = listOrder(params, on: table, in: &resolution)
        let isByNearness = search.contains(where: \.isNear) && (params["order_by"]?.isNull ?? true)
        let first = resolution.given("first", in: params).flatMap { resolution.first($0) } ?? limits.defaultFirst
        var after: AfterShape?
        if let value = params["after"], !value.isNull, let order {
            after = resolution.after(value, order: order, on: table, arguments)
            // Nearness is no order that a cursor can continue in.
            if isByNearness, after != nil { resolution.diagnostics.add(.cursorOfOtherOrder, at: .pointer("/after")) }
        }
        let hasCount = isSet("count", in: params, of: &resolution)
        let (prepared, cost) = try check(selection, first: first, in: &resolution)
        let keys = try resolution.diagnostics.require(order)

        let list = ListShape(
            filter: filter, search: search, order: keys, first: resolution.slot(for: String(first + 1)),
            selection: prepared.shape)
        let shape = PageShape(
            list: list, after: after, hasCount: hasCount, rows: first + 1, byNearness: isByNearness,
            arguments: arguments)
        let page = page(shape, parameters: resolution.parameters.count)
        let query = Query(
            statement: page.statement, parameters: resolution.parameters,
            expectedCost: .page(shape, prepared, cost))
        return ListPlan(
            query: query, cost: cost, layout: page.layout, first: first, totalColumn: page.totalColumn,
            presenceColumn: page.presenceColumn,
            cursor: page.cursor.with(fingerprint: resolution.fingerprint(page.cursor.fingerprint, arguments)),
            isContinuable: !isByNearness,
            view: table.entity.isView ? table.entity : nil)
    }

    private func listOrder(_ params: JSONObject, on table: Table, in resolution: inout Resolution) -> [OrderKey]? {
        guard let given = resolution.given("order_by", in: params) else { return schema.defaultOrder(of: table) }
        return resolution.order(given, on: table)
    }

    private func isSet(_ name: String, in params: JSONObject, of resolution: inout Resolution) -> Bool {
        switch params[name] {
        case nil, .null?: return false
        case .bool(let given)?: return given
        default:
            resolution.diagnostics.add(.expectedBoolean, at: .pointer("/\(name)"))
            return false
        }
    }

    /// Plans `X.get`. Params: `id`, `select`, `variables`. Of an entity with one record at most, `id` may be missing.
    package func get(_ entity: Entity, _ params: JSONObject) throws(PlanError) -> RecordPlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let isOnly = entity.isSingle && params["id"]?.isNull ?? true
        let id = isOnly ? nil : resolution.id(params)
        let selection = selection(params["select"], on: table, in: &resolution)
        let (prepared, cost) = try check(selection, first: 1, in: &resolution)
        if isOnly { return recordPlan(prepared, cost, by: .only) }
        return recordPlan(prepared, cost, id: try resolution.diagnostics.require(id))
    }

    /// Plans a read of one record with a selection that is part of the program.
    package func record(
        _ entity: Entity, id: String, selection: String
    ) throws(PlanError) -> RecordPlan {
        try get(entity, JSONObject([.init("id", .number(id)), .init("select", .string(selection))]))
    }

    /// Checks the cost of `first` records and throws what has been found wrong with the call.
    func check(
        _ selection: PreparedSelection?, first: Int, in resolution: inout Resolution
    ) throws(PlanError) -> (PreparedSelection, CallCost) {
        let cost = selection?.cost.total(first: first, parameterBytes: resolution.parameterBytes) ?? CallCost()
        if let error = cost.limitError(limits) { resolution.diagnostics.add(error) }
        return (try resolution.diagnostics.require(selection), cost)
    }

    /// - Parameters:
    ///   - key: `.id` or `.only`.
    ///   - id: for the key `.id`; nil: it is not known yet.
    func recordPlan(
        _ selection: PreparedSelection, _ cost: CallCost, by key: CompiledRecord.Key = .id, id: String? = nil
    ) -> RecordPlan {
        let record = record(selection, by: key)
        return RecordPlan(
            query: Query(
                statement: record.statement, parameters: selection.parameters + (key == .id ? [id] : []),
                expectedCost: .record(selection, cost)),
            cost: cost, layout: record.layout, id: id)
    }

    /// Plans `X.aggregate`. Params: `where`, `search`, `group_by`, `select`, `order_by`, `first`, `variables`.
    ///
    /// - Parameter arguments: of a view: the values of its parameters, checked by their declarations.
    package func aggregate(
        _ entity: Entity, _ params: JSONObject, arguments: [String: JSONValue] = [:]
    ) throws(PlanError) -> AggregatePlan {
        let table = try table(of: entity)
        var resolution = resolution(params)
        let arguments = resolution.arguments(arguments, of: table)
        let groups = resolution.given("group_by", in: params).map { resolution.groups($0, on: table) } ?? []
        let outputs = outputs(params["select"], on: table, besides: groups, in: &resolution)
        resolution.checkVariables()
        let filter = resolution.given("where", in: params).flatMap { resolution.condition($0, on: table) }
        let search = resolution.given("search", in: params).map { resolution.search($0) } ?? []
        let order = resolution.order(resolution.given("order_by", in: params), of: groups, on: table)
        let first = resolution.given("first", in: params).flatMap { resolution.first($0) } ?? limits.defaultFirst
        let cost = CallCost(
            rows: first, width: groups.reduce(2) { $0 + $1.typicalWidth } + outputs.reduce(0) { $0 + $1.typicalWidth },
            parameterBytes: resolution.parameterBytes)
        if let error = cost.limitError(limits) { resolution.diagnostics.add(error) }
        try resolution.diagnostics.check()

        let shape = AggregateShape(
            table: table, filter: filter, search: search, groups: groups, outputs: outputs, order: order,
            first: resolution.slot(for: String(first + 1)), arguments: arguments)
        let aggregate = aggregate(shape, parameters: resolution.parameters.count)
        return AggregatePlan(
            query: Query(
                statement: aggregate.statement, parameters: resolution.parameters, expectedCost: .scan),
            cost: cost, layout: aggregate.layout, first: first, view: table.entity.isView ? table.entity : nil)
    }

    private func outputs(
        _ select: JSONValue?, on table: Table, besides groups: [GroupKey], in resolution: inout Resolution
    ) -> [AggregateOutput] {
        switch select {
        case nil, .null?: return [.count(key: "count")]
        case .string(let text)?: return resolution.aggregates(text, on: table, besides: groups)
        default:
            resolution.diagnostics.add(.expectedSelectionText, at: .pointer("/select"))
            return []
        }
    }
}
