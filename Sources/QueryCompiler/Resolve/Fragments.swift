import DomainKit

/// The fragments of one document, checked by themselves: names distinct, tables known, all used, none in itself.
struct Fragments {
    private let definitions: [String: FragmentDefinition]
    /// As they are defined.
    private let names: [String]
    /// What the document comes to once they stand in it.
    let expanded: ExpandedSelection

    init(_ document: SelectionDocument, in resolution: inout Resolution) {
        var definitions: [String: FragmentDefinition] = [:]
        for fragment in document.fragments {
            let name = fragment.name.text
            if definitions.updateValue(fragment, forKey: name) != nil {
                resolution.diagnostics.add(
                    .duplicate, at: .selection(fragment.name.position),
                    "Le fragment \(name.quotedInFrench) est défini deux fois.")
            }
            if resolution.schema.table(named: fragment.type.text) == nil {
                let suggestion = resolution.diagnostics.nearest(
                    to: fragment.type.text, among: resolution.schema.all.map(\.name))
                resolution.diagnostics.add(
                    .unknown, at: .selection(fragment.type.position),
                    "La table \(fragment.type.text.quotedInFrench) n'existe pas.", suggestion: suggestion)
            }
        }
        self.definitions = definitions
        names = document.fragments.map(\.name.text)
        let spreads = definitions.mapValues { $0.set.spreads }
        let ending = Self.ending(spreads)
        expanded = ExpandedSelection(root: document.root, definitions: definitions, innermostFirst: ending)
        checkUse(in: document, spreads, ending: Set(ending), &resolution)
    }

    /// The fragment that `name` spreads into a set of `table`; nil, the problem noted, when it is none for it.
    func fragment(for name: Name, on table: Table, in resolution: inout Resolution) -> FragmentDefinition? {
        guard let fragment = definitions[name.text] else {
            let suggestion = resolution.diagnostics.nearest(to: name.text, among: names)
            resolution.diagnostics.add(
                .unknown, at: .selection(name.position),
                "Le fragment \(name.text.quotedInFrench) n'est pas défini.", suggestion: suggestion)
            return nil
        }
        guard fragment.type.text == table.name else {
            if resolution.schema.table(named: fragment.type.text) != nil {
                resolution.diagnostics.add(
                    .type, at: .selection(name.position),
                    "Le fragment \(name.text.quotedInFrench) est pour \(fragment.type.text.quotedInFrench), pas pour"
                        + " \(table.name.quotedInFrench).")
            }
            return nil
        }
        return fragment
    }

    private func checkUse(
        in document: SelectionDocument, _ spreads: [String: [String]], ending: Set<String>,
        _ resolution: inout Resolution
    ) {
        guard !definitions.isEmpty else { return }
        var reached: Set<String> = []
        var pending = document.root.spreads
        while let name = pending.popLast() {
            if reached.insert(name).inserted { pending += spreads[name] ?? [] }
        }
        for fragment in document.fragments where !reached.contains(fragment.name.text) {
            resolution.diagnostics.add(
                .unknown, at: .selection(fragment.name.position),
                "Le fragment \(fragment.name.text.quotedInFrench) n'est pas utilisé\u{A0}: retirez-le.")
        }
        for fragment in document.fragments where !ending.contains(fragment.name.text) {
            resolution.diagnostics.add(
                .rule, at: .selection(fragment.name.position),
                "Le fragment \(fragment.name.text.quotedInFrench) finit par se contenir lui-même.")
        }
    }

    /// The fragments that come to an end, each after those it spreads: those that spread none are taken away, then those
    /// that spread none left, and so on. There may be as many, one in the other, as no stack holds.
    private static func ending(_ spreads: [String: [String]]) -> [String] {
        var open = spreads.mapValues { names in Set(names.filter { spreads[$0] != nil }) }
        var users: [String: [String]] = [:]
        for (name, inner) in open {
            for used in inner { users[used, default: []].append(name) }
        }
        var ending = open.filter(\.value.isEmpty).map(\.key)
        var index = 0
        while index < ending.count {
            for user in users[ending[index]] ?? [] {
                open[user]?.remove(ending[index])
                if open[user]?.isEmpty == true { ending.append(user) }
            }
            index += 1
        }
        return ending
    }
}

extension SelectionSet {
    /// The names of all fragments spread in it, at any depth.
    fileprivate var spreads: [String] {
        selections.flatMap { selection in
            switch selection {
            case .spread(let name): [name.text]
            case .field(let field): field.set?.spreads ?? []
            }
        }
    }
}
