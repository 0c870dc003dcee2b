import JSON

/// What `doctor` found out about one thing that the server needs.
struct Finding: Sendable {
    enum State: String, Sendable {
        case ok
        /// It cannot be examined from here.
        case unknown
        case fault
    }

    let name: String
    let state: State
    /// What is the case, or what is wrong.
    let detail: String
    /// What to do about a fault, or what would be better.
    let remedy: String?

    /// - Parameter advice: what would be better, where not everybody can do it.
    static func ok(_ name: String, _ detail: String, advice: String? = nil) -> Finding {
        Finding(name: name, state: .ok, detail: detail, remedy: advice)
    }

    static func unknown(_ name: String, _ detail: String) -> Finding {
        Finding(name: name, state: .unknown, detail: detail, remedy: nil)
    }

    static func fault(_ name: String, _ detail: String, remedy: String) -> Finding {
        Finding(name: name, state: .fault, detail: detail, remedy: remedy)
    }

    var text: String {
        let line = "\(state.rawValue.padding(toWidth: 8)) \(name.padding(toWidth: 12)) \(detail)"
        return remedy.map { "\(line)\n\("".padding(toWidth: 21)) → \($0)" } ?? line
    }

    var json: JSONValue {
        [
            "name": .string(name), "state": .string(state.rawValue), "detail": .string(detail),
            "remedy": remedy.map { .string($0) } ?? .null,
        ]
    }
}
