import DomainKit

extension Entity {
    var recordSchemaName: String { name }
    var filterSchemaName: String { "\(name)_where" }
    var orderSchemaName: String { "\(name)_order" }

    func valuesSchemaName(for kind: WriteKind) -> String {
        switch kind {
        case .create: "\(name)_create"
        case .update: "\(name)_update"
        case .duplicate: "\(name)_duplicate"
        }
    }

    /// A record as it is answered: what of it is there, and under which keys, `select` decides.
    var recordSchema: Value {
        var properties: [Object.Member] = columns.map { column in
            let schema = column.answeredSchema.adding("description", .string(column.summary))
            return .init(column.name, schema.adding("readOnly", column.access == .readOnly ? true : nil))
        }
        for field in derived {
            let schema = field.isNullable ? JSONSchema.nullable(field.type.answeredSchema) : field.type.answeredSchema
            properties.append(
                .init(
                    field.name,
                    schema.adding("description", .string(field.summary)).adding("readOnly", true)
                        .adding("x-derived", true)))
        }
        for relation in relations { properties.append(.init(relation.name, relation.schema)) }
        let schema: Value = [
            "title": .string(noun.singular), "type": "object", "x-table": true,
            "description": .string(
                "Les champs que select demande, sous les noms qu'il leur donne\u{A0}; sans select, toutes les colonnes."
            ),
        ]
        return schema.adding("properties", .object(Object(properties)))
    }

    /// The object that a write takes in `values`.
    ///
    /// - Parameter further: members it takes besides columns.
    func valuesSchema(for kind: WriteKind, further: [Object.Member] = []) -> Value {
        let properties = writableColumns.map { column in
            Object.Member(column.name, column.givenSchema(referringTo: target(of: column)))
        }
        let required = kind == .create ? columns.filter(\.isRequired).map(\.name) : []
        let schema = JSONSchema.object(properties + further, required: required)
        return schema.adding(
            "description", rules.isEmpty ? nil : .string(rules.map(\.message).joined(separator: " "))
        )
        .adding("x-rules", rules.isEmpty ? nil : .array(rules.map(\.description)))
    }

    /// The entity whose primary keys a column holds.
    private func target(of column: Column) -> String? {
        relations.first { $0.kind == .toOne(column: column.name) }?.target
    }
}

extension Rule {
    /// What no schema can say: the members it is about, how they stand to each other, the sentence of the refusal.
    fileprivate var description: Value {
        let about: Value = ["members": .array(columns.map { .string($0) })]
        return about.adding("order", isAscending ? "ascending" : nil).adding("message", .string(message))
    }
}

extension Relation {
    fileprivate var schema: Value {
        let target = JSONSchema.reference(target)
        let schema: Value =
            switch kind {
            case .toOne: JSONSchema.nullable(target)
            case .toMany: JSONSchema.array(of: target)
            }
        return schema.adding("description", .string(summary)).adding("readOnly", true)
            .adding("x-target", .string(self.target))
    }
}

extension Column {
    fileprivate var answeredSchema: Value {
        let schema = name == "id" ? Self.identifierSchema : type.answeredSchema
        return isNullable ? JSONSchema.nullable(schema) : schema
    }

    /// A primary key.
    static let identifierSchema = FieldType.whole(1...Int(Int64.max))

    /// - Parameter target: the entity whose primary keys it holds.
    func givenSchema(referringTo target: String?) -> Value {
        let schema = target == nil ? shapedSchema : Self.identifierSchema
        return (isNullable ? JSONSchema.nullable(schema) : schema)
            .adding("description", .string(description))
            .adding("examples", format?.example.map { [.string($0)] })
            .adding("x-format", format.map { .string($0.name) })
            .adding("x-references", target.map { .string($0) })
    }

    /// What it means, and what is asked of it that no schema can say.
    private var description: String {
        guard let format else { return summary }
        return "\(summary) \(format.message)"
    }

    private var shapedSchema: Value {
        switch type {
        case .text(let maxLength):
            if let pattern = format?.pattern {
                let schema: Value = ["type": "string"]
                return schema.adding("maxLength", maxLength.map(Value.integer)).adding("pattern", .string(pattern))
            }
            return FieldType.text(isNullable ? Patterns.text : Patterns.visibleText, maxLength: maxLength)
        default:
            guard let minimum, case .object(let object) = type.givenSchema else { return type.givenSchema }
            return .object(
                Object(
                    object.members.map { $0.name == "minimum" ? .init("minimum", .integer(minimum)) : $0 }))
        }
    }
}
