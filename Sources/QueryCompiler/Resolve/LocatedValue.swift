import DomainKit
import JSON

/// A location in the params, to report problems at. It is written out as a JSON Pointer only for a problem: a list can
/// have a hundred thousand elements, and a name can be as long as the request.
indirect enum SourceLocation: Sendable {
    /// A JSON Pointer into params.
    case pointer(String)
    case member(of: SourceLocation, String)
    case element(of: SourceLocation, Int)
    /// A position in the text of `select`.
    case selection(TextPosition)

    /// The location of a member. Values in a `select` text have positions of their own.
    func member(_ name: String) -> SourceLocation {
        if case .selection = self { self } else { .member(of: self, name) }
    }

    func element(_ index: Int) -> SourceLocation {
        if case .selection = self { self } else { .element(of: self, index) }
    }

    /// The JSON Pointer of this location.
    var path: String {
        switch self {
        case .pointer(let path): path
        case .member(let location, let name): location.path.appendingPointer(name)
        case .element(let location, let index): "\(location.path)/\(index)"
        case .selection: "/select"
        }
    }
}

/// A value with its location: JSON of the params, or a literal in a `select` text.
struct LocatedValue {
    private enum Source {
        case json(JSONValue)
        case literal(Literal)
    }

    private let source: Source
    /// The location of the value, or of the list that it is an element of.
    private let outer: SourceLocation
    /// Nil for a value that is not an element of a list.
    private let index: Int?

    init(_ value: JSONValue, at location: SourceLocation) {
        self.init(.json(value), location, index: nil)
    }

    init(_ literal: Literal) {
        self.init(.literal(literal), .selection(literal.position), index: nil)
    }

    private init(_ source: Source, _ outer: SourceLocation, index: Int?) {
        self.source = source
        self.outer = outer
        self.index = index
    }

    /// Made only when it is needed, because it takes memory of its own for each element of a list.
    var location: SourceLocation { index.map(outer.element) ?? outer }

    struct Member {
        let name: String
        let location: SourceLocation
        let value: LocatedValue
    }

    /// The outermost level of a value.
    enum Form {
        case scalar(JSONValue)
        case list([LocatedValue])
        case object([Member])
        case variable(String)
        /// A bare word of GraphQL.
        case enumValue(String)
    }

    var form: Form {
        switch source {
        case .json(.array(let elements)):
            .list(
                elements.enumerated().map { [location] in LocatedValue(.json($1), location, index: $0) })
        case .json(.object(let object)):
            .object(
                object.members.map {
                    let location = location.member($0.name)
                    return Member(name: $0.name, location: location, value: LocatedValue($0.value, at: location))
                })
        case .json(let scalar): .scalar(scalar)
        case .literal(let literal): form(of: literal)
        }
    }

    private func form(of literal: Literal) -> Form {
        switch literal.kind {
        case .variable(let name): .variable(name)
        case .number(let digits): .scalar(.number(digits))
        case .string(let text): .scalar(.string(text))
        case .bool(let bool): .scalar(.bool(bool))
        case .null: .scalar(.null)
        case .enumValue(let word): .enumValue(word)
        case .list(let elements): .list(elements.map(LocatedValue.init))
        case .object(let members):
            .object(
                members.map {
                    Member(name: $0.name.text, location: .selection($0.name.position), value: LocatedValue($0.value))
                })
        }
    }
}
