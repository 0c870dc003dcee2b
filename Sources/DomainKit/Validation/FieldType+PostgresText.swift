public import JSON

extension FieldType {
    /// The text that Postgres reads as exactly this value. No value is rounded, truncated or converted from another type.
    /// That of JSON is normalised: ``Shape/normalised(_:)``.
    ///
    /// ```swift
    /// try FieldType.decimal(precision: 10, scale: 2).postgresText(of: .number("12e1"))  // "120"
    /// try FieldType.boolean.postgresText(of: "true")                                    // throws .wrongType(.boolean)
    /// ```
    /// - Parameter value: any value but null, which the caller checks.
    public func postgresText(of value: JSONValue) throws(ValueError) -> String {
        switch self {
        case .bigint: try readWholeNumber(value, in: Int(Int64.min)...Int(Int64.max))
        case .integer: try readWholeNumber(value, in: Int(Int32.min)...Int(Int32.max))
        case .smallint(let range): try readWholeNumber(value, in: range)
        case .decimal(let precision, let scale): try readDecimal(value, precision: precision, scale: scale)
        case .text(let maxLength): try readText(value, maxLength: maxLength)
        case .choice(let choices): try readChoice(value, of: choices.words)
        case .boolean: try readBoolean(value)
        case .date: try readDate(value)
        case .time: try readTime(value)
        case .timestamp: try readTimestamp(value)
        case .uuid: try readUUID(value)
        case .json(let shape): try value.normalised(as: shape).jsonText
        }
    }

    /// The value that ``postgresText(of:)`` has this text for; `text` is a result of it.
    func value(ofPostgresText text: String) -> JSONValue {
        switch self {
        case .bigint, .integer, .smallint, .decimal: .number(text)
        case .boolean: .bool(text == "true")
        case .text, .choice, .date, .time, .timestamp, .uuid, .json: .string(text)
        }
    }
}

/// The primary key of a record: a whole number from 1 to 2⁶³ − 1.
public enum RecordID {
    /// The text that Postgres reads as exactly this key.
    ///
    /// - Throws: ``ValueError`` for a value that no record can have as its key.
    public static func text(of value: JSONValue) throws(ValueError) -> String {
        let text = try readWholeNumber(value, in: Int(Int64.min)...Int(Int64.max), described: 1...Int(Int64.max))
        guard !text.hasPrefix("-"), text != "0" else { throw .notAnIdentifier }
        return text
    }
}

/// A number without a fraction is whole however it is written, as in JSON Schema: `1.0` and `1e2` are.
///
/// - Parameter described: the range that an error names, if it is a narrower one.
private func readWholeNumber(
    _ value: JSONValue, in range: ClosedRange<Int>, described: ClosedRange<Int>? = nil
) throws(ValueError) -> String {
    if case .number(let digits) = value, let number = Int(digits), range.contains(number) { return String(number) }
    guard case .number(let digits) = value, let decimal = DecimalText(digits), decimal.digitsAfterPoint == 0 else {
        throw .wrongType(expected: .wholeNumber)
    }
    guard decimal.digitsBeforePoint <= 19, let number = Int(decimal.plain), range.contains(number) else {
        throw .outOfRange(described ?? range)
    }
    return String(number)
}

private func readDecimal(_ value: JSONValue, precision: Int, scale: Int) throws(ValueError) -> String {
    guard case .number(let digits) = value, let decimal = DecimalText(digits) else {
        throw .wrongType(expected: .number)
    }
    guard decimal.digitsBeforePoint <= precision - scale else { throw .tooManyWholeDigits(precision - scale) }
    guard decimal.digitsAfterPoint <= scale else { throw .tooManyDecimals(scale) }
    return decimal.plain
}

private func readText(_ value: JSONValue, maxLength: Int?) throws(ValueError) -> String {
    let text = try storableText(value)
    // Postgres counts code points. A text has at most as many of them as bytes, so a short one needs no counting.
    if let maxLength, text.utf8.count > maxLength, text.unicodeScalars.count > maxLength { throw .tooLong(maxLength) }
    return text
}

private func readChoice(_ value: JSONValue, of words: [String]) throws(ValueError) -> String {
    let text = try storableText(value)
    // Compared by bytes: canonically equivalent texts are different words to Postgres.
    guard words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else { throw .notOneOf(words) }
    return text
}

private func readBoolean(_ value: JSONValue) throws(ValueError) -> String {
    guard case .bool(let isTrue) = value else { throw .wrongType(expected: .boolean) }
    return isTrue ? "true" : "false"
}

private func readDate(_ value: JSONValue) throws(ValueError) -> String {
    let text = try storableText(value)
    guard CalendarDate(text) != nil else { throw .malformed(.date) }
    return text
}

private func readTime(_ value: JSONValue) throws(ValueError) -> String {
    let text = try storableText(value)
    guard ClockTime(text) != nil else { throw .malformed(.time) }
    return text.utf8.count == 5 ? text + ":00" : text
}

private func readTimestamp(_ value: JSONValue) throws(ValueError) -> String {
    let text = try storableText(value)
    guard isRFC3339(text) else { throw .malformed(.timestamp) }
    return text
}

private func readUUID(_ value: JSONValue) throws(ValueError) -> String {
    let text = try storableText(value)
    let bytes = Array(text.utf8)
    let isUUID =
        bytes.count == 36
        && bytes.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: bytes[index] == UInt8(ascii: "-")
            default: isHexDigit(bytes[index])
            }
        }
    guard isUUID else { throw .malformed(.uuid) }
    return text.lowercased()
}

/// A JSON string that Postgres can store: one without U+0000.
private func storableText(_ value: JSONValue) throws(ValueError) -> String {
    guard case .string(let text) = value else { throw .wrongType(expected: .string) }
    guard !text.utf8.contains(0) else { throw .nulCharacter }
    return text
}

/// Whether a text is `YYYY-MM-DDTHH:MM:SS[.ffffff](Z|±HH:MM)` with an offset of less than 16 hours, Postgres's limit.
private func isRFC3339(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count >= 20, CalendarDate(text.prefix(10)) != nil else { return false }
    var rest = DigitScanner(text.dropFirst(10))
    guard rest.take("T", "t"), let hour = rest.number(2), hour < 24, rest.take(":"), let minute = rest.number(2),
        minute < 60, rest.take(":"), let second = rest.number(2), second < 60
    else { return false }
    if rest.take(".") {
        guard (1...6).contains(rest.skipDigits()) else { return false }
    }
    if rest.take("Z", "z") { return rest.isAtEnd }
    guard rest.take("+", "-"), let hours = rest.number(2), hours < 16, rest.take(":"), let minutes = rest.number(2),
        minutes < 60
    else { return false }
    return rest.isAtEnd
}

private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

private func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
}
