/// The type of a column or of a derived field, both in Postgres and on the wire.
///
/// | case | Postgres | JSON |
/// |---|---|---|
/// | `bigint`, `integer`, `smallint` | the type of that name | a number without a fraction |
/// | `decimal` | `numeric(precision, scale)` | a number with its digits as stored: `1200.50` |
/// | `text` | `varchar(n)` or `text` | a string |
/// | `choice` | any text type | one of the strings |
/// | `boolean` | `boolean` | `true` or `false` |
/// | `date` | `date` | `"2026-01-12"` |
/// | `time` | `time` | `"09:30:00"` |
/// | `timestamp` | `timestamptz` | `"2026-01-12T08:30:00+00:00"` |
/// | `uuid` | `uuid` | a string of 36 characters in lower case |
/// | `json` | `jsonb` | the value itself |
public enum FieldType: Sendable, Equatable {
    /// A whole number of 64 bits; the type of `id` and of references.
    case bigint
    /// A whole number of 32 bits.
    case integer
    /// A whole number within a range.
    case smallint(ClosedRange<Int>)
    /// A decimal number of at most `precision` digits, `scale` of them after the point. It is never rounded.
    case decimal(precision: Int, scale: Int)
    /// A text of at most `maxLength` code points; nil: of any length.
    case text(maxLength: Int?)
    /// One of a few words, compared byte for byte.
    case choice(Choices)
    /// True or false.
    case boolean
    /// A day, `YYYY-MM-DD`, from year 0001 to 9999.
    case date
    /// A time of day to the second. A call may write `HH:MM`; a result has `HH:MM:SS`.
    case time
    /// An instant. A call writes RFC 3339 with an offset and up to six decimals; a result is in UTC.
    case timestamp
    /// A UUID. A call may use upper case.
    case uuid
    /// JSON of this shape; nil: any JSON. It can be selected as a whole and tested for null, but not compared.
    ///
    /// A null that a call gives is SQL's null, never JSON's.
    case json(Shape?)

    /// The type of numbers that columns are compared with, wide enough for every column and for every `Double`.
    public static let comparedDecimal = FieldType.decimal(precision: 440, scale: 400)

    /// Whether Postgres's text of a value is JSON as it is, without quotation marks.
    public var isBareInJSON: Bool {
        switch self {
        case .bigint, .integer, .smallint, .decimal, .boolean, .json: true
        case .text, .choice, .date, .time, .timestamp, .uuid: false
        }
    }

    /// Whether Postgres's text of a value may contain characters that JSON escapes.
    public var needsEscaping: Bool {
        if case .text = self { true } else { false }
    }

    /// Whether values can be compared and sorted.
    public var isComparable: Bool {
        if case .json = self { false } else { true }
    }

    /// Whether values are texts: `text` and `choice`.
    public var isText: Bool {
        switch self {
        case .text, .choice: true
        default: false
        }
    }

    /// Whether values are numbers without a fraction.
    public var isWhole: Bool {
        switch self {
        case .bigint, .integer, .smallint: true
        default: false
        }
    }

    /// Whether values are numbers.
    public var isNumeric: Bool {
        switch self {
        case .bigint, .integer, .smallint, .decimal: true
        default: false
        }
    }
}
