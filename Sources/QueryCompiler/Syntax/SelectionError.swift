import DomainKit
import JSON

/// A `select` text that is not a selection. The parser stops at the first error.
///
/// `Messages+French.swift` words the reasons for the caller.
struct SelectionError: Error, Equatable {
    enum Reason: Equatable {
        // Characters
        case strayPeriod
        case strayCharacter(String)
        case leadingZero
        case incompleteNumber
        /// A number runs into a name or a period.
        case unseparatedNumber
        case unclosedString
        case lineEndInString
        case unknownEscape(String)
        case invalidUnicodeEscape

        // GraphQL that is more than a selection
        /// `query`, `mutation` or `subscription`.
        case operation(String)
        case inlineFragment
        case directive

        // Grammar
        case missingOpeningBrace
        case emptySelection
        case emptyArguments
        /// Something else than a fragment definition follows the selection.
        case notAFragment(found: Token.Kind)
        case fragmentNamedOn
        case unexpected(found: Token.Kind, expected: Expectation)

        // Depth
        case selectionTooDeep
        case valueTooDeep
    }

    /// What the grammar requires at a place.
    enum Expectation: Equatable {
        case openingBrace
        case fieldOrClosingBrace
        case fieldRenamed(to: String)
        case argumentOrClosingParenthesis
        case nameOrClosingBrace
        case colon(after: String)
        case value
        case variableName
        case fragmentName
        case fragmentTypeCondition
        case fragmentTable
    }

    let reason: Reason
    let position: TextPosition

    init(_ reason: Reason, at position: TextPosition) {
        self.reason = reason
        self.position = position
    }
}
