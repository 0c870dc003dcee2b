/// The header `Server-Timing`, which the developer tools of browsers draw.
enum ServerTiming {
    /// The stages of a call and the time from the request to its answer, in milliseconds: of a batch the sums of all calls,
    /// which are executed at the same time.
    static func header(of calls: [CallReport], total: Int64) -> String {
        var text = ""
        for stage in CallReport.Stage.allCases {
            let nanoseconds = calls.reduce(0) { $0 + $1[stage] }
            if nanoseconds > 0 { append(stage.name, nanoseconds, to: &text) }
        }
        append("total", total, to: &text)
        return text
    }

    private static func append(_ name: String, _ nanoseconds: Int64, to text: inout String) {
        let microseconds = max(0, nanoseconds) / 1_000
        let fraction = String(microseconds % 1_000)
        if !text.isEmpty { text += ", " }
        text += "\(name);dur=\(microseconds / 1_000)."
        text += String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
    }
}

extension CallReport.Stage {
    fileprivate var name: String {
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
