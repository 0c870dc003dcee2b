/// The text format of COPY: tabs between values, `\N` for null, backslashes before what would mean something.
enum CopyValueDecoder {
    static func value(_ field: ArraySlice<UInt8>) -> String? {
        let backslash = UInt8(ascii: "\\")
        if field.elementsEqual([backslash, UInt8(ascii: "N")]) { return nil }
        guard field.contains(backslash) else { return String(decoding: field, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == backslash, let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "b"): bytes.append(8)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "v"): bytes.append(11)
            case UInt8(ascii: "f"): bytes.append(12)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var code = Int(next - UInt8(ascii: "0"))
                for _ in 0..<2 {
                    guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { break }
                    code = code * 8 + Int(digit - UInt8(ascii: "0"))
                    rest.removeFirst()
                }
                bytes.append(UInt8(truncatingIfNeeded: code))
            default: bytes.append(next)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
