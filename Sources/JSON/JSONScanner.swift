/// One pass over a text's bytes. Lives no longer than the bytes it was given.
struct JSONScanner {
    /// Past this many the text is hopeless anyway, and listing them all would cost more than reading it.
    private static let duplicatesKept = 20

    private let bytes: UnsafeRawBufferPointer
    private let maxDepth: Int
    private var index = 0
    private var duplicates: [String] = []
    /// Where strings with escapes are put together; kept for the next one.
    private var scratch: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer, maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
    }

    mutating func document() throws(JSONError) -> JSONDocument {
        let value = try value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw .syntax(offset: index) }
        return JSONDocument(value: value, duplicates: duplicates)
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = peek() else { throw .syntax(offset: index) }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        default: throw .syntax(offset: index)
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= maxDepth else { throw .depth(offset: index) }
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            let known = duplicates.count
            elements.append(try value(depth: depth))
            if known < duplicates.count { prefixDuplicates(from: known, with: String(elements.count - 1)) }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw .syntax(offset: index) }
            return .array(elements)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= maxDepth else { throw .depth(offset: index) }
        index += 1
        var members: [JSONObject.Member] = []
        var names = JSONNames()
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
        members.reserveCapacity(4)
        while true {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw .syntax(offset: index) }
            let name = Self.bounded(try string())
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .syntax(offset: index) }
            let known = duplicates.count
            let value = try value(depth: depth)
            if known < duplicates.count { prefixDuplicates(from: known, with: name) }
            if names.insert(name, among: members) {
                members.append(JSONObject.Member(name, value))
            } else if duplicates.count < Self.duplicatesKept {
                duplicates.append("".appendingPointer(name))
            }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw .syntax(offset: index) }
            return .object(JSONObject(members))
        }
    }

    /// A name longer than any that is known is cut: to compare texts Swift puts their combining marks in order, which
    /// takes time that grows with the square of how many there are.
    private static func bounded(_ name: String) -> String {
        name.utf8.count <= 512 ? name : String(name.unicodeScalars.prefix(64)) + "…"
    }

    private mutating func prefixDuplicates(from known: Int, with token: String) {
        let prefix = "".appendingPointer(token)
        for position in known..<duplicates.count { duplicates[position] = prefix + duplicates[position] }
    }

    private mutating func literal(_ word: StaticString) throws(JSONError) {
        let matches = word.withUTF8Buffer { letters in
            index + letters.count <= bytes.count
                && bytes[index..<index + letters.count].elementsEqual(letters)
        }
        guard matches else { throw .syntax(offset: index) }
        index += word.utf8CodeUnitCount
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<index]).assumingMemoryBound(to: UInt8.self),
            as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while let byte = peek(), byte &- UInt8(ascii: "0") < 10 { index += 1 }
        guard start < index else { throw .syntax(offset: index) }
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        index = JSONRun.end(in: bytes, from: index)
        if peek() == UInt8(ascii: "\"") {
            guard let text = Self.text(UnsafeRawBufferPointer(rebasing: bytes[start..<index])) else {
                throw .syntax(offset: start)
            }
            index += 1
            return text
        }
        return try stringWithEscapes(from: start)
    }

    /// Nil when it is not UTF-8. Plain ASCII skips the generic validation, which costs several times as much as making
    /// the string.
    private static func text(_ run: UnsafeRawBufferPointer) -> String? {
        let bytes = run.assumingMemoryBound(to: UInt8.self)
        if JSONRun.isASCII(run) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        scratch.removeAll(keepingCapacity: true)
        var runStart = start
        while true {
            scratch.append(contentsOf: bytes[runStart..<index])
            switch peek() {
            case UInt8(ascii: "\\"): try escape()
            case UInt8(ascii: "\""):
                guard let text = String(validating: scratch, as: UTF8.self) else { throw .syntax(offset: start) }
                index += 1
                return text
            default: throw .syntax(offset: index)
            }
            runStart = index
            index = JSONRun.end(in: bytes, from: index)
        }
    }

    private mutating func escape() throws(JSONError) {
        index += 1
        let offset = index
        guard let letter = peek() else { throw .syntax(offset: offset) }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = Unicode.Scalar(try codePoint()) else { throw .syntax(offset: offset) }
            scratch.append(contentsOf: UTF8.encode(scalar)!)
        default: throw .syntax(offset: offset)
        }
    }

    /// The code point that `\u` stands for; a surrogate without its other half is returned as it is.
    private mutating func codePoint() throws(JSONError) -> UInt32 {
        let unit = try fourHexDigits()
        guard (0xD800...0xDBFF).contains(unit), take(UInt8(ascii: "\\")) else { return unit }
        guard take(UInt8(ascii: "u")) else { throw .syntax(offset: index) }
        let low = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(low) else { throw .syntax(offset: index) }
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        guard index + 4 <= bytes.count else { throw .syntax(offset: bytes.count) }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            let digit = Self.hexValue(bytes[index])
            guard digit < 16 else { throw .syntax(offset: index) }
            unit = unit << 4 | digit
            index += 1
        }
        return unit
    }

    /// 16 for what is no hexadecimal digit.
    private static func hexValue(_ byte: UInt8) -> UInt32 {
        let number = byte &- UInt8(ascii: "0")
        if number < 10 { return UInt32(number) }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? UInt32(letter) + 10 : 16
    }

    // MARK: Bytes

    private func peek() -> UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): index += 1
            default: return
            }
        }
    }
}

/// The names an object has so far: few are compared one by one, many are hashed.
struct JSONNames {
    private static let few = 16
    private var hashed: Set<String> = []

    /// False when `name` is there already. `members` are those inserted so far.
    mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.few { return !members.contains { $0.name == name } }
        if hashed.isEmpty { hashed = Set(members.lazy.map(\.name)) }
        return hashed.insert(name).inserted
    }
}
