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
public struct Format: Sendable, Equatable {
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
    /// Whether the server itself knows a text that has the format, where the database alone is certain: a name of a long list. One that
    /// it does not know is a problem beside other problems; without them, the database decides.
    public let isKnown: @Sendable (String) -> Bool

    /// Whether two formats have the same description. Their functions cannot be compared.
    public static func == (one: Format, other: Format) -> Bool {
        (one.name, one.message, one.pattern, one.example) == (other.name, other.message, other.pattern, other.example)
    }

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - name: the name in the documentation.
    ///   - message: the French message for a text that does not have it.
    ///   - pattern: a regular expression of ECMA-262.
    ///   - example: a text that has it.
    ///   - isKnown: whether the server itself knows a text that has it.
    ///   - accepts: whether a text has it.
    public init(
        name: String, message: String, pattern: String? = nil, example: String? = nil,
        isKnown: @escaping @Sendable (String) -> Bool = { _ in true },
        accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.message = message
        self.pattern = pattern
        self.example = example
        self.isKnown = isKnown
        self.accepts = accepts
    }
}

/// A condition on several columns of a record, or on several records.
///
/// The database enforces it by a constraint with the name ``constraint``, or a function or a trigger refuses the write
/// with `kernel.refuse` and this name. A violation that Postgres reports has the same message and path as one that the
/// server finds.
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
///
/// A rule about the state of the data, rather than about what the call gives, is answered with 409. SQL may add facts:
///
/// ```swift
/// // PERFORM kernel.refuse('loans_copies', jsonb_build_object('left', 0));
/// // → 409, data: {"code": "conflict", "reason": "copies", "left": 0, …}
/// Rule(
///     constraint: "loans_copies", columns: ["book_id"], message: "Tous les exemplaires sont prêtés.",
///     effect: .conflict(reason: "copies", facts: [Column("left", .integer, nullable: false, summary: "Restants.")]),
///     holds: nil)
/// ```
public struct Rule: Sendable {
    /// How a call that violates a rule is answered.
    public enum Effect: Sendable, Equatable {
        /// With −32602, as other problems of values are: the rule depends on what the call gives.
        case invalid
        /// With 409 and this `reason`: the rule depends on the present state of the data. `facts` describes the further
        /// members of `data` for the documentation; the members are those of the object that SQL gives. Times in it are in
        /// UTC, the time zone of the server's connections.
        case conflict(reason: String, facts: [Column] = [])
        /// With 403: the rule depends on who calls. The object that SQL gives has the further members of `data`.
        case forbidden
    }

    /// The name of the constraint or unique index, or the name under which a function or a trigger refuses the write.
    public let constraint: String
    /// The columns that the rule concerns; for a command or a view, its parameters. A violation is reported on the last of them
    /// that the call gave.
    public let columns: [String]
    /// The French message for a violation: what to do.
    public let message: String
    /// How a violation is answered.
    public let effect: Effect
    /// For documentation: whether the rule is that each of ``columns`` is less than the next, or at most equal to it.
    public let isAscending: Bool
    /// Whether the rule holds for a record's values; nil for a rule that only the database can check, because it
    /// concerns other records.
    ///
    /// It is called only if every column of ``columns`` is given, valid and not null, and ``effect`` is
    /// ``Effect/invalid``: what the other effects depend on, only the database can see.
    public let holds: (@Sendable (_ values: [String: JSONValue]) -> Bool)?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - constraint: the name of the constraint that enforces it.
    ///   - columns: the columns that it concerns, or the parameters of a command or view.
    ///   - message: the French message for a violation.
    ///   - effect: how a violation is answered.
    ///   - isAscending: whether the rule is that each column is less than the next, or at most equal to it.
    ///   - holds: whether it holds; nil: only the database checks it.
    public init(
        constraint: String, columns: [String], message: String, effect: Effect = .invalid,
        ascending isAscending: Bool = false,
        holds: (@Sendable ([String: JSONValue]) -> Bool)?
    ) {
        self.constraint = constraint
        self.columns = columns
        self.message = message
        self.effect = effect
        self.isAscending = isAscending
        self.holds = holds
    }
}
