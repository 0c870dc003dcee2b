import DomainKit
import JSON

/// The syntax tree of a `select` text, before any name in it is looked up: GraphQL's grammar for selection sets and
/// fragment definitions (GraphQL specification, October 2021, sections 2.4 to 2.10).
struct SelectionDocument: Sendable, Equatable {
    let root: SelectionSet
    let fragments: [FragmentDefinition]
}

/// `{ id title author { name } ...Card }`
struct SelectionSet: Sendable, Equatable {
    let selections: [Selection]
    /// The position of its `{`.
    let position: TextPosition
}

enum Selection: Sendable, Equatable {
    case field(FieldSelection)
    /// `...Card`
    case spread(Name)
}

/// `latest: books(first: 3) { title }`
struct FieldSelection: Sendable, Equatable {
    let alias: Name?
    let name: Name
    let arguments: [Argument]
    let set: SelectionSet?

    /// The field's key in the answer.
    var key: String { alias?.text ?? name.text }

    /// The position of ``key`` in the text.
    var keyPosition: TextPosition { (alias ?? name).position }
}

/// `fragment Card on books { … }`
struct FragmentDefinition: Sendable, Equatable {
    let name: Name
    /// The table that the fragment applies to.
    let type: Name
    let set: SelectionSet
}

struct Argument: Sendable, Equatable {
    let name: Name
    let value: Literal
}

struct Name: Sendable, Equatable {
    let text: String
    let position: TextPosition
}

/// A GraphQL value.
struct Literal: Sendable, Equatable {
    indirect enum Kind: Sendable, Equatable {
        /// `$now`, without the dollar sign.
        case variable(String)
        /// An integer or a float, as it is written.
        case number(String)
        case string(String)
        case bool(Bool)
        case null
        /// A bare word such as `ASC`.
        case enumValue(String)
        case list([Literal])
        case object([Argument])
    }

    let kind: Kind
    let position: TextPosition
}

// MARK: - Variables

extension SelectionDocument {
    /// The names of all variables in the text.
    var variables: Set<String> {
        var names: Set<String> = []
        for set in [root] + fragments.map(\.set) { set.collectVariables(&names) }
        return names
    }
}

extension SelectionSet {
    fileprivate func collectVariables(_ names: inout Set<String>) {
        for case .field(let field) in selections {
            for argument in field.arguments { argument.value.collectVariables(&names) }
            field.set?.collectVariables(&names)
        }
    }
}

extension Literal {
    fileprivate func collectVariables(_ names: inout Set<String>) {
        switch kind {
        case .variable(let name): names.insert(name)
        case .list(let values): for value in values { value.collectVariables(&names) }
        case .object(let members): for member in members { member.value.collectVariables(&names) }
        case .number, .string, .bool, .null, .enumValue: break
        }
    }
}

// MARK: - Field merging

extension FieldSelection {
    /// Whether both fields may share a key: they are the same field with the same arguments (GraphQL's
    /// FieldsInSetCanMerge). Their selection sets are merged in turn.
    func isMergeable(with other: FieldSelection) -> Bool {
        name.text == other.name.text && arguments.areSame(as: other.arguments)
    }
}

extension [Argument] {
    /// Whether both have the same names with the same values, in any order.
    fileprivate func areSame(as others: [Argument]) -> Bool {
        guard count == others.count else { return false }
        return zip(sortedByName, others.sortedByName).allSatisfy { one, other in
            one.name.text == other.name.text && one.value.isSame(as: other.value)
        }
    }

    private var sortedByName: [Argument] { count < 2 ? self : sorted { $0.name.text < $1.name.text } }
}

extension Literal {
    fileprivate func isSame(as other: Literal) -> Bool {
        switch (kind, other.kind) {
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.areSame(as: right)
        case (.string(let left), .string(let right)):
            // Postgres distinguishes texts that are canonically equivalent; `String` does not.
            ExactText(left) == ExactText(right)
        default:
            kind == other.kind
        }
    }
}
