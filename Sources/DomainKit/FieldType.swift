/// The type of a column or a derived field, as the wire and Postgres both know it.
public enum FieldType: Sendable, Equatable {
    case bigint
    case integer
    /// A small whole number; the range it must lie in.
    case smallint(ClosedRange<Int>)
    /// `numeric(precision, scale)`.
    case decimal(precision: Int, scale: Int)
    /// Text of at most so many characters; nil: any length.
    case text(maxLength: Int?)
    /// One of a few words.
    case choice([String])
    case boolean
    /// `YYYY-MM-DD`.
    case date
    /// `HH:MM:SS`.
    case time
    /// RFC 3339 in UTC.
    case timestamp
    case uuid
    /// JSON as the database keeps it: selected and asked for absence, neither given nor compared.
    case json

    /// Decimals that others are compared with: whatever a column holds, and every number that a program computes with.
    public static let comparedDecimal = FieldType.decimal(precision: 440, scale: 400)

    /// Whether Postgres's text of it stands in JSON without quotes.
    public var isBareInJSON: Bool {
        switch self {
        case .bigint, .integer, .smallint, .decimal, .boolean, .json: true
        case .text, .choice, .date, .time, .timestamp, .uuid: false
        }
    }

    /// Whether its text may hold characters that JSON escapes.
    public var needsEscaping: Bool {
        if case .text = self { true } else { false }
    }

    /// Whether values can be compared and sorted.
    public var isComparable: Bool { self != .json }

    public var isText: Bool {
        switch self {
        case .text, .choice: true
        default: false
        }
    }

    public var isNumeric: Bool {
        switch self {
        case .bigint, .integer, .smallint, .decimal: true
        default: false
        }
    }
}
