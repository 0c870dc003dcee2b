import DomainKit

/// A value with its place: of JSON params or a literal of a selection's text.
struct LocatedValue {
    private enum Source {
        case json(Value)
        case literal(Literal)
    }

    private let source: Source
    let location: SourceLocation

    init(_ value: Value, at location: SourceLocation) {
        source = .json(value)
        self.location = location
    }

    init(_ literal: Literal) {
        source = .literal(literal)
        location = .selection(literal.position)
    }

    struct Member {
        let name: String
        let location: SourceLocation
        let value: LocatedValue
    }

    /// One level of a value.
    enum Form {
        case scalar(Value)
        case list([LocatedValue])
        case object([Member])
        case variable(String)
        /// A bare word, which JSON does not have.
        case word(String)
    }

    var form: Form {
        switch source {
        case .json(.array(let elements)):
            .list(elements.enumerated().map { LocatedValue($1, at: location.element($0)) })
        case .json(.object(let object)):
            .object(
                object.members.map {
                    let place = location.member($0.name)
                    return Member(name: $0.name, location: place, value: LocatedValue($0.value, at: place))
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
        case .word(let word): .word(word)
        case .list(let elements): .list(elements.map(LocatedValue.init))
        case .object(let members):
            .object(
                members.map {
                    Member(name: $0.name.text, location: .selection($0.name.position), value: LocatedValue($0.value))
                })
        }
    }
}
