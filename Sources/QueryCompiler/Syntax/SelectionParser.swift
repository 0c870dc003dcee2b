import DomainKit

/// Reads a `select` text by recursive descent; stops at the first fault.
package struct SelectionParser {
    /// Sets and values nest at most so deep; what is allowed is less, and said with a better message later.
    private static let maxDepth = 64

    private var lexer: Lexer
    private var token: Token

    /// - Throws: `SelectionError` with the place and a French message.
    package static func parse(_ text: String) throws(SelectionError) -> SelectionDocument {
        var parser = try SelectionParser(text)
        return try parser.document()
    }

    private init(_ text: String) throws(SelectionError) {
        lexer = Lexer(text)
        token = try lexer.next()
    }

    private mutating func document() throws(SelectionError) -> SelectionDocument {
        if case .name(let word) = token.kind {
            let message =
                ["query", "mutation", "subscription"].contains(word)
                ? "Les opérations (\(word.quotedInFrench)) ne sont pas admises\u{A0}: la sélection commence par «\u{A0}{\u{A0}»."
                : "La sélection commence par «\u{A0}{\u{A0}»."
            throw SelectionError(message, at: token.position)
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
            throw SelectionError(
                "Après la sélection ne viennent que des «\u{A0}fragment\u{A0}», pas \(token.text).", at: token.position)
        }
        try advance()
        let name = try self.name("le nom du fragment")
        guard name.text != "on" else {
            throw SelectionError("Un fragment ne peut pas s'appeler «\u{A0}on\u{A0}».", at: name.position)
        }
        guard token.kind == .name("on") else { throw unexpected("«\u{A0}on\u{A0}» et la table du fragment") }
        try advance()
        let type = try self.name("la table du fragment")
        try refuseDirective()
        return FragmentDefinition(name: name, type: type, set: try selectionSet(depth: 1))
    }

    // MARK: Selections

    private mutating func selectionSet(depth: Int) throws(SelectionError) -> SelectionSet {
        let position = token.position
        guard depth <= Self.maxDepth else {
            throw SelectionError("La sélection a trop de niveaux.", at: position, kind: .depth)
        }
        try expect("{", "«\u{A0}{\u{A0}»")
        var selections: [Selection] = []
        while token.kind != Token.punctuator("}") {
            selections.append(try selection(depth: depth))
        }
        guard !selections.isEmpty else {
            throw SelectionError(
                "Une sélection vide «\u{A0}{ }\u{A0}» n'est pas admise\u{A0}: nommez au moins un champ.", at: position)
        }
        try advance()
        return SelectionSet(selections: selections, position: position)
    }

    private mutating func selection(depth: Int) throws(SelectionError) -> Selection {
        guard token.kind == .spread else { return .field(try field(depth: depth)) }
        let position = token.position
        try advance()
        guard case .name(let text) = token.kind, text != "on" else {
            throw SelectionError(
                "Les fragments en ligne ne sont pas admis\u{A0}: définissez un «\u{A0}fragment\u{A0}» nommé après la sélection.",
                at: position)
        }
        let name = try self.name("le nom du fragment")
        try refuseDirective()
        return .spread(name)
    }

    private mutating func field(depth: Int) throws(SelectionError) -> FieldSelection {
        var name = try self.name("un champ ou «\u{A0}}\u{A0}»")
        var alias: Name?
        if token.kind == Token.punctuator(":") {
            try advance()
            alias = name
            name = try self.name("le champ que renomme \(name.text.quotedInFrench)")
        }
        let arguments = token.kind == Token.punctuator("(") ? try self.arguments() : []
        try refuseDirective()
        let set = token.kind == Token.punctuator("{") ? try selectionSet(depth: depth + 1) : nil
        return FieldSelection(alias: alias, name: name, arguments: arguments, set: set)
    }

    private mutating func arguments() throws(SelectionError) -> [Argument] {
        let position = token.position
        try advance()
        var arguments: [Argument] = []
        while token.kind != Token.punctuator(")") {
            arguments.append(try argument("un argument ou «\u{A0})\u{A0}»", depth: 1))
        }
        guard !arguments.isEmpty else {
            throw SelectionError(
                "Les parenthèses «\u{A0}()\u{A0}» sont vides\u{A0}: nommez un argument ou ôtez-les.", at: position)
        }
        try advance()
        return arguments
    }

    private mutating func argument(_ expected: String, depth: Int) throws(SelectionError) -> Argument {
        let name = try self.name(expected)
        try expect(":", "«\u{A0}:\u{A0}» après \(name.text.quotedInFrench)")
        return Argument(name: name, value: try literal(depth: depth))
    }

    // MARK: Values

    private mutating func literal(depth: Int) throws(SelectionError) -> Literal {
        let position = token.position
        guard depth <= Self.maxDepth else {
            throw SelectionError("Cette valeur a trop de niveaux.", at: position)
        }
        let kind: Literal.Kind
        switch token.kind {
        case Token.punctuator("$"):
            try advance()
            return Literal(kind: .variable(try name("le nom de la variable").text), position: position)
        case Token.punctuator("["):
            try advance()
            var elements: [Literal] = []
            while token.kind != Token.punctuator("]") { elements.append(try literal(depth: depth + 1)) }
            kind = .list(elements)
        case Token.punctuator("{"):
            try advance()
            var members: [Argument] = []
            while token.kind != Token.punctuator("}") {
                members.append(try argument("un nom ou «\u{A0}}\u{A0}»", depth: depth + 1))
            }
            kind = .object(members)
        case .number(let digits): kind = .number(digits)
        case .string(let text): kind = .string(text)
        case .name("true"): kind = .bool(true)
        case .name("false"): kind = .bool(false)
        case .name("null"): kind = .null
        case .name(let word): kind = .word(word)
        default: throw unexpected("une valeur")
        }
        try advance()
        return Literal(kind: kind, position: position)
    }

    // MARK: Tokens

    private mutating func advance() throws(SelectionError) {
        token = try lexer.next()
    }

    private mutating func name(_ expected: String) throws(SelectionError) -> Name {
        guard case .name(let text) = token.kind else { throw unexpected(expected) }
        let name = Name(text: text, position: token.position)
        try advance()
        return name
    }

    private mutating func expect(_ character: Unicode.Scalar, _ expected: String) throws(SelectionError) {
        guard token.kind == Token.punctuator(character) else { throw unexpected(expected) }
        try advance()
    }

    private func refuseDirective() throws(SelectionError) {
        guard token.kind != Token.punctuator("@") else {
            throw SelectionError("Les directives («\u{A0}@…\u{A0}») ne sont pas admises.", at: token.position)
        }
    }

    private func unexpected(_ expected: String) -> SelectionError {
        SelectionError("Attendu : \(expected), trouvé : \(token.text).", at: token.position)
    }
}
