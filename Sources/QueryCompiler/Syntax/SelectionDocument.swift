package import DomainKit

/// What a `select` text says, before any name in it is looked up: GraphQL's grammar for selection sets and
/// fragment definitions (GraphQL specification, October 2021, sections 2.4 to 2.10).
package struct SelectionDocument: Sendable, Equatable {
    package let root: SelectionSet
    package let fragments: [FragmentDefinition]
}

/// `{ id title author { name } ...Card }`
package struct SelectionSet: Sendable, Equatable {
    package let selections: [Selection]
    /// Where its `{` stands.
    package let position: Problem.Position
}

package enum Selection: Sendable, Equatable {
    case field(FieldSelection)
    /// `...Card`
    case spread(Name)
}

/// `latest: books(first: 3) { title }`
package struct FieldSelection: Sendable, Equatable {
    package let alias: Name?
    package let name: Name
    package let arguments: [Argument]
    package let set: SelectionSet?

    /// The key of the answer.
    package var key: String { alias?.text ?? name.text }
}

/// `fragment Card on books { … }`
package struct FragmentDefinition: Sendable, Equatable {
    package let name: Name
    /// The table it is for.
    package let type: Name
    package let set: SelectionSet
}

package struct Argument: Sendable, Equatable {
    package let name: Name
    package let value: Literal
}

/// A name with its place.
package struct Name: Sendable, Equatable {
    package let text: String
    package let position: Problem.Position
}

/// A GraphQL value with its place.
package struct Literal: Sendable, Equatable {
    package indirect enum Kind: Sendable, Equatable {
        /// `$now`, without the dollar.
        case variable(String)
        /// An integer or a float, with its digits.
        case number(String)
        case string(String)
        case bool(Bool)
        case null
        /// A bare word such as `ASC`.
        case word(String)
        case list([Literal])
        case object([Argument])
    }

    package let kind: Kind
    package let position: Problem.Position
}
