package import DomainKit

/// Why a text is not a selection.
package struct SelectionError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case syntax
        /// Nested deeper than any selection may be.
        case depth
    }

    package let kind: Kind
    /// A French sentence without the place.
    package let message: String
    package let position: Problem.Position

    package init(_ message: String, at position: Problem.Position, kind: Kind = .syntax) {
        self.kind = kind
        self.message = message
        self.position = position
    }
}
