import Synchronization

/// Gives requests ids: one random prefix per process, then a counter.
final class RequestID: Sendable {
    private let prefix: String
    private let counter = Atomic<UInt64>(0)

    init() {
        prefix = String(UInt64.random(in: 0..<2_176_782_336), radix: 36) + "-"
    }

    /// Mostly short enough to be stored without an allocation.
    func next() -> String {
        prefix + String(counter.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36)
    }

    /// Whether a client's id may go into headers, JSON and logs as it is.
    static func isSane(_ id: String) -> Bool {
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
