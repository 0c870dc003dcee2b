import Auth
package import DomainKit
package import JSON
import QueryCompiler

/// The type of a parameter's value: how a JSON value of it is checked, decoded and documented.
package struct ParameterType<Output: Sendable>: Sendable {
    /// The JSON Schema of the values. It allows null only if the type accepts null.
    package let schema: JSONValue
    package let example: JSONValue?
    var entity: Entity?
    /// The errors that a value of this type may lead to.
    var errors: Set<ErrorKind> = []
    /// Whether the value is a password or a token.
    package var isSecret = false
    /// Returns nil and adds at least one problem if the value is wrong. The text is the JSON Pointer of the value.
    package let decode: @Sendable (JSONValue, String, inout [Problem]) -> Output?

    package init(
        schema: JSONValue, example: JSONValue? = nil,
        decode: @escaping @Sendable (JSONValue, String, inout [Problem]) -> Output?
    ) {
        self.schema = schema
        self.example = example
        self.decode = decode
    }

    /// A type with at most one problem per value.
    package init(
        schema: JSONValue, example: JSONValue? = nil,
        decode: @escaping @Sendable (JSONValue) throws(ValueError) -> Output
    ) {
        self.init(schema: schema, example: example) { value, path, problems in
            do throws(ValueError) {
                return try decode(value)
            } catch {
                problems += error.problems(at: path)
                return nil
            }
        }
    }
}

// MARK: Texts

extension ParameterType<String> {
    /// A value of a column type, decoded to the text that Postgres has for it.
    package static func field(_ type: FieldType, example: JSONValue? = nil) -> Self {
        Self(schema: type.givenSchema, example: example) { (value) throws(ValueError) in
            try type.postgresText(of: value)
        }
    }

    /// Any text that Postgres can store.
    package static var text: Self { .field(.text(maxLength: nil)) }

    /// The e-mail address of an account. Its form is not checked: it is only compared.
    package static var accountEmail: Self { .field(.text(maxLength: nil), example: "compte@exemple.fr") }

    package static var uuid: Self {
        var type = Self.field(.uuid, example: .string(FieldType.exampleUUID))
        type.errors = [.notFound]
        return type
    }

    /// One of `words`.
    package static func choice(_ words: [String]) -> Self {
        let type = FieldType.choice(Choices(words))
        return Self(schema: type.givenSchema, example: words.first.map { .string($0) }) { value, path, problems in
            do throws(ValueError) {
                return try type.postgresText(of: value)
            } catch {
                let suggestion = value.text.flatMap(words.nearest)
                problems.append(
                    Problem(path: path, code: error.code, message: error.message, suggestion: suggestion))
                return nil
            }
        }
    }

    /// A value that `column` accepts. Null is decoded to an empty text.
    package static func column(_ column: Column) -> Self {
        Self(schema: column.givenSchema(referringTo: nil), example: column.example(hour: 9)) {
            (value) throws(ValueError) in
            try column.check(value)
            return value.isNull ? "" : try column.type.postgresText(of: value)
        }
    }

    /// The primary key of a record that no entity declares, decoded to its digits.
    package static var identifier: Self {
        var type = Self(schema: Column.identifierSchema, example: 1) { (value) throws(ValueError) in
            try RecordID.text(of: value)
        }
        type.errors = [.notFound]
        return type
    }

    /// The primary key of a record, decoded to its digits.
    package static func recordID(of entity: Entity) -> Self {
        var type = Self(schema: Column.identifierSchema, example: 1) { (value) throws(ValueError) in
            try RecordID.text(of: value)
        }
        type.entity = entity
        type.errors = [.notFound]
        return type
    }
}

// MARK: Columns

extension ParameterType<JSONValue> {
    /// A value that `column` accepts, as Postgres stores it.
    package static func value(of column: Column, exampleHour hour: Int = 9) -> Self {
        Self(schema: column.parameterSchema, example: column.defaultValue ?? column.example(hour: hour)) {
            value, path, problems in
            do throws(ValueError) {
                return try column.normalised(value)
            } catch {
                if case .notOneOf(let words) = error, let suggestion = value.text.flatMap(words.nearest) {
                    problems.append(Problem(error, at: path, suggestion: suggestion))
                } else {
                    problems += error.problems(at: path)
                }
                return nil
            }
        }
    }
}

// MARK: Secrets

extension ParameterType<String> {
    /// A password or a token. Neither logs nor examples contain it.
    package static var secret: Self {
        // The service compares it with a stored one, which a schema cannot express.
        let schema = FieldType.text(maxLength: nil).givenSchema.adding("x-verified", true)
        var type = Self(schema: schema, example: concealed) { (value) throws(ValueError) in
            try FieldType.text(maxLength: nil).postgresText(of: value)
        }
        type.isSecret = true
        return type
    }

    /// The example of a secret.
    package static var concealed: JSONValue { "••••••••••••" }
}

// MARK: Other values

extension ParameterType {
    /// A type with values that depend on facts that a schema cannot express.
    package static func verified(_ type: Self) -> Self {
        Self(schema: type.schema.adding("x-verified", true), example: type.example, decode: type.decode)
    }
}

extension ParameterType<Bool> {
    package static var flag: Self {
        Self(schema: FieldType.boolean.givenSchema) { (value) throws(ValueError) in
            try FieldType.boolean.postgresText(of: value) == "true"
        }
    }
}

extension ParameterType {
    /// A list of at most `max` elements.
    package static func list<Element>(of element: ParameterType<Element>, max: Int) -> Self where Output == [Element] {
        Self(
            schema: JSONSchema.array(of: element.schema).adding("maxItems", .integer(max)),
            example: element.example.map { [$0] }
        ) { value, path, problems in
            guard case .array(let elements) = value else {
                problems.append(ParameterProblem.notAList.problem(at: path))
                return nil
            }
            guard elements.count <= max else {
                problems.append(ParameterProblem.tooManyElements(max: max).problem(at: path))
                return nil
            }
            let decoded = elements.enumerated().map { index, value in
                element.decode(value, path.appendingPointer(String(index)), &problems)
            }
            return decoded.contains { $0 == nil } ? nil : decoded.compactMap(\.self)
        }
    }

    /// An object with these members and no others, which `make` decodes once every member is valid.
    package static func object(
        _ members: [any DeclaredParameter], _ make: @escaping @Sendable (Params) -> Output
    ) -> Self {
        object(members, isOpen: false, make)
    }

    /// An object with these members, and perhaps others, which are ignored.
    package static func openObject(
        _ members: [any DeclaredParameter], _ make: @escaping @Sendable (Params) -> Output
    ) -> Self {
        object(members, isOpen: true, make)
    }

    private static func object(
        _ members: [any DeclaredParameter], isOpen: Bool, _ make: @escaping @Sendable (Params) -> Output
    ) -> Self {
        let closed = JSONSchema.object(
            members.map { .init($0.name, $0.schema(CallLimits()).adding("description", .string($0.summary))) },
            required: members.filter(\.isRequired).map(\.name))
        let schema = isOpen ? JSONSchema.open(closed) : closed
        let example = JSONValue.object(
            JSONObject(members.compactMap { member in member.example.map { .init(member.name, $0) } }))
        return Self(schema: schema, example: example) { value, path, problems in
            guard case .object(let object) = value else {
                problems.append(ParameterProblem.notAnObject.problem(at: path))
                return nil
            }
            let (known, others) = Params.declaredMembers(of: object, members, at: path)
            let misnamed = isOpen ? [] : others
            let params = Params(known, members, at: path)
            problems += misnamed + params.problems
            return misnamed.isEmpty && params.problems.isEmpty ? make(params) : nil
        }
    }
}
