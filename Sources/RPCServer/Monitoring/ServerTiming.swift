/// The header `Server-Timing`, which the developer tools of browsers draw.
enum ServerTiming {
    /// The stages of a call and the time from the request to its answer, in milliseconds: of a batch the sums of all calls,
    /// which are executed at the same time.
    static func header(of calls: [CallReport], total: Int64) -> String {
        // Of bytes, because each administrator's call has this header, and a String costs several times as much.
        var text: [UInt8] = []
        text.reserveCapacity(192)
        for stage in CallReport.Stage.allCases {
            let nanoseconds = calls.reduce(0) { $0 + $1[stage] }
            if nanoseconds > 0 { append(stage.name, nanoseconds, to: &text) }
        }
        append("total", total, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ name: StaticString, _ nanoseconds: Int64, to text: inout [UInt8]) {
        let microseconds = UInt64(max(0, nanoseconds)) / 1_000
        if !text.isEmpty { append(", ", to: &text) }
        append(name, to: &text)
        append(";dur=", to: &text)
        appendDigits(of: microseconds / 1_000, atLeast: 1, to: &text)
        append(".", to: &text)
        appendDigits(of: microseconds % 1_000, atLeast: 3, to: &text)
    }

    private static func append(_ ascii: StaticString, to text: inout [UInt8]) {
        ascii.withUTF8Buffer { text.append(contentsOf: $0) }
    }

    private static func appendDigits(of number: UInt64, atLeast count: Int, to text: inout [UInt8]) {
        if count > 1 || number >= 10 { appendDigits(of: number / 10, atLeast: count - 1, to: &text) }
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

extension CallReport.Stage {
    fileprivate var name: StaticString {
        switch self {
        case .decode: "decode"
        case .authenticate: "authenticate"
        case .authorise: "authorise"
        case .plan: "plan"
        case .execute: "execute"
        case .write: "write"
        }
    }
}
