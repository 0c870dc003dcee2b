import DomainKit
import JSON

/// A `select` text with its names looked up.
struct ResolvedSelection: Sendable {
    let shape: SelectionShape
    let cost: QueryCost
}

/// Resolves the document of one `select` text. It adds parameters and problems to the call's resolution.
struct SelectionResolver {
    private let fragments: Fragments
    private var cost = QueryCost()

    static func resolve(
        _ document: SelectionDocument, on table: Table, in resolution: inout Resolution
    ) -> ResolvedSelection {
        let fragments = Fragments(document, in: &resolution)
        var resolver = SelectionResolver(fragments: fragments)
        let level = Level(table: table, relations: [], rows: 1)
        let shape = resolver.shape(of: [document.root], at: level, in: &resolution)
        return ResolvedSelection(shape: shape, cost: resolver.cost)
    }

    private init(fragments: Fragments) {
        self.fragments = fragments
    }

    /// The nesting level of a selection set.
    private struct Level {
        let table: Table
        /// The keys of the relationships on the path from the root.
        let relations: [String]
        /// The maximum number of records of `table` for one record at the root.
        let rows: Int
    }

    /// The fields by their key, in the order of the first field of each key (GraphQL's CollectFields()).
    private func collect(
        _ sets: [SelectionSet], of table: Table, in resolution: inout Resolution
    ) -> [[FieldSelection]] {
        var groups: [[FieldSelection]] = []
        var indices: [String: Int] = [:]
        var spread: Set<String> = []
        var pending = sets.reversed().map { $0.selections[...] }
        while var selections = pending.popLast() {
            guard let selection = selections.popFirst() else { continue }
            pending.append(selections)
            resolution.visitedFields += 1
            guard resolution.visitedFields <= resolution.limits.fields else {
                if resolution.visitedFields == resolution.limits.fields + 1 {
                    fragments.expanded.reportTooManyFields(in: &resolution)
                }
                return []
            }
            switch selection {
            case .field(let field):
                if let index = indices[field.key] {
                    groups[index].append(field)
                } else {
                    indices[field.key] = groups.count
                    groups.append([field])
                }
            case .spread(let name):
                guard spread.insert(name.text).inserted,
                    let fragment = fragments.fragment(for: name, on: table, in: &resolution)
                else { continue }
                pending.append(fragment.set.selections[...])
            }
        }
        return groups
    }

    private mutating func shape(
        of sets: [SelectionSet], at level: Level, in resolution: inout Resolution
    ) -> SelectionShape {
        let groups = collect(sets, of: level.table, in: &resolution)
        let fields = groups.compactMap { field(of: $0, at: level, in: &resolution) }
        let shape = SelectionShape(table: level.table, fields: fields)
        cost.add(fieldsOf: shape, rows: level.rows, path: level.relations)
        return shape
    }

    /// - Parameter group: the fields of one key.
    private mutating func field(
        of group: [FieldSelection], at level: Level, in resolution: inout Resolution
    ) -> SelectedField? {
        let first = group[0]
        for other in group.dropFirst() where !other.isMergeable(with: first) {
            resolution.diagnostics.add(.conflictingKey(first.key), at: .selection(other.keyPosition))
            // Resolved separately, to report its own problems without those that a merge would cause.
            _ = field(of: [other], at: level, in: &resolution)
        }
        let group = group.filter { $0.isMergeable(with: first) }
        let name = first.name.text
        let table = level.table
        if name == "__typename" {
            for field in group { rejectArgumentsAndSet(of: field, in: &resolution) }
            return .typename(key: first.key)
        }
        if let field = table.field(named: name) {
            for field in group { rejectArgumentsAndSet(of: field, in: &resolution) }
            return .field(key: first.key, field)
        }
        if let relationship = table.relationship(named: name), let target = resolution.schema.target(of: relationship) {
            return relation(group, over: relationship, to: target, at: level, in: &resolution)
        }
        let suggestion = resolution.diagnostics.nearest(to: name, among: table.selectableNames)
        resolution.diagnostics.add(
            .unknownField(name, table: table.name, suggestion: suggestion), at: .selection(first.name.position))
        return nil
    }

    private func rejectArgumentsAndSet(of field: FieldSelection, in resolution: inout Resolution) {
        if let argument = field.arguments.first {
            resolution.diagnostics.add(
                .unexpectedArgument(field: field.name.text), at: .selection(argument.name.position))
        }
        if let set = field.set {
            resolution.diagnostics.add(.selectionOnScalar(field: field.name.text), at: .selection(set.position))
        }
    }

    private mutating func relation(
        _ group: [FieldSelection], over relationship: Relationship, to target: Table, at level: Level,
        in resolution: inout Resolution
    ) -> SelectedField? {
        let first = group[0]
        for field in group where field.set == nil {
            resolution.diagnostics.add(
                .missingSelection(relationship: relationship.name), at: .selection(field.name.position))
        }
        let relations = level.relations + [first.key]
        guard relations.count <= resolution.limits.selectionDepth else {
            resolution.diagnostics.add(
                QueryLimitError(
                    excess: .depth, max: resolution.limits.selectionDepth, path: relations.joined(separator: ".")))
            return nil
        }
        let sets = group.compactMap(\.set)
        guard relationship.isToMany else {
            for argument in first.arguments {
                resolution.diagnostics.add(
                    .argumentOnToOne(relationship: relationship.name), at: .selection(argument.name.position))
            }
            let inner = Level(table: target, relations: relations, rows: level.rows)
            return .one(key: first.key, relationship, shape(of: sets, at: inner, in: &resolution))
        }
        let arguments = ListArguments(first.arguments, of: target, in: &resolution)
        let rows = saturatingProduct(level.rows, arguments.first ?? resolution.limits.assumedRows)
        cost.add(product: rows, path: relations)
        let inner = Level(table: target, relations: relations, rows: rows)
        let list = ListShape(
            filter: arguments.filter, search: arguments.search,
            order: arguments.order ?? resolution.schema.defaultOrder(of: target),
            first: arguments.first.map { resolution.slot(for: String($0)) },
            selection: shape(of: sets, at: inner, in: &resolution))
        return .many(key: first.key, relationship, list)
    }
}
