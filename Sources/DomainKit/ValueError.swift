/// Why a value is not accepted for a column or a parameter.
///
/// ```swift
/// do throws(ValueError) {
///     try column.check(value)
/// } catch {
///     problems.append(Problem(error, at: "/values/\(column.name)"))
/// }
/// ```
public enum ValueError: Error, Sendable, Equatable {
    /// Null, where there must be a value.
    case null
    /// An empty text or one of spaces only, where there must be a text.
    case blank
    /// A value for a field that only the database writes.
    case notWritable
    /// Another JSON type than the one that is named.
    case wrongType(expected: JSONType)
    /// The character U+0000, which Postgres cannot store.
    case nulCharacter
    /// A whole number outside of the range.
    case outOfRange(ClosedRange<Int>)
    /// A number below the minimum.
    case belowMinimum(Int)
    /// A whole number that is less than 1, where a record's `id` is expected.
    case notAnIdentifier
    /// More digits before the point than the number here.
    case tooManyWholeDigits(Int)
    /// More digits after the point than the number here.
    case tooManyDecimals(Int)
    /// More code points than the number here.
    case tooLong(Int)
    /// None of these words.
    case notOneOf([String])
    /// A text that is not of its type: no such day, no time of day, no instant with an offset, no UUID.
    case malformed(FieldType)
    /// A text without the column's format, which has this message.
    case format(message: String)
    /// A value that a constraint of the database refuses for reasons that the server does not know.
    case refusedByConstraint(column: String)

    /// What JSON calls the type of a value.
    public enum JSONType: Sendable, Equatable {
        case wholeNumber, number, boolean, string
    }

    /// The kind of the problem, for programs.
    public var code: Problem.Code {
        switch self {
        case .null, .blank: .required
        case .notWritable, .wrongType: .type
        case .outOfRange, .belowMinimum, .notAnIdentifier: .outOfRange
        case .tooManyWholeDigits, .tooManyDecimals: .tooManyDigits
        case .tooLong: .tooLong
        case .nulCharacter, .notOneOf, .malformed, .format, .refusedByConstraint: .format
        }
    }
}
