import DomainKit
import JSON

/// Collects the problems of one call, so that all of them are reported together.
struct Diagnostics {
    private(set) var problems: [Problem] = []
    private(set) var limitError: QueryLimitError?
    private let maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Whether further problems are left out, so that it is useless to look for them.
    var isFull: Bool { problems.count >= maximum }

    /// The number of problems so far, an exceeded limit included.
    var count: Int { problems.count + (limitError == nil ? 0 : 1) }

    /// The known name that is most similar to `name`. Only the first 200 names are compared, because a call can define
    /// thousands.
    func nearest(to name: String, among names: @autoclosure () -> some Sequence<String>) -> String? {
        isFull ? nil : names().prefix(200).nearest(to: name)
    }

    mutating func add(_ problem: QueryProblem, at location: SourceLocation) {
        guard !isFull else { return }
        var message = problem.message
        var position: TextPosition?
        if case .selection(let selected) = location {
            message = selected.messagePrefix + message
            position = selected
        }
        problems.append(
            Problem(
                path: location.path, code: problem.code, message: message, suggestion: problem.suggestion,
                position: position))
    }

    mutating func add(_ more: [Problem]) {
        for problem in more where !isFull { problems.append(problem) }
    }

    mutating func add(_ error: SelectionError, limits: CallLimits) {
        if error.reason == .selectionTooDeep {
            add(QueryLimitError(excess: .depth, max: limits.selectionDepth, path: nil))
        } else {
            add(.syntax(error), at: .selection(error.position))
        }
    }

    /// Only the first exceeded limit is reported.
    mutating func add(_ error: QueryLimitError) {
        if limitError == nil { limitError = error }
    }

    /// Throws what has been collected. Problems take precedence over an exceeded limit: only valid params can be too
    /// expensive.
    func check() throws(PlanError) {
        if !problems.isEmpty { throw .problems(problems) }
        if let limitError { throw .limit(limitError) }
    }

    /// The result of a step that returns nil only after it has added a problem.
    func require<Part>(_ part: Part?) throws(PlanError) -> Part {
        try check()
        guard let part else { throw .problems(problems) }
        return part
    }
}
