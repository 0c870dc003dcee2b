/// The shape that a given text must have.
///
/// The database enforces the same as the constraint `<table>_<column>_check`.
public struct Format: Sendable {
    /// The name used in documentation, such as `siret`.
    public let name: String
    /// The French sentence for a text that does not have it, with an example of one that does.
    public let message: String
    /// For documentation: a regular expression of ECMA-262 that matches every text it accepts, and no other as far as
    /// one can say so (check sums it cannot).
    public let pattern: String?
    /// For documentation: a text it accepts.
    public let example: String?
    public let accepts: @Sendable (String) -> Bool

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

/// A rule between several columns of one record.
public struct Rule: Sendable {
    /// The database's constraint that enforces the same.
    public let constraint: String
    /// The columns it speaks of; a breach is reported on the last of them that was given.
    public let columns: [String]
    /// The French sentence for a breach.
    public let message: String
    /// For documentation: whether the rule is that the values of ``columns`` ascend, none equal to the next.
    public let isAscending: Bool
    /// Whether the rule holds; called only when every one of its columns has a valid value that is not null. Nil for a
    /// rule that other records have a part in: the database alone can judge it.
    public let holds: (@Sendable (_ values: [String: Value]) -> Bool)?

    public init(
        constraint: String, columns: [String], message: String, ascending isAscending: Bool = false,
        holds: (@Sendable ([String: Value]) -> Bool)?
    ) {
        self.isAscending = isAscending
        self.constraint = constraint
        self.columns = columns
        self.message = message
        self.holds = holds
    }
}
