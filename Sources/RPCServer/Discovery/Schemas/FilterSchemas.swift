import DomainKit
import QueryCompiler

extension Entity {
    /// `where` over this entity: fields, relations, `and`, `or` and `not`, each by its own type.
    func filterSchema(_ limits: Limits) -> Value {
        let own = JSONSchema.reference(filterSchemaName)
        var properties: [Object.Member] = [
            .init("and", JSONSchema.array(of: own)), .init("or", JSONSchema.array(of: own)), .init("not", own),
        ]
        for column in columns { properties.append(.init(column.name, column.type.conditionReference(limits))) }
        for field in derived { properties.append(.init(field.name, field.type.conditionReference(limits))) }
        for relation in relations {
            let target = JSONSchema.reference("\(relation.target)_where")
            switch relation.kind {
            case .toOne: properties.append(.init(relation.name, JSONSchema.nullable(target)))
            case .toMany:
                properties.append(
                    .init(relation.name, JSONSchema.object([.init("some", target), .init("none", target)])))
            }
        }
        return JSONSchema.object(properties)
    }

    /// `order_by` over this entity: its fields and those of the records it refers to, `-` before for descending.
    ///
    func orderSchema(_ limits: Limits, entities: [String: Entity]) -> Value {
        let paths = fieldPaths(depth: limits.selectionDepth, entities: entities).map(\.name)
        return JSONSchema.order(
            by: paths, atMost: limits.orderKeys, "Chaque champ une fois, dans un sens ou dans l'autre.")
    }

    /// Its fields and those of the records it refers to. Of relations that lead back to an entity on their path only
    /// the first round is listed.
    func fieldPaths(
        depth: Int, entities: [String: Entity], passed: Set<String> = []
    ) -> [(name: String, type: FieldType)] {
        var paths = columns.map { (name: $0.name, type: $0.type) } + derived.map { (name: $0.name, type: $0.type) }
        paths.removeAll { !$0.type.isComparable }
        guard depth > 0, !passed.contains(name) else { return paths }
        for relation in relations {
            guard case .toOne = relation.kind, let target = entities[relation.target] else { continue }
            let further = target.fieldPaths(depth: depth - 1, entities: entities, passed: passed.union([name]))
            paths += further.map { (name: "\(relation.name).\($0.name)", type: $0.type) }
        }
        return paths
    }
}

extension FieldType {
    /// The types whose conditions stand in `components.schemas`; those of other types stand where they are used.
    static let sharedConditions: [(name: String, type: FieldType)] = [
        ("condition_bigint", .bigint), ("condition_integer", .integer),
        ("condition_decimal", .comparedDecimal), ("condition_text", .text(maxLength: nil)),
        ("condition_boolean", .boolean), ("condition_date", .date), ("condition_time", .time),
        ("condition_timestamp", .timestamp), ("condition_uuid", .uuid),
    ]

    fileprivate func conditionReference(_ limits: Limits) -> Value {
        let compared: FieldType =
            switch self {
            case .text: .text(maxLength: nil)
            case .decimal: .comparedDecimal
            default: self
            }
        guard let shared = Self.sharedConditions.first(where: { $0.type == compared }) else {
            return conditionSchema(limits)
        }
        return JSONSchema.reference(shared.name)
    }

    /// A bare value, null, or an object of operators.
    func conditionSchema(_ limits: Limits) -> Value {
        guard isComparable else {
            let absence: Value = ["type": "boolean"]
            return [
                "anyOf": [
                    JSONSchema.null,
                    JSONSchema.object([
                        .init("eq", JSONSchema.null), .init("ne", JSONSchema.null), .init("is_null", absence),
                    ]),
                ]
            ]
        }
        let nullable = JSONSchema.nullable(comparedSchema)
        var operators: [Object.Member] = [.init("eq", nullable), .init("ne", nullable)]
        if self != .boolean {
            for name in ["lt", "lte", "gt", "gte"] { operators.append(.init(name, orderedSchema)) }
        }
        for name in ["in", "nin"] { operators.append(.init(name, JSONSchema.array(of: nullable))) }
        if isText {
            for name in ["like", "ilike"] {
                operators.append(.init(name, Self.text(Patterns.likePattern, maxLength: limits.searchLength)))
            }
        }
        operators.append(.init("is_null", ["type": "boolean"]))
        return ["anyOf": [nullable, JSONSchema.object(operators)]]
    }

    /// What may be compared with a field of this type.
    private var comparedSchema: Value {
        guard case .decimal(let precision, let scale) = self else { return givenSchema }
        // So many digits are beyond what validators compute with: the bounds alone.
        let bound = "1e\(precision - scale)"
        return ["type": "number", "exclusiveMinimum": .number("-" + bound), "exclusiveMaximum": .number(bound)]
    }

    private var orderedSchema: Value {
        if case .smallint = self { return Self.whole(Int(Int16.min)...Int(Int16.max)) }
        return comparedSchema
    }
}
