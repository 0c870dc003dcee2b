import DomainKit
package import JSON
package import QueryCompiler

extension QueryParameter {
    /// The schema of what the query compiler accepts.
    package func schema(_ limits: CallLimits) -> JSONValue {
        switch kind {
        case .identifier:
            Column.identifierSchema
        case .filter(let entity):
            JSONSchema.nullable(JSONSchema.reference(entity.filterSchemaName))
                .adding(
                    "description",
                    .string(
                        "Au plus \(limits.conditions) comparaisons par appel, à travers \(limits.filterRelations)"
                            + " relations en tout, dont \(limits.selectionDepth) l’une dans l’autre."))
        case .search:
            [
                "type": ["string", "null"], "maxLength": .integer(limits.searchLength),
                "allOf": [
                    ["pattern": .string(Patterns.whole(Patterns.text))],
                    ["pattern": .string(Patterns.whole(Patterns.words(atMost: limits.searchWords)))],
                ],
                "description": .string(
                    "Au plus \(limits.searchWords) mots et \(limits.searchLength) caractères."),
            ]
        case .order(let entity):
            JSONSchema.nullable(JSONSchema.reference(entity.orderSchemaName)).adding("default", entity.defaultTerms)
        case .first:
            JSONSchema.nullable(FieldType.whole(1...limits.maxFirst)).adding("default", .integer(limits.defaultFirst))
        case .cursor: JSONSchema.nullable(FieldType.text(Patterns.base64URL)).adding("x-from", "end_cursor")
        case .count, .near: JSONSchema.nullable(["type": "boolean"]).adding("default", false)
        case .selection(let entity):
            [
                "type": ["string", "null"], "pattern": .string(Patterns.selection),
                "description": .string(
                    "Un jeu de champs comme en GraphQL, \(limits.selectionDepth) relations de profondeur au plus."),
                "x-selection-of": .string(entity.recordSchemaName),
            ]
        case .groups(let entity): JSONSchema.nullable(JSONSchema.reference(entity.groupSchemaName))
        case .aggregates(let entity):
            [
                "type": "string", "pattern": .string(Patterns.selection),
                "description": .string(
                    "count, et \(AggregateKeywords.functions.joined(separator: ", ")) d’un jeu de champs,"
                        + " avec des alias comme en GraphQL."),
                "x-aggregates-of": .string(entity.recordSchemaName),
            ]
        case .groupOrder(let entity): JSONSchema.nullable(JSONSchema.reference(entity.groupOrderSchemaName))
        case .variables:
            [
                "type": ["object", "null"],
                "description": "Une valeur par variable de select, ni plus ni moins.", "x-variables-of": "select",
            ]
        case .values(let entity, let kind): JSONSchema.reference(entity.valuesSchemaName(for: kind))
        case .version: FieldType.integer.givenSchema
        }
    }
}

extension DeclaredParameter {
    /// The schema of a member of an object. Unlike a parameter, it has no other place for its summary.
    func memberSchema(_ limits: CallLimits) -> JSONValue {
        schema(limits).adding("description", .string(summary)).adding("writeOnly", true)
    }
}

extension Entity {
    fileprivate var defaultTerms: JSONValue {
        .array(defaultOrder.map { .string(($0.isDescending ? "-" : "") + $0.path) })
    }
}
