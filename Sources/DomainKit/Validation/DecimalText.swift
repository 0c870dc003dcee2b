/// A JSON number as its digits and the position of its point. The number is not computed, so that `1e400` costs no more
/// than `1`.
struct DecimalText {
    let isNegative: Bool
    /// The significant digits, without zeros at either end; empty for zero.
    private let digits: ArraySlice<UInt8>
    /// The number of digits before the decimal point. Negative: the number of zeros between the point and the digits.
    private let pointPosition: Int

    /// The limit of exponents: far more than the digits of any column, and far from overflow.
    private static let exponentLimit = 1_000_000

    /// Reads a number of JSON's grammar; nil for anything else.
    init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }

        let whole = Self.takeDigits(&bytes)
        guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else { return nil }
        var all = Array(whole)
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            let fraction = Self.takeDigits(&bytes)
            guard !fraction.isEmpty else { return nil }
            all += fraction
        }
        guard let exponent = Self.takeExponent(&bytes), bytes.isEmpty else { return nil }

        let leadingZeros = all.prefix { $0 == UInt8(ascii: "0") }.count
        var significant = all[leadingZeros...]
        while significant.last == UInt8(ascii: "0") { significant.removeLast() }
        digits = significant
        pointPosition = significant.isEmpty ? 0 : whole.count - leadingZeros + exponent
    }

    var isZero: Bool { digits.isEmpty }
    var digitsBeforePoint: Int { max(0, pointPosition) }
    var digitsAfterPoint: Int { max(0, digits.count - pointPosition) }

    /// The number without an exponent. The caller has checked the counts of digits: the text has as many.
    var plain: String {
        guard !isZero else { return "0" }
        var text = isNegative ? "-" : ""
        if pointPosition <= 0 {
            text += "0." + String(repeating: "0", count: -pointPosition) + String(decoding: digits, as: UTF8.self)
        } else if pointPosition >= digits.count {
            text += String(decoding: digits, as: UTF8.self)
            text += String(repeating: "0", count: pointPosition - digits.count)
        } else {
            let point = digits.startIndex + pointPosition
            text += String(decoding: digits[..<point], as: UTF8.self) + "."
            text += String(decoding: digits[point...], as: UTF8.self)
        }
        return text
    }

    /// Whether the number is at least `minimum`. The caller has checked the counts of digits, as for ``plain``.
    func isAtLeast(_ minimum: Int) -> Bool {
        let whole = plain.prefix { $0 != "." }
        guard let truncated = Int(whole) else { return !isNegative }
        let floor = isNegative && digitsAfterPoint > 0 ? truncated - 1 : truncated
        return floor >= minimum
    }

    /// Whether the number is at most `maximum`. The caller has checked the counts of digits, as for ``plain``.
    func isAtMost(_ maximum: Int) -> Bool {
        let whole = plain.prefix { $0 != "." }
        guard let truncated = Int(whole) else { return isNegative }
        return truncated < maximum || truncated == maximum && (isNegative || digitsAfterPoint == 0)
    }

    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        bytes = bytes[digits.endIndex...]
        return digits
    }

    /// The exponent: 0 if there is none, nil if it is malformed, at most about ten times `exponentLimit`.
    private static func takeExponent(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let mark = bytes.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return 0 }
        bytes.removeFirst()
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        let digits = takeDigits(&bytes)
        guard !digits.isEmpty else { return nil }
        var exponent = 0
        for digit in digits where exponent < exponentLimit {
            exponent = exponent * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return isNegative ? -exponent : exponent
    }
}
