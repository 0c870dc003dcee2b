import DomainKit
import JSON

/// Resolves the params of aggregate methods: `group_by`, `select` and `order_by`.
extension Resolution {
    // MARK: group_by

    /// `["author_id", "month(date)", "author.name"]`
    mutating func groups(_ located: LocatedValue, on table: Table) -> [GroupKey] {
        var groups: [GroupKey] = []
        forEachName(
            in: located, notAList: .expectedFieldList(example: "id"), tooMany: .tooManyGroups(max: limits.orderKeys),
            notAName: .expectedFieldName
        ) { resolution, spelling, location in
            guard let group = resolution.group(spelling, on: table, at: location) else { return }
            guard !groups.contains(where: { $0.spelling == spelling }) else {
                resolution.diagnostics.add(.duplicateGroup(spelling), at: location)
                return
            }
            groups.append(group)
        }
        return groups
    }

    private mutating func group(_ spelling: String, on table: Table, at location: SourceLocation) -> GroupKey? {
        var name = spelling
        var period: GroupKey.Period?
        if spelling.hasSuffix(")"), let bracket = spelling.firstIndex(of: "(") {
            let word = String(spelling[..<bracket])
            period = GroupKey.Period(rawValue: word)
            guard period != nil else {
                let suggestion = diagnostics.nearest(to: word, among: AggregateKeywords.periods)
                diagnostics.add(.unknownPeriod(word, suggestion: suggestion), at: location)
                return nil
            }
            name = String(spelling[spelling.index(after: bracket)...].dropLast())
        }
        guard !name.hasPrefix("-") else {
            diagnostics.add(.descendingGroup, at: location)
            return nil
        }
        guard let key = orderKey(name, on: table, at: location) else { return nil }
        guard period == nil || key.field.type == .date else {
            diagnostics.add(.periodOfNonDate(field: name), at: location)
            return nil
        }
        return GroupKey(spelling: spelling, path: key.path, field: key.field, period: period)
    }

    // MARK: select

    /// `{ count sum { price } }`
    ///
    /// - Parameter groups: their spellings are keys of the answer as well.
    mutating func aggregates(_ text: String, on table: Table, besides groups: [GroupKey]) -> [AggregateOutput] {
        let document: SelectionDocument
        do throws(SelectionError) {
            document = try SelectionParser.parse(text)
        } catch {
            diagnostics.add(error, limits: limits)
            return []
        }
        // Variables are not allowed here. The problem is reported where they are used, not as unused variables.
        usedVariables.formUnion(document.variables)
        for fragment in document.fragments {
            diagnostics.add(.fragmentInAggregate, at: .selection(fragment.name.position))
        }
        let expanded = ExpandedSelection(root: document.root, definitions: [:], innermostFirst: [])
        guard expanded.count <= limits.fields else {
            expanded.reportTooManyFields(in: &self)
            return []
        }
        let fields = merged([document.root])
        for field in fields.map({ $0[0] }) where groups.contains(where: { $0.spelling == field.key }) {
            diagnostics.add(.keyOfGroup(field.key), at: .selection(field.keyPosition))
        }
        return fields.compactMap { output($0, on: table) }
    }

    /// The fields of equal keys together, as GraphQL merges them. Reports fields of one key that have different meanings.
    private mutating func merged(_ sets: [SelectionSet]) -> [[FieldSelection]] {
        var groups: [[FieldSelection]] = []
        for field in sets.flatMap({ fields(of: $0) }) {
            guard let index = groups.firstIndex(where: { $0[0].key == field.key }) else {
                groups.append([field])
                continue
            }
            if groups[index][0].name.text == field.name.text {
                groups[index].append(field)
            } else {
                diagnostics.add(.conflictingKey(field.key), at: .selection(field.keyPosition))
            }
        }
        return groups
    }

    private mutating func fields(of set: SelectionSet) -> [FieldSelection] {
        var fields: [FieldSelection] = []
        for selection in set.selections {
            switch selection {
            case .spread(let name):
                diagnostics.add(.fragmentInAggregate, at: .selection(name.position))
            case .field(let field):
                if let argument = field.arguments.first {
                    diagnostics.add(
                        .unexpectedArgument(field: field.name.text), at: .selection(argument.name.position))
                }
                fields.append(field)
            }
        }
        return fields
    }

    /// - Parameter group: the fields of one key.
    private mutating func output(_ group: [FieldSelection], on table: Table) -> AggregateOutput? {
        let field = group[0]
        let name = field.name.text
        if name == "count" {
            for set in group.compactMap(\.set) {
                diagnostics.add(.selectionOnCount, at: .selection(set.position))
            }
            return .count(key: field.key)
        }
        guard let function = AggregateValue.Function(rawValue: name) else {
            let known = ["count"] + AggregateKeywords.functions
            let suggestion = diagnostics.nearest(to: name, among: known)
            diagnostics.add(
                .unknownAggregate(name, known: known, suggestion: suggestion), at: .selection(field.name.position))
            return nil
        }
        for field in group where field.set == nil {
            diagnostics.add(.missingAggregateFields(function: name), at: .selection(field.name.position))
        }
        var members: [AggregateField] = []
        for group in merged(group.compactMap(\.set)) {
            let member = group[0]
            let location = SourceLocation.selection(member.name.position)
            guard let column = aggregated(member.name.text, by: function, on: table, at: location) else { continue }
            for inner in group.compactMap(\.set) {
                diagnostics.add(.selectionOnScalar(field: member.name.text), at: .selection(inner.position))
            }
            members.append(AggregateField(key: member.key, field: column))
        }
        return .function(key: field.key, function, members)
    }

    /// A field to which `function` applies.
    private mutating func aggregated(
        _ name: String, by function: AggregateValue.Function, on table: Table, at location: SourceLocation
    ) -> Field? {
        guard let field = table.field(named: name) else {
            if table.relationship(named: name) != nil {
                diagnostics.add(.relationshipInAggregate(name), at: location)
                return nil
            }
            let suggestion = diagnostics.nearest(to: name, among: table.fields.map(\.name))
            diagnostics.add(.unknownField(name, table: table.name, suggestion: suggestion), at: location)
            return nil
        }
        guard function.applies(to: field.type) else {
            diagnostics.add(.inapplicableFunction(function, field: name), at: location)
            return nil
        }
        return field
    }

    // MARK: order_by

    /// Keys of the grouping, `count` and `sum.price`. The keys of the grouping that are not named break the ties.
    mutating func order(_ located: LocatedValue?, of groups: [GroupKey], on table: Table) -> [AggregateOrder] {
        var order = located.map { explicitOrder($0, of: groups, on: table) } ?? []
        for index in groups.indices where !order.contains(where: { $0.term == .group(index) }) {
            order.append(AggregateOrder(term: .group(index), isDescending: false))
        }
        return order
    }

    private mutating func explicitOrder(
        _ located: LocatedValue, of groups: [GroupKey], on table: Table
    ) -> [AggregateOrder] {
        var order: [AggregateOrder] = []
        forEachName(
            in: located, notAList: .expectedAggregateOrderList,
            tooMany: .tooManyAggregateOrderKeys(max: limits.orderKeys), notAName: .expectedName
        ) { resolution, spelling, location in
            let isDescending = spelling.hasPrefix("-")
            let name = String(spelling.dropFirst(isDescending ? 1 : 0))
            guard let term = resolution.orderTerm(name, of: groups, on: table, at: location) else { return }
            guard !order.contains(where: { $0.term == term }) else {
                resolution.diagnostics.add(.duplicateOrderKey(spelling), at: location)
                return
            }
            order.append(AggregateOrder(term: term, isDescending: isDescending))
        }
        return order
    }

    private mutating func orderTerm(
        _ name: String, of groups: [GroupKey], on table: Table, at location: SourceLocation
    ) -> AggregateOrder.Term? {
        if let index = groups.firstIndex(where: { $0.spelling == name }) { return .group(index) }
        if name == "count" { return .value(.count) }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, let function = AggregateValue.Function(rawValue: parts[0]) {
            return aggregated(parts[1], by: function, on: table, at: location).map { .value(.function(function, $0)) }
        }
        let suggestion = diagnostics.nearest(to: name, among: groups.map(\.spelling) + ["count"])
        diagnostics.add(.unknownAggregateOrder(name, suggestion: suggestion), at: location)
        return nil
    }
}
