extension FieldType {
    /// The text that Postgres reads as exactly this value: nothing is rounded, cut off or guessed.
    ///
    /// - Parameter value: not null; null is the caller's to judge.
    public func postgresText(of value: Value) throws(ValueFault) -> String {
        switch self {
        case .bigint: try readWhole(value, in: Int(Int64.min)...Int(Int64.max))
        case .integer: try readWhole(value, in: Int(Int32.min)...Int(Int32.max))
        case .smallint(let range): try readWhole(value, in: range)
        case .decimal(let precision, let scale): try readDecimal(value, precision: precision, scale: scale)
        case .text(let maxLength): try readText(value, maxLength: maxLength)
        case .choice(let words): try readChoice(value, of: words)
        case .boolean: try readBoolean(value)
        case .date: try readDate(value)
        case .time: try readTime(value)
        case .timestamp: try readTimestamp(value)
        case .uuid: try readUUID(value)
        case .json: throw ValueFault(code: .type, message: "Retirez cette valeur\u{A0}: ce champ se lit seulement.")
        }
    }
}

/// As JSON Schema has it, a number without a fraction is whole however it is written: `1.0` and `1e2` are.
private func readWhole(_ value: Value, in range: ClosedRange<Int>) throws(ValueFault) -> String {
    if case .number(let digits) = value, let number = Int(digits), range.contains(number) { return String(number) }
    guard case .number(let digits) = value, let decimal = DecimalText(digits), decimal.digitsAfterPoint == 0 else {
        throw ValueFault(code: .type, message: "Donnez un nombre entier, sans guillemets ni fraction.")
    }
    guard decimal.digitsBeforePoint <= 19, let number = Int(decimal.plain), range.contains(number) else {
        throw ValueFault(
            code: .outOfRange,
            message: "Donnez un nombre entier compris entre \(range.lowerBound) et \(range.upperBound).")
    }
    return String(number)
}

private func readDecimal(_ value: Value, precision: Int, scale: Int) throws(ValueFault) -> String {
    guard case .number(let digits) = value, let decimal = DecimalText(digits) else {
        throw ValueFault(code: .type, message: "Donnez un nombre JSON, sans guillemets, comme 1200.50.")
    }
    guard decimal.digitsBeforePoint <= precision - scale else {
        throw ValueFault(
            code: .tooManyDigits,
            message: "Donnez un nombre d'au plus \(precision - scale) chiffres avant la virgule.")
    }
    guard decimal.digitsAfterPoint <= scale else {
        throw ValueFault(
            code: .tooManyDigits, message: "Donnez un nombre d'au plus \(scale) chiffres après la virgule.")
    }
    return decimal.plain
}

private func readText(_ value: Value, maxLength: Int?) throws(ValueFault) -> String {
    let text = try plainText(value)
    // Postgres counts code points; a text of few bytes needs no counting.
    if let maxLength, text.utf8.count > maxLength, text.unicodeScalars.count > maxLength {
        throw ValueFault(code: .tooLong, message: "Donnez un texte d'au plus \(maxLength) caractères.")
    }
    return text
}

private func readChoice(_ value: Value, of words: [String]) throws(ValueFault) -> String {
    let text = try plainText(value)
    // Compared by bytes: canonically equivalent texts are different words to Postgres.
    guard words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
        let list = words.map(\.quotedInFrench).joined(separator: " ou ")
        throw ValueFault(code: .format, message: "Donnez \(list).")
    }
    return text
}

private func readBoolean(_ value: Value) throws(ValueFault) -> String {
    guard case .bool(let isTrue) = value else {
        throw ValueFault(code: .type, message: "Donnez true ou false, sans guillemets.")
    }
    return isTrue ? "true" : "false"
}

private func readDate(_ value: Value) throws(ValueFault) -> String {
    let text = try plainText(value)
    guard CalendarDate(text) != nil else {
        throw ValueFault(
            code: .format, message: "Donnez une date qui existe, sous la forme AAAA-MM-JJ, comme 2026-01-12.")
    }
    return text
}

private func readTime(_ value: Value) throws(ValueFault) -> String {
    let text = try plainText(value)
    guard ClockTime(text) != nil else {
        throw ValueFault(
            code: .format, message: "Donnez une heure de 00:00 à 23:59:59, sous la forme HH:MM ou HH:MM:SS.")
    }
    return text.utf8.count == 5 ? text + ":00" : text
}

private func readTimestamp(_ value: Value) throws(ValueFault) -> String {
    let text = try plainText(value)
    guard isRFC3339(text) else {
        throw ValueFault(
            code: .format,
            message: "Donnez un instant avec son décalage horaire, comme 2026-01-12T09:30:00+01:00.")
    }
    return text
}

private func readUUID(_ value: Value) throws(ValueFault) -> String {
    let text = try plainText(value)
    let bytes = Array(text.utf8)
    let isShaped =
        bytes.count == 36
        && bytes.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: bytes[index] == UInt8(ascii: "-")
            default: isHexDigit(bytes[index])
            }
        }
    guard isShaped else {
        throw ValueFault(
            code: .format, message: "Donnez un UUID, comme 3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48.")
    }
    return text.lowercased()
}

/// A JSON string that Postgres can store.
private func plainText(_ value: Value) throws(ValueFault) -> String {
    guard case .string(let text) = value else {
        throw ValueFault(code: .type, message: "Donnez un texte, entre guillemets.")
    }
    guard !text.utf8.contains(0) else {
        throw ValueFault(code: .format, message: "Retirez le caractère nul (U+0000) de ce texte.")
    }
    return text
}

/// `YYYY-MM-DDTHH:MM:SS[.ffffff](Z|±HH:MM)`; Postgres knows offsets of less than 16 hours.
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
