public import JSON

/// The format that a text must have, such as an ISBN or an e-mail address.
///
/// The table enforces the same by a constraint named `<table>_<column>_check`.
///
/// ```swift
/// static let isbn = Format(
///     name: "isbn", message: "Donnez les 13 chiffres de l’ISBN, comme 9782070368228.",
///     pattern: "^[0-9]{13}$", example: "9782070368228"
/// ) { text in
///     text.utf8.count == 13 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
/// }
/// ```
public struct Format: Sendable {
    /// The name in the documentation, such as `isbn`.
    public let name: String
    /// The French message for a text that does not have the format. It contains an example of one that does.
    public let message: String
    /// For documentation: a regular expression of ECMA-262 for the texts that have the format.
    ///
    /// Where the format includes what an expression cannot say, such as a checksum, it matches more texts.
    public let pattern: String?
    /// For documentation: a text that has the format.
    public let example: String?
    /// Whether a text has the format. It runs on every write, so it is fast and does not throw.
    public let accepts: @Sendable (String) -> Bool

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - name: the name in the documentation.
    ///   - message: the French message for a text that does not have it.
    ///   - pattern: a regular expression of ECMA-262.
    ///   - example: a text that has it.
    ///   - accepts: whether a text has it.
    public init(
        name: String, message: String, pattern: String? = nil, example: String? = nil,
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.message = message
        self.pattern = pattern
        self.example = example
        self.accepts = accepts
    }
}

/// A condition on several columns of a record, or on several records.
///
/// The database enforces it by a constraint with the name ``constraint``. A violation that Postgres reports has the same
/// message and path as one that the server finds.
///
/// ```swift
/// Rule(
///     constraint: "loans_returned_after_lent", columns: ["lent", "returned"],
///     message: "Donnez une date de retour après celle du prêt.", ascending: true
/// ) { values in
///     guard let lent = values["lent"]?.text.flatMap({ CalendarDate($0) }),
///         let returned = values["returned"]?.text.flatMap({ CalendarDate($0) })
///     else { return true }
///     return lent < returned
/// }
/// ```
public struct Rule: Sendable {
    /// The name of the constraint, or the name under which a trigger raises the violation.
    public let constraint: String
    /// The columns that the rule concerns. A violation is reported on the last of them that the call gave.
    public let columns: [String]
    /// The French message for a violation: what to do.
    public let message: String
    /// For documentation: whether the rule is that each of ``columns`` is less than the next.
    public let isAscending: Bool
    /// Whether the rule holds for a record's values; nil for a rule that only the database can check, because it
    /// concerns other records.
    ///
    /// It is called only if every column of ``columns`` is given, valid and not null.
    public let holds: (@Sendable (_ values: [String: JSONValue]) -> Bool)?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - constraint: the name of the constraint that enforces it.
    ///   - columns: the columns that it concerns.
    ///   - message: the French message for a violation.
    ///   - isAscending: whether the rule is that each column is less than the next.
    ///   - holds: whether it holds; nil: only the database checks it.
    public init(
        constraint: String, columns: [String], message: String, ascending isAscending: Bool = false,
        holds: (@Sendable ([String: JSONValue]) -> Bool)?
    ) {
        self.constraint = constraint
        self.columns = columns
        self.message = message
        self.isAscending = isAscending
        self.holds = holds
    }
}
