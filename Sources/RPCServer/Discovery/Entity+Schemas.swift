import DomainKit
package import JSON
import QueryCompiler

extension Entity {
    package var recordSchemaName: String { name }
    var filterSchemaName: String { "\(name)_where" }
    var orderSchemaName: String { "\(name)_order" }

    func valuesSchemaName(for kind: WriteKind) -> String {
        switch kind {
        case .create: "\(name)_create"
        case .update: "\(name)_update"
        case .duplicate: "\(name)_duplicate"
        }
    }

    /// A record in a result. The parameter `select` decides which of the members it has, and their names.
    package var recordSchema: JSONValue {
        var properties: [JSONObject.Member] = readableColumns.map { column in
            let schema = (column.name == Column.id.name ? Column.identifierSchema : column.answeredSchema)
                .adding("x-label", column.label.map { .string($0) })
                .adding("description", .string(column.summary))
            return .init(
                column.name,
                schema.adding("readOnly", column.access == .readOnly ? true : nil)
                    .adding("x-create-only", column.access == .createOnly ? true : nil))
        }
        for field in derived {
            let schema = field.isNullable ? JSONSchema.nullable(field.type.answeredSchema) : field.type.answeredSchema
            properties.append(
                .init(
                    field.name,
                    schema.adding("x-label", field.label.map { .string($0) })
                        .adding("description", .string(field.summary)).adding("readOnly", true)
                        .adding("x-derived", true)))
        }
        for relation in relations { properties.append(.init(relation.name, relation.schema)) }
        let schema: JSONValue = [
            "title": .string(noun.singular), "type": "object", "x-table": true,
            "description": .string(
                "Les champs que select demande, sous les noms qu’il leur donne\u{202F}; sans select, toutes les colonnes."
            ),
        ]
        return schema.adding("properties", .object(JSONObject(properties)))
    }

    /// The object that a write accepts as `values`.
    ///
    /// - Parameter further: the members that it accepts besides columns.
    func valuesSchema(for kind: WriteKind, further: [JSONObject.Member] = []) -> JSONValue {
        let properties = writableColumns(for: kind).map { column in
            JSONObject.Member(
                column.name,
                column.givenSchema(referringTo: target(of: column))
                    .adding("writeOnly", column.access == .writeOnly ? true : nil))
        }
        let required = kind == .create ? columns.filter(\.isRequired).map(\.name) : []
        let schema = JSONSchema.object(properties + further, required: required)
        return schema.adding(
            "description", rules.isEmpty ? nil : .string(rules.map(\.message).joined(separator: " "))
        )
        .adding("x-rules", rules.isEmpty ? nil : .array(rules.map(\.description)))
    }

    /// The name of the entity that a column refers to.
    private func target(of column: Column) -> String? {
        relations.first { $0.kind == .toOne(column: column.name) }?.target
    }
}

extension Rule {
    /// A rule between members, which a schema cannot express: the members, their order, and the message of its error.
    var description: JSONValue {
        let about: JSONValue = ["members": .array(columns.map { .string($0) })]
        return about.adding("order", isAscending ? "ascending" : nil).adding("message", .string(message))
    }
}

extension Relation {
    fileprivate var schema: JSONValue {
        let target = JSONSchema.reference(target)
        let schema: JSONValue =
            switch kind {
            case .toOne: JSONSchema.nullable(target)
            case .toMany: JSONSchema.array(of: target)
            }
        return schema.adding("x-label", label.map { .string($0) })
            .adding("description", .string(summary)).adding("readOnly", true)
            .adding("x-target", .string(self.target))
    }
}

// MARK: Filters and orders

extension Entity {
    /// The schema of `where`: fields, relations, `and`, `or` and `not`.
    func filterSchema(_ limits: CallLimits) -> JSONValue {
        let own = JSONSchema.reference(filterSchemaName)
        var properties: [JSONObject.Member] = [
            .init("and", JSONSchema.array(of: own)), .init("or", JSONSchema.array(of: own)), .init("not", own),
        ]
        for column in readableColumns { properties.append(.init(column.name, column.type.conditionReference(limits))) }
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

    /// The schema of `order_by`: the fields of this entity and of the records it refers to.
    func orderSchema(_ limits: CallLimits, entities: [String: Entity]) -> JSONValue {
        let paths = fieldPaths(depth: limits.selectionDepth, entities: entities).map(\.name)
        return JSONSchema.order(
            by: paths, atMost: limits.orderKeys, "Chaque champ une fois, dans un sens ou dans l’autre.")
    }

    /// The fields of this entity and of the records it refers to. A relation back to an entity on the same path is not
    /// followed a second time.
    func fieldPaths(
        depth: Int, entities: [String: Entity], passed: Set<String> = []
    ) -> [(name: String, type: FieldType)] {
        var paths = readableColumns.map { (name: $0.name, type: $0.type) }
        paths += derived.map { (name: $0.name, type: $0.type) }
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

// MARK: Groups

extension Entity {
    var groupSchemaName: String { "\(name)_groups" }
    var groupOrderSchemaName: String { "\(name)_groups_order" }

    /// The schema of `group_by`: fields of this entity and of the records it refers to, and periods of dates.
    func groupSchema(_ limits: CallLimits, entities: [String: Entity]) -> JSONValue {
        JSONSchema.array(of: JSONSchema.words(groupKeys(limits.selectionDepth, entities)))
            .adding("uniqueItems", true).adding("maxItems", .integer(limits.orderKeys))
    }

    /// The schema of an aggregate's `order_by`: keys of `group_by`, `count` and functions of fields. A schema cannot
    /// express that a key must be in `group_by`.
    func groupOrderSchema(_ limits: CallLimits, entities: [String: Entity]) -> JSONValue {
        let fields = readableColumns.map { ($0.name, $0.type) } + derived.map { ($0.name, $0.type) }
        let numbers = fields.flatMap { name, type in AggregateKeywords.functions(of: type).map { "\($0).\(name)" } }
        let words = ["count"] + numbers + groupKeys(limits.selectionDepth, entities)
        return JSONSchema.order(
            by: words, atMost: limits.orderKeys,
            "Les clés doivent être dans group_by. Chacune une fois, dans un sens ou dans l’autre."
        )
        .adding("x-keys-of", "group_by")
    }

    private func groupKeys(_ depth: Int, _ entities: [String: Entity]) -> [String] {
        fieldPaths(depth: depth, entities: entities).flatMap { path, type in
            [path] + (type == .date ? AggregateKeywords.periods.map { "\($0)(\(path))" } : [])
        }
    }
}
