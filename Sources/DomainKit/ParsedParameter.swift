public import JSON

/// A parameter of a command that Swift turns into what the function takes: the text of a QR code into the numbers that it
/// has, a vCard into a name and an address.
///
/// The step is pure and runs before the database is asked. The parameter's column says what a call may give, and ``type`` what
/// the function takes in its place.
///
/// ```swift
/// // bookshop.receive(copy bigint), called with {"label": "COPY-0012"}
/// ParsedParameter("label", as: .bigint, message: "Donnez le texte d’une étiquette, comme COPY-0012.") { label in
///     guard let text = label.text, text.hasPrefix("COPY-"), let number = Int(text.dropFirst(5)) else { return nil }
///     return .integer(number)
/// }
/// ```
public struct ParsedParameter: Sendable {
    /// The name of the parameter.
    public let name: String
    /// The type that the function takes in the place of the column's.
    public let type: FieldType
    /// The French message for a value that cannot be parsed.
    public let message: String
    /// From a value that the column accepts to a value of ``type``; nil: it cannot be parsed. Null is not parsed.
    public let parse: @Sendable (_ value: JSONValue) -> JSONValue?

    /// Creates the step.
    ///
    /// - Parameters:
    ///   - name: the name of the parameter.
    ///   - type: the type that the function takes.
    ///   - message: the message for a value that cannot be parsed, which is answered with −32602 and the code `format`.
    ///   - parse: from a value to the argument of the function.
    public init(
        _ name: String, as type: FieldType, message: String, parse: @escaping @Sendable (JSONValue) -> JSONValue?
    ) {
        self.name = name
        self.type = type
        self.message = message
        self.parse = parse
    }
}

extension Command {
    /// The step for the parameter of this name; nil if the function takes it as it is.
    public func parsing(of parameter: String) -> ParsedParameter? { parsed.first { $0.name == parameter } }

    /// The types of the function's arguments, in its order.
    public var argumentTypes: [FieldType] { parameters.map { parsing(of: $0.name)?.type ?? $0.type } }
}
