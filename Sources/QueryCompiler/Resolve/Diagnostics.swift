import DomainKit

/// Collects what is wrong with a call, so that all of it is said at once.
struct Diagnostics {
    private(set) var problems: [Problem] = []
    private(set) var limitError: QueryLimitError?
    private let maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Whether nothing more is told, so that there is no use in looking for more.
    var isFull: Bool { problems.count >= maximum }

    /// What `name` was probably meant to be. A call may bring along names by the thousand: those it names first are
    /// compared.
    func nearest(to name: String, among names: @autoclosure () -> some Sequence<String>) -> String? {
        isFull ? nil : names().prefix(200).nearest(to: name)
    }

    /// How much has been found.
    var count: Int { problems.count + (limitError == nil ? 0 : 1) }

    mutating func add(_ code: Problem.Code, at location: SourceLocation, _ message: String, suggestion: String? = nil) {
        guard !isFull else { return }
        guard case .selection(let position) = location else {
            return add(Problem(path: location.path, code: code, message: message, suggestion: suggestion))
        }
        let place = "Ligne \(position.line), colonne \(position.column)\u{A0}: "
        add(
            Problem(
                path: location.path, code: code, message: place + message, suggestion: suggestion, position: position))
    }

    mutating func add(_ problem: Problem) {
        if !isFull { problems.append(problem) }
    }

    mutating func add(_ more: [Problem]) {
        for problem in more { add(problem) }
    }

    /// Why a text is no selection.
    mutating func add(_ fault: SelectionError, limits: Limits) {
        switch fault.kind {
        case .syntax: add(.format, at: .selection(fault.position), fault.message)
        case .depth: add(QueryLimitError.depth(limits.selectionDepth, path: nil))
        }
    }

    /// The first limit that is found exceeded is the one that is reported.
    mutating func add(_ limit: QueryLimitError) {
        if limitError == nil { limitError = limit }
    }

    /// Problems come first: what is wrong has to be mended before it can be too much.
    func check() throws(PlanError) {
        if !problems.isEmpty { throw .problems(problems) }
        if let limitError { throw .limit(limitError) }
    }

    /// What a step of the resolution gave: present unless it noted why not.
    func require<Part>(_ part: Part?) throws(PlanError) -> Part {
        try check()
        guard let part else { throw .problems(problems) }
        return part
    }
}
