import DomainKit

/// Names of the wire, each with what people read in its place: those of columns, or the words of a choice.
///
/// A file with labels has the label alone where it stands for one name only. A label that several names share, or that is itself
/// another name, stands for none of them: the file then has `Label (name)` for each.
struct LabelledNames {
    private let texts: [String: String]
    private let names: [String: String]
    private let foldedNames: [String: String]

    /// The columns of an entity, also those that a file of it cannot have.
    init(columnsOf entity: Entity) {
        self.init(entity.columns.map { (name: $0.name, label: $0.label) })
    }

    /// The words of a choice.
    init(_ choices: Choices) {
        self.init(choices.words.map { (name: $0, label: choices.label(of: $0)) })
    }

    private init(_ labelled: [(name: String, label: String?)]) {
        let known = Set(labelled.map(\.name))
        var shares: [String: Int] = [:]
        for (_, label) in labelled {
            if let label { shares[Self.folded(label), default: 0] += 1 }
        }
        var texts: [String: String] = [:]
        var names: [String: String] = [:]
        var foldedNames: [String: String] = [:]
        for (name, label) in labelled {
            names[name] = name
            guard let label else { continue }
            let isClear = shares[Self.folded(label)] == 1 && (label == name || !known.contains(label))
            let text = isClear ? label : "\(label) (\(name))"
            // A text that stands for another name already, such as a label “X (a)” beside two labels “X”, is not used.
            guard foldedNames[Self.folded(text)] == nil else { continue }
            texts[name] = text
            names[text] = name
            foldedNames[Self.folded(text)] = name
        }
        self.texts = texts
        self.names = names
        self.foldedNames = foldedNames
    }

    /// What a file with labels has in the place of a name; the name itself without a label.
    func text(of name: String) -> String { texts[name] ?? name }

    /// The name that a text of a file means: the name itself, or what ``text(of:)`` writes for it, without regard to case, to
    /// the kind of apostrophes and to the spaces around and between its words. Nil if it means none.
    func name(of text: String) -> String? { names[text] ?? foldedNames[Self.folded(text)] }

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased().replacing("’", with: "'")
    }
}
