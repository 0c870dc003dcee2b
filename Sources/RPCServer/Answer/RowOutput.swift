/// A piece of memory that rows are written into. What no longer fits is left out and noted: the writer then takes the
/// row back and asks for more room.
struct RowOutput {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// Bytes written.
    private(set) var count = 0
    private(set) var isFull = false

    /// - Parameter memory: not empty.
    init?(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return nil }
        self.start = start
        capacity = memory.count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, let place = take(bytes.count) else { return }
        place.copyMemory(from: source, byteCount: bytes.count)
    }

    mutating func append(_ byte: UInt8) {
        take(1)?.storeBytes(of: byte, as: UInt8.self)
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// `bytes` between quotes.
    mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) {
        guard let place = take(bytes.count + 2) else { return }
        place.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        if let source = bytes.baseAddress { (place + 1).copyMemory(from: source, byteCount: bytes.count) }
        place.storeBytes(of: UInt8(ascii: "\""), toByteOffset: bytes.count + 1, as: UInt8.self)
    }

    /// UTF-8 `bytes` as a JSON string.
    mutating func appendEscaped(_ bytes: UnsafeRawBufferPointer) {
        var end = JSONRun.end(in: bytes, from: 0)
        guard end < bytes.count else { return appendQuoted(bytes) }
        var from = 0
        append(UInt8(ascii: "\""))
        while end < bytes.count {
            append(UnsafeRawBufferPointer(rebasing: bytes[from..<end]))
            appendEscape(of: bytes[end])
            from = end + 1
            end = JSONRun.end(in: bytes, from: from)
        }
        append(UnsafeRawBufferPointer(rebasing: bytes[from...]))
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let low = byte & 0x0F
            append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }

    /// Forgets what was written past `count`.
    mutating func takeBack(to count: Int) {
        self.count = count
    }

    private mutating func take(_ length: Int) -> UnsafeMutableRawPointer? {
        guard length <= capacity - count else {
            isFull = true
            return nil
        }
        defer { count += length }
        return start + count
    }
}
