public import JSON

extension Column {
    /// Checks a value against the column's type, nullability, bounds and format.
    ///
    /// - Throws: the first reason why the value is not accepted; for a list or an object, the problems of all its parts.
    public func check(_ value: JSONValue) throws(ValueError) {
        _ = try normalised(value)
    }

    /// Checks a value, and returns it as Postgres stores it: ``Shape/normalised(_:)``.
    public func normalised(_ value: JSONValue) throws(ValueError) -> JSONValue {
        guard !value.isNull else {
            guard isNullable else { throw .null }
            return .null
        }
        if case .json(let shape) = type { return try value.normalised(as: shape) }
        let text: String
        do throws(ValueError) {
            text = try type.postgresText(of: value)
        } catch {
            throw narrowed(error)
        }
        if let acceptedWords, !acceptedWords.contains(text) { throw .notOneOf(acceptedWords) }
        if type.isText, !isNullable, text.isBlank { throw .blank }
        if type.isNumeric { try checkBounds(text) }
        if let format, !format.accepts(text) { throw .format(message: format.message) }
        return type.value(ofPostgresText: text)
    }

    /// What the type refuses, with what this column accepts of its type.
    private func narrowed(_ error: ValueError) -> ValueError {
        switch error {
        case .outOfRange(let range):
            if let allowedNumbers { return .notOneOfNumbers(allowedNumbers) }
            let least = Swift.max(range.lowerBound, minimum ?? range.lowerBound)
            let greatest = Swift.min(range.upperBound, maximum ?? range.upperBound)
            return least <= greatest ? .outOfRange(least...greatest) : error
        case .notOneOf(let words): return .notOneOf(acceptedWords ?? words)
        default: return error
        }
    }

    private func checkBounds(_ text: String) throws(ValueError) {
        if let allowedNumbers {
            guard let number = Int(text), allowedNumbers.contains(number) else {
                throw .notOneOfNumbers(allowedNumbers)
            }
        }
        guard minimum != nil || maximum != nil, let decimal = DecimalText(text) else { return }
        if let minimum, !decimal.isAtLeast(minimum) { throw range.map(ValueError.outOfRange) ?? .belowMinimum(minimum) }
        if let maximum, !decimal.isAtMost(maximum) { throw range.map(ValueError.outOfRange) ?? .aboveMaximum(maximum) }
    }

    /// Both bounds of a whole number.
    private var range: ClosedRange<Int>? {
        guard let minimum, let maximum, minimum <= maximum, type.isWhole else { return nil }
        return minimum...maximum
    }

    /// What the check constraint of this column refuses.
    var checkViolation: ValueError {
        if let format { return .format(message: format.message) }
        if let file { return .format(message: file.message) }
        if let allowedNumbers { return .notOneOfNumbers(allowedNumbers) }
        if let range { return .outOfRange(range) }
        if let minimum { return .belowMinimum(minimum) }
        if let maximum { return .aboveMaximum(maximum) }
        return switch type {
        case .smallint(let range): .outOfRange(range)
        case .choice(let choices): .notOneOf(acceptedWords ?? choices.words)
        case .text where !isNullable: .blank
        default: .refusedByConstraint(column: name)
        }
    }

    /// Whether a write of this kind accepts a value. A duplicate is a new record.
    func isWritable(for kind: WriteKind) -> Bool {
        switch access {
        case .readWrite, .writeOnly: true
        case .createOnly: kind != .update
        case .readOnly: false
        }
    }
}

extension String {
    /// Whether the text is empty or consists only of characters that do not show: control characters, white space, and what
    /// Unicode calls default ignorable, such as U+00AD SOFT HYPHEN and U+200B ZERO WIDTH SPACE.
    ///
    /// The function `kernel.is_visible` of the migrations names the same characters.
    public var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x01...0x20, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5,
                0x180B...0x180F, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000, 0x3164,
                0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFF8, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
                0xE0000...0xE0FFF:
                true
            default: false
            }
        }
    }
}
