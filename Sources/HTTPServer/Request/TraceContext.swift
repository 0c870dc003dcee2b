/// The part of a trace that this server works on, by the recommendation Trace Context of the W3C.
package struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits, which all parts of the trace have in common.
    package let traceID: String
    /// 16 hexadecimal digits.
    package let spanID: String
    private let flags: UInt8

    /// Whether the caller records the trace, and whether its id is random. Further flags have no meaning yet.
    private static let knownFlags: UInt8 = 0b11
    private static let lastVersion: UInt8 = 0xFE

    /// Reads the header `traceparent`. Later versions may append to what version 00 has.
    ///
    /// - Returns: nil if it is invalid; it is then to be ignored.
    package init?(_ header: String) {
        let bytes = Array(header.utf8)
        guard bytes.count >= 55, let version = Self.byte(bytes[0..<2]), version <= Self.lastVersion,
            bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-"),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), let flags = Self.byte(bytes[53..<55]),
            Self.isID(bytes[3..<35]), Self.isID(bytes[36..<52])
        else { return nil }
        traceID = String(decoding: bytes[3..<35], as: UTF8.self)
        spanID = String(decoding: bytes[36..<52], as: UTF8.self)
        self.flags = flags & Self.knownFlags
    }

    private init(traceID: String, spanID: String, flags: UInt8) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// The server's own part of the trace in which it was called.
    func child() -> TraceContext {
        let digits = String(UInt64.random(in: 1...(.max)), radix: 16)
        let spanID = String(repeating: "0", count: 16 - digits.utf8.count) + digits
        return TraceContext(traceID: traceID, spanID: spanID, flags: flags)
    }

    /// The value of `traceparent` for those that this part of the trace calls.
    package var header: String { "00-\(traceID)-\(spanID)-0\(flags)" }

    private static func isID(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { digit($0) != nil } && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard let first = digits.first.flatMap(digit), let last = digits.last.flatMap(digit) else { return nil }
        return first << 4 | last
    }

    /// The recommendation has lower-case letters only.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
