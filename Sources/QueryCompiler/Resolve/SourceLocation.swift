import DomainKit

/// Where in the params something stands. Every value that is looked at has one; it is written out for those alone that
/// something is wrong with, since a list may have a hundred thousand elements and a name may be as long as a body.
indirect enum SourceLocation: Sendable {
    /// A JSON Pointer into params.
    case pointer(String)
    case member(of: SourceLocation, String)
    case element(of: SourceLocation, Int)
    /// A place in the text of `select`.
    case selection(Problem.Position)

    /// The member `token` of what stands here; places in a text have their own.
    func member(_ token: String) -> SourceLocation {
        if case .selection = self { self } else { .member(of: self, token) }
    }

    func element(_ index: Int) -> SourceLocation {
        if case .selection = self { self } else { .element(of: self, index) }
    }

    /// The JSON Pointer of what stands here.
    var path: String {
        switch self {
        case .pointer(let path): path
        case .member(let location, let token): location.path.appendingPointer(token)
        case .element(let location, let index): "\(location.path)/\(index)"
        case .selection: "/select"
        }
    }
}
