import DomainKit
import JSON

@testable import QueryCompiler

extension SelectionDocument {
    /// The document in canonical form: `{id a:client{nom}} fragment A on sessions {id}`.
    var canonical: String {
        ([root.canonical] + fragments.map { "fragment \($0.name.text) on \($0.type.text) \($0.set.canonical)" })
            .joined(separator: " ")
    }
}

extension SelectionSet {
    fileprivate var canonical: String {
        "{"
            + selections.map { selection in
                switch selection {
                case .spread(let name): "...\(name.text)"
                case .field(let field): field.canonical
                }
            }.joined(separator: " ") + "}"
    }
}

extension FieldSelection {
    fileprivate var canonical: String {
        let arguments =
            self.arguments.isEmpty ? "" : "(" + self.arguments.map(\.canonical).joined(separator: " ") + ")"
        return (alias.map { "\($0.text):" } ?? "") + name.text + arguments + (set?.canonical ?? "")
    }
}

extension Argument {
    fileprivate var canonical: String { "\(name.text):\(value.canonical)" }
}

extension Literal {
    fileprivate var canonical: String {
        switch kind {
        case .variable(let name): "$\(name)"
        case .number(let digits): digits
        case .string(let text): "\"\(text)\""
        case .bool(let value): "\(value)"
        case .null: "null"
        case .enumValue(let word): word
        case .list(let elements): "[" + elements.map(\.canonical).joined(separator: " ") + "]"
        case .object(let members): "{" + members.map(\.canonical).joined(separator: " ") + "}"
        }
    }
}
