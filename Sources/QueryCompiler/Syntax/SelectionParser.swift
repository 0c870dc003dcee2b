import DomainKit
import JSON

/// A recursive-descent parser for `select` texts. It stops at the first error.
struct SelectionParser {
    /// The nesting limit of sets and values, which protects the stack. The limit that callers see is lower and is
    /// checked when the selection is resolved.
    private static let maxDepth = 64

    private var lexer: Lexer
    private var token: Token

    static func parse(_ text: String) throws(SelectionError) -> SelectionDocument {
        var parser = try SelectionParser(text)
        return try parser.document()
    }

    private init(_ text: String) throws(SelectionError) {
        lexer = Lexer(text)
        token = try lexer.next()
    }

    private mutating func document() throws(SelectionError) -> SelectionDocument {
        if case .name(let word) = token.kind {
            let isOperation = ["query", "mutation", "subscription"].contains(word)
            throw SelectionError(isOperation ? .operation(word) : .missingOpeningBrace, at: token.position)
        }
        let root = try selectionSet(depth: 1)
        var fragments: [FragmentDefinition] = []
        while token.kind != .end {
            fragments.append(try fragmentDefinition())
        }
        return SelectionDocument(root: root, fragments: fragments)
    }

    private mutating func fragmentDefinition() throws(SelectionError) -> FragmentDefinition {
        guard token.kind == .name("fragment") else {
            throw SelectionError(.notAFragment(found: token.kind), at: token.position)
        }
        try advance()
        let name = try self.name(.fragmentName)
        guard name.text != "on" else { throw SelectionError(.fragmentNamedOn, at: name.position) }
        guard token.kind == .name("on") else { throw unexpected(.fragmentTypeCondition) }
        try advance()
        let type = try self.name(.fragmentTable)
        try rejectDirective()
        return FragmentDefinition(name: name, type: type, set: try selectionSet(depth: 1))
    }

    // MARK: Selections

    private mutating func selectionSet(depth: Int) throws(SelectionError) -> SelectionSet {
        let position = token.position
        guard depth <= Self.maxDepth else { throw SelectionError(.selectionTooDeep, at: position) }
        try expect("{", .openingBrace)
        var selections: [Selection] = []
        while token.kind != Token.punctuator("}") {
            selections.append(try selection(depth: depth))
        }
        guard !selections.isEmpty else { throw SelectionError(.emptySelection, at: position) }
        try advance()
        return SelectionSet(selections: selections, position: position)
    }

    private mutating func selection(depth: Int) throws(SelectionError) -> Selection {
        guard token.kind == .spread else { return .field(try field(depth: depth)) }
        let position = token.position
        try advance()
        guard case .name(let text) = token.kind, text != "on" else {
            throw SelectionError(.inlineFragment, at: position)
        }
        let name = try self.name(.fragmentName)
        try rejectDirective()
        return .spread(name)
    }

    private mutating func field(depth: Int) throws(SelectionError) -> FieldSelection {
        var name = try self.name(.fieldOrClosingBrace)
        var alias: Name?
        if token.kind == Token.punctuator(":") {
            try advance()
            alias = name
            name = try self.name(.fieldRenamed(to: name.text))
        }
        let arguments = token.kind == Token.punctuator("(") ? try self.arguments() : []
        try rejectDirective()
        let set = token.kind == Token.punctuator("{") ? try selectionSet(depth: depth + 1) : nil
        return FieldSelection(alias: alias, name: name, arguments: arguments, set: set)
    }

    private mutating func arguments() throws(SelectionError) -> [Argument] {
        let position = token.position
        try advance()
        var arguments: [Argument] = []
        while token.kind != Token.punctuator(")") {
            arguments.append(try argument(.argumentOrClosingParenthesis, depth: 1))
        }
        guard !arguments.isEmpty else { throw SelectionError(.emptyArguments, at: position) }
        try advance()
        return arguments
    }

    private mutating func argument(
        _ expected: SelectionError.Expectation, depth: Int
    ) throws(SelectionError) -> Argument {
        let name = try self.name(expected)
        try expect(":", .colon(after: name.text))
        return Argument(name: name, value: try literal(depth: depth))
    }

    // MARK: Values

    private mutating func literal(depth: Int) throws(SelectionError) -> Literal {
        let position = token.position
        guard depth <= Self.maxDepth else { throw SelectionError(.valueTooDeep, at: position) }
        let kind: Literal.Kind
        switch token.kind {
        case Token.punctuator("$"):
            try advance()
            return Literal(kind: .variable(try name(.variableName).text), position: position)
        case Token.punctuator("["):
            try advance()
            var elements: [Literal] = []
            while token.kind != Token.punctuator("]") { elements.append(try literal(depth: depth + 1)) }
            kind = .list(elements)
        case Token.punctuator("{"):
            try advance()
            var members: [Argument] = []
            while token.kind != Token.punctuator("}") {
                members.append(try argument(.nameOrClosingBrace, depth: depth + 1))
            }
            kind = .object(members)
        case .number(let digits): kind = .number(digits)
        case .string(let text): kind = .string(text)
        case .name("true"): kind = .bool(true)
        case .name("false"): kind = .bool(false)
        case .name("null"): kind = .null
        case .name(let word): kind = .enumValue(word)
        default: throw unexpected(.value)
        }
        try advance()
        return Literal(kind: kind, position: position)
    }

    // MARK: Tokens

    private mutating func advance() throws(SelectionError) {
        token = try lexer.next()
    }

    private mutating func name(_ expected: SelectionError.Expectation) throws(SelectionError) -> Name {
        guard case .name(let text) = token.kind else { throw unexpected(expected) }
        let name = Name(text: text, position: token.position)
        try advance()
        return name
    }

    private mutating func expect(
        _ character: Unicode.Scalar, _ expected: SelectionError.Expectation
    ) throws(SelectionError) {
        guard token.kind == Token.punctuator(character) else { throw unexpected(expected) }
        try advance()
    }

    private func rejectDirective() throws(SelectionError) {
        guard token.kind != Token.punctuator("@") else { throw SelectionError(.directive, at: token.position) }
    }

    private func unexpected(_ expected: SelectionError.Expectation) -> SelectionError {
        SelectionError(.unexpected(found: token.kind, expected: expected), at: token.position)
    }
}
