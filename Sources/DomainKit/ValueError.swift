/// Why a value is not accepted for a column or a parameter.
///
/// ```swift
/// do throws(ValueError) {
///     try column.check(value)
/// } catch {
///     problems += error.problems(at: "/values/\(column.name)")
/// }
/// ```
public enum ValueError: Error, Sendable, Equatable {
    /// Null, where there must be a value.
    case null
    /// An empty text or one of spaces only, where there must be a text.
    case blank
    /// Another JSON type than the one that is named.
    case wrongType(expected: JSONType)
    /// The character U+0000, which Postgres cannot store.
    case nulCharacter
    /// A whole number outside of the range.
    case outOfRange(ClosedRange<Int>)
    /// A number below the minimum.
    case belowMinimum(Int)
    /// A number above the maximum.
    case aboveMaximum(Int)
    /// A number other than these.
    case notOneOfNumbers([Int])
    /// A number with more digits than JSON may have that is stored as it is given: the number of digits before the
    /// point, and after it.
    case tooManyDigits(Int)
    /// Fewer elements than the number here.
    case tooFewElements(Int)
    /// More elements than the number here.
    case tooManyElements(Int)
    /// A whole number that is less than 1, where a record's `id` is expected.
    case notAnIdentifier
    /// More digits before the point than the number here.
    case tooManyWholeDigits(Int)
    /// More digits after the point than the number here.
    case tooManyDecimals(Int)
    /// More code points than the number here.
    case tooLong(Int)
    /// A word other than these.
    case notOneOf([String])
    /// A text that is not of its type: no such day, no time of day, no instant with an offset, no UUID.
    case malformed(FieldType)
    /// A text without the column's format, which has this message.
    case format(message: String)
    /// A value that a constraint of the database refuses for reasons that the server does not know.
    case refusedByConstraint(column: String)
    /// Problems of parts of the value: of elements of a list, of members of an object. Their paths are JSON Pointers
    /// into the value. There is at least one.
    case parts([Problem])

    /// What JSON calls the type of a value.
    public enum JSONType: Sendable, Equatable {
        case wholeNumber, number, boolean, string, list, object
    }

    /// The problems that this error stands for, of a value at `path`.
    public func problems(at path: String) -> [Problem] {
        guard case .parts(let parts) = self else { return [Problem(self, at: path)] }
        return parts.map { $0.moved(below: path) }
    }

    /// The kind of the problem, for programs.
    public var code: Problem.Code {
        switch self {
        case .null, .blank: .required
        case .wrongType: .type
        case .outOfRange, .belowMinimum, .aboveMaximum, .notOneOfNumbers, .notAnIdentifier, .tooFewElements:
            .outOfRange
        case .tooManyWholeDigits, .tooManyDecimals, .tooManyDigits: .tooManyDigits
        case .tooLong, .tooManyElements: .tooLong
        case .parts(let parts): parts.first?.code ?? .format
        case .nulCharacter, .notOneOf, .malformed, .format, .refusedByConstraint: .format
        }
    }
}
