import DomainKit

/// A value with its place: of JSON params or a literal of a selection's text.
struct Located {
    private enum Source {
        case json(Value)
        case literal(Literal)
    }

    private let source: Source
    let site: Site

    init(_ value: Value, at site: Site) {
        source = .json(value)
        self.site = site
    }

    init(_ literal: Literal) {
        source = .literal(literal)
        site = .selection(literal.position)
    }

    struct Member {
        let name: String
        let site: Site
        let value: Located
    }

    /// One level of a value.
    enum Form {
        case scalar(Value)
        case list([Located])
        case object([Member])
        case variable(String)
        /// A bare word, which JSON does not have.
        case word(String)
    }

    var form: Form {
        switch source {
        case .json(.array(let elements)):
            .list(elements.enumerated().map { Located($1, at: site.element($0)) })
        case .json(.object(let object)):
            .object(
                object.members.map {
                    let place = site.member($0.name)
                    return Member(name: $0.name, site: place, value: Located($0.value, at: place))
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
        case .list(let elements): .list(elements.map(Located.init))
        case .object(let members):
            .object(
                members.map {
                    Member(name: $0.name.text, site: .selection($0.name.position), value: Located($0.value))
                })
        }
    }
}
