// What the formats are made of: ASCII classes, the same that the constraints of the migrations spell out.
extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
    var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    var isLetterOrDigit: Bool { isLetter || isDigit }
    /// 0 to 9 of an ASCII digit.
    var digitValue: Int { Int(self) - Int(UInt8(ascii: "0")) }
}

extension Unicode.Scalar {
    /// The spaces people type or paste between groups of digits: plain, no-break and narrow no-break.
    var isGroupingSpace: Bool { self == " " || self == "\u{A0}" || self == "\u{202F}" }
    var isDigit: Bool { ("0"..."9").contains(self) }
}
