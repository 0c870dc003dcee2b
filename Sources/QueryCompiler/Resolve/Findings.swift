import DomainKit

/// Where in the params something stands.
enum Site: Sendable {
    /// A JSON Pointer into params.
    case pointer(String)
    /// A place in the text of `select`.
    case selection(Problem.Position)

    /// The member or element `token` of what stands here; places in a text have their own.
    func member(_ token: String) -> Site {
        switch self {
        case .pointer(let path): .pointer(path.appendingPointer(token))
        case .selection: self
        }
    }

    func element(_ index: Int) -> Site {
        switch self {
        case .pointer(let path): .pointer("\(path)/\(index)")
        case .selection: self
        }
    }
}

/// Collects what is wrong with a call, so that all of it is said at once.
struct Findings {
    private(set) var problems: [Problem] = []
    private(set) var exceeded: LimitExceeded?
    private let maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// How much has been found.
    var count: Int { problems.count + (exceeded == nil ? 0 : 1) }

    mutating func add(_ code: Problem.Code, at site: Site, _ message: String, suggestion: String? = nil) {
        switch site {
        case .pointer(let path):
            add(Problem(path: path, code: code, message: message, suggestion: suggestion))
        case .selection(let position):
            let place = "Ligne \(position.line), colonne \(position.column)\u{A0}: "
            add(
                Problem(
                    path: "/select", code: code, message: place + message, suggestion: suggestion, position: position))
        }
    }

    mutating func add(_ problem: Problem) {
        if problems.count < maximum { problems.append(problem) }
    }

    mutating func add(_ more: [Problem]) {
        for problem in more { add(problem) }
    }

    /// Why a text is no selection.
    mutating func add(_ fault: SelectionFault, limits: Limits) {
        switch fault.kind {
        case .syntax: add(.format, at: .selection(fault.position), fault.message)
        case .depth: add(LimitExceeded.depth(limits.selectionDepth, path: nil))
        }
    }

    /// The first limit that is found exceeded is the one that is reported.
    mutating func add(_ limit: LimitExceeded) {
        if exceeded == nil { exceeded = limit }
    }

    /// Problems come first: what is wrong has to be mended before it can be too much.
    func check() throws(PlanRefusal) {
        if !problems.isEmpty { throw .problems(problems) }
        if let exceeded { throw .limit(exceeded) }
    }

    /// What a step of the resolution gave: present unless it noted why not.
    func require<Part>(_ part: Part?) throws(PlanRefusal) -> Part {
        try check()
        guard let part else { throw .problems(problems) }
        return part
    }
}
