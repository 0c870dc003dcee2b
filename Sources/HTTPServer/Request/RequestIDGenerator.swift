import Synchronization

/// Generates request ids: a random prefix per process and a counter.
final class RequestIDGenerator: Sendable {
    private let prefix: [UInt8]
    private let counter = Atomic<UInt64>(0)

    init() {
        prefix = Array((String(UInt64.random(in: 0..<2_176_782_336), radix: 36) + "-").utf8)
    }

    /// Usually at most 15 bytes, which a `String` stores without an allocation.
    func next() -> String {
        var rest = counter.wrappingAdd(1, ordering: .relaxed).newValue
        var digits = InlineArray<13, UInt8>(repeating: 0)
        var first = 13
        repeat {
            let digit = UInt8(rest % 36)
            first -= 1
            digits[first] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest /= 36
        } while rest > 0
        return String(unsafeUninitializedCapacity: prefix.count + 13 - first) { memory in
            for (index, byte) in prefix.enumerated() { memory[index] = byte }
            for index in first..<13 { memory[prefix.count + index - first] = digits[index] }
            return prefix.count + 13 - first
        }
    }

    /// Whether a client's id may stand in headers, JSON and logs without escaping.
    static func isValid(_ id: String) -> Bool {
        guard (1...128).contains(id.utf8.count) else { return false }
        return id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
