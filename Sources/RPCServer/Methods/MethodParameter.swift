package import DomainKit
package import JSON
package import QueryCompiler

/// A parameter as a method lists it: for the check of names and values, and for the description of the service.
package protocol DeclaredParameter: Sendable {
    var name: String { get }
    /// A French phrase that says what the parameter is for.
    var summary: String { get }
    var isRequired: Bool { get }
    /// The value in the example of the method; nil if the example omits the parameter.
    var example: JSONValue? { get }
    /// The entity of the records that the parameter selects or names.
    var entity: Entity? { get }
    /// The errors that a method with this parameter may end in.
    var errors: Set<ErrorKind> { get }
    /// `params` without the secrets that this parameter takes.
    func withoutSecrets(_ params: JSONObject) -> JSONObject
    /// The JSON Schema of the values that the parameter accepts, as far as a schema can express it.
    func schema(_ limits: CallLimits) -> JSONValue
    /// Checks the value of this parameter in `object` and adds its problems to `problems`.
    ///
    /// - Parameter path: the JSON Pointer of `object` in the params of the call.
    func decode(from object: JSONObject, at path: String, _ problems: inout [Problem]) -> DecodedParameter
}

/// The outcome of decoding one parameter.
package enum DecodedParameter: Sendable {
    /// A ``MethodParameter/Decoded`` of the declaration.
    case value(any Sendable)
    /// The value has problems.
    case invalid
    /// The query compiler reads the value from the params.
    case raw
}

/// A parameter that is declared once. The declaration checks, decodes and documents the value:
///
///     let email = MethodParameter("email", .text, summary: "L'adresse du compte.")
///     let name = MethodParameter(optional: "username", .text, summary: "Son nom.")
///
///     Method(…, parameters: [email, name]) { params, call in
///         params[email]  // a String
///         params[name]   // a String?
///     }
///
/// The type argument says whether the parameter is required. An optional parameter may be missing or null, and then is
/// nil or its default.
package struct MethodParameter<Output: Sendable>: DeclaredParameter {
    package let name: String
    package let summary: String
    package let isRequired: Bool
    package private(set) var example: JSONValue?
    package let entity: Entity?
    package let errors: Set<ErrorKind>
    private let isSecret: Bool
    private let schema: JSONValue
    private let decode: @Sendable (JSONValue, String, inout [Problem]) -> Output?
    /// The value of a parameter that is missing or null; nil if the parameter is required.
    private let absent: Output?

    /// The decoded value. A type of its own, because a dynamic cast to an optional type ignores levels of optionality.
    struct Decoded: Sendable {
        let output: Output
    }

    /// A required parameter.
    package init(_ name: String, _ type: ParameterType<Output>, summary: String) {
        self.init(
            name, type, summary: summary, schema: type.schema, example: type.example, absent: nil, decode: type.decode)
    }

    /// A parameter that may be missing or null.
    package init<Wrapped>(optional name: String, _ type: ParameterType<Wrapped>, summary: String)
    where Output == Wrapped? {
        self.init(
            name, type, summary: summary, schema: JSONSchema.nullable(type.schema), example: nil, absent: .some(nil)
        ) { value, path, problems in
            type.decode(value, path, &problems).map { .some($0) }
        }
    }

    private init<Input>(
        _ name: String, _ type: ParameterType<Input>, summary: String, schema: JSONValue, example: JSONValue?,
        absent: Output?, decode: @escaping @Sendable (JSONValue, String, inout [Problem]) -> Output?
    ) {
        self.name = name
        self.summary = summary
        self.schema = schema
        self.example = example
        self.absent = absent
        self.decode = decode
        isRequired = absent == nil
        entity = type.entity
        errors = type.errors
        isSecret = type.isSecret
    }

    /// This parameter with another value in the example of the method.
    package func showing(_ example: JSONValue) -> Self {
        var parameter = self
        parameter.example = example
        return parameter
    }

    package func schema(_ limits: CallLimits) -> JSONValue { schema }

    package func withoutSecrets(_ params: JSONObject) -> JSONObject {
        isSecret ? JSONObject(params.members.filter { $0.name != name }) : params
    }

    package func decode(from object: JSONObject, at path: String, _ problems: inout [Problem]) -> DecodedParameter {
        let value = object[name]
        let path = path.appendingPointer(name)
        if let absent, value?.isNull ?? true { return .value(Decoded(output: absent)) }
        guard let value else {
            problems.append(ParameterProblem.missing(name).problem(at: path))
            return .invalid
        }
        return decode(value, path, &problems).map { .value(Decoded(output: $0)) } ?? .invalid
    }
}

extension MethodParameter<String> {
    /// A parameter that is `defaultValue` if it is missing or null.
    package init(_ name: String, _ type: ParameterType<String>, default defaultValue: String, summary: String) {
        let schema = JSONSchema.nullable(type.schema).adding("default", .string(defaultValue))
        self.init(
            name, type, summary: summary, schema: schema, example: .string(defaultValue), absent: defaultValue,
            decode: type.decode)
    }
}

extension MethodParameter<JSONValue> {
    /// A parameter that a domain declares. If it is not required and is missing or null, it has the default of the column,
    /// or else is null.
    ///
    /// - Parameters:
    ///   - example: of a required parameter; nil: the column's.
    ///   - hour: of the time in the example.
    ///   - isVerified: whether the value must meet conditions that its schema cannot express.
    package init(_ column: Column, example: JSONValue? = nil, hour: Int = 9, isVerified: Bool = false) {
        let type = ParameterType.value(of: column, exampleHour: hour)
        let schema = type.schema.adding("x-verified", isVerified ? true : nil)
        // `JSONValue` is ExpressibleByNilLiteral: a plain `nil` would mean `.null` here, and the parameter would be optional.
        let absent = column.isRequired ? Optional<JSONValue>.none : column.defaultValue ?? .null
        self.init(
            column.name, type, summary: column.summary, schema: schema,
            example: column.isRequired ? example ?? type.example : column.defaultValue,
            absent: absent, decode: type.decode)
    }
}

extension MethodParameter<Bool> {
    /// A parameter that is `defaultValue` if it is missing or null.
    package init(_ name: String, _ type: ParameterType<Bool>, default defaultValue: Bool, summary: String) {
        let schema = JSONSchema.nullable(type.schema).adding("default", .bool(defaultValue))
        self.init(
            name, type, summary: summary, schema: schema, example: nil, absent: defaultValue, decode: type.decode)
    }
}
