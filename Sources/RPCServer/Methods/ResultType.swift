package import DomainKit
package import JSON

/// What a method answers, for the description of the service. Each method, and each capability, makes its own.
package struct ResultType: Sendable {
    /// A French name.
    let name: String
    /// The JSON Schema of the result.
    let schema: JSONValue
    let example: JSONValue
    /// The errors that follow from the type of the result.
    let errors: Set<ErrorKind>
    /// The schemas that ``schema`` refers to and that no entity has.
    let components: [JSONObject.Member]

    package init(
        _ name: String, schema: JSONValue, example: JSONValue,
        errors: Set<ErrorKind> = [.rateLimited, .unavailable, .timeout], components: [JSONObject.Member] = []
    ) {
        self.name = name
        self.schema = schema
        self.example = example
        self.errors = errors
        self.components = components
    }
}

// MARK: Records

extension ResultType {
    package static func record(_ entity: Entity) -> Self {
        Self(
            entity.noun.singular, schema: JSONSchema.reference(entity.recordSchemaName),
            example: entity.exampleAnswer)
    }

    /// All records of this entity that a command answers.
    package static func records(_ entity: Entity) -> Self {
        Self(
            entity.noun.plural, schema: list(of: JSONSchema.reference(entity.recordSchemaName)),
            example: ["items": [entity.exampleAnswer]])
    }

    package static func page(_ entity: Entity) -> Self {
        Self(
            "page",
            schema: JSONSchema.object(
                [
                    .init("items", JSONSchema.array(of: JSONSchema.reference(entity.recordSchemaName))),
                    .init("end_cursor", JSONSchema.nullable(["type": "string"])),
                    .init("has_next_page", ["type": "boolean"]),
                    .init("total", ["type": "integer", "minimum": 0]),
                ], required: ["items", "end_cursor", "has_next_page"]),
            example: ["items": [entity.exampleAnswer], "end_cursor": "WyIxIl0", "has_next_page": true])
    }

    /// Aggregates over groups of records of this entity.
    package static func groups(_ entity: Entity) -> Self {
        let group: JSONValue = [
            "type": "object",
            "description": "Les clés de group_by sous leur propre nom, puis ce que select demande.",
        ]
        return Self(
            "groupes",
            schema: JSONSchema.object(
                [.init("items", JSONSchema.array(of: group)), .init("has_next_page", ["type": "boolean"])],
                required: ["items", "has_next_page"]),
            example: ["items": [entity.exampleGroupAnswer], "has_next_page": false])
    }

    /// The primary key of a deleted record.
    package static let deletion = Self(
        "suppression",
        schema: JSONSchema.object(
            [.init("id", Column.identifierSchema), .init("deleted", ["const": true])], required: ["id", "deleted"]),
        example: ["id": 1, "deleted": true])
}

// MARK: Values

extension ResultType {
    /// `{"items": […]}`, with elements of this schema.
    package static func items(_ name: String, _ element: JSONValue, example: JSONValue) -> Self {
        Self(name, schema: list(of: element), example: ["items": [example]])
    }

    /// JSON of this shape.
    package static func value(_ shape: Shape) -> Self {
        Self("réponse", schema: shape.answeredSchema, example: shape.example)
    }

    /// An object of texts.
    package static func texts(_ members: [LoadedMethod.Member]) -> Self {
        let always = members.filter(\.isAlways)
        return Self(
            "textes",
            schema: JSONSchema.object(
                members.map { .init($0.name, ["type": "string", "description": .string($0.summary)]) },
                required: always.map(\.name)),
            example: .object(JSONObject(always.map { .init($0.name, .string($0.summary)) })))
    }

    /// An object with members that depend on the params.
    package static let object = Self("réponse", schema: ["type": "object"], example: [:])

    /// An object without members.
    package static let empty = Self("vide", schema: JSONSchema.object([]), example: [:])

    private static func list(of element: JSONValue) -> JSONValue {
        JSONSchema.object([.init("items", JSONSchema.array(of: element))], required: ["items"])
    }
}
