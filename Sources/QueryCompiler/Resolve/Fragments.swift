import DomainKit
import JSON

/// The fragments of one document. The initialiser checks that their names are distinct, that their tables exist, that
/// all are used, and that none contains itself.
struct Fragments {
    private let definitions: [String: FragmentDefinition]
    /// In the order of their definitions.
    private let names: [String]
    let expanded: ExpandedSelection

    init(_ document: SelectionDocument, in resolution: inout Resolution) {
        var definitions: [String: FragmentDefinition] = [:]
        for fragment in document.fragments {
            let name = fragment.name.text
            if definitions.updateValue(fragment, forKey: name) != nil {
                resolution.diagnostics.add(.duplicateFragment(name), at: .selection(fragment.name.position))
            }
            let type = fragment.type.text
            if resolution.schema.table(named: type) == nil {
                let suggestion = resolution.diagnostics.nearest(
                    to: type, among: resolution.schema.tables.map(\.name))
                resolution.diagnostics.add(
                    .unknownTable(type, suggestion: suggestion), at: .selection(fragment.type.position))
            }
        }
        self.definitions = definitions
        names = document.fragments.map(\.name.text)
        let spreads = definitions.mapValues { $0.set.spreads }
        let acyclic = Self.innermostFirst(spreads)
        expanded = ExpandedSelection(root: document.root, definitions: definitions, innermostFirst: acyclic)
        checkUse(in: document, spreads, acyclic: Set(acyclic), &resolution)
    }

    /// The fragment that `name` spreads into a set of `table`; nil, with a problem added, when it is not for `table`.
    func fragment(for name: Name, on table: Table, in resolution: inout Resolution) -> FragmentDefinition? {
        guard let fragment = definitions[name.text] else {
            let suggestion = resolution.diagnostics.nearest(to: name.text, among: names)
            resolution.diagnostics.add(
                .unknownFragment(name.text, suggestion: suggestion), at: .selection(name.position))
            return nil
        }
        let type = fragment.type.text
        guard type == table.name else {
            if resolution.schema.table(named: type) != nil {
                resolution.diagnostics.add(
                    .fragmentOfOtherTable(fragment: name.text, itsTable: type, table: table.name),
                    at: .selection(name.position))
            }
            return nil
        }
        return fragment
    }

    private func checkUse(
        in document: SelectionDocument, _ spreads: [String: [String]], acyclic: Set<String>,
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
                .unusedFragment(fragment.name.text), at: .selection(fragment.name.position))
        }
        for fragment in document.fragments where !acyclic.contains(fragment.name.text) {
            resolution.diagnostics.add(
                .fragmentCycle(fragment.name.text), at: .selection(fragment.name.position))
        }
    }

    /// The fragments without a cycle, each after those that it spreads (Kahn's topological sort). It is iterative because
    /// fragments can nest deeper than the stack allows.
    private static func innermostFirst(_ spreads: [String: [String]]) -> [String] {
        var open = spreads.mapValues { names in Set(names.filter { spreads[$0] != nil }) }
        var users: [String: [String]] = [:]
        for (name, inner) in open {
            for used in inner { users[used, default: []].append(name) }
        }
        var sorted = open.filter(\.value.isEmpty).map(\.key)
        var index = 0
        while index < sorted.count {
            for user in users[sorted[index]] ?? [] {
                open[user]?.remove(sorted[index])
                if open[user]?.isEmpty == true { sorted.append(user) }
            }
            index += 1
        }
        return sorted
    }
}

extension SelectionSet {
    /// The names of all fragments that are spread in it, at any depth.
    fileprivate var spreads: [String] {
        selections.flatMap { selection in
            switch selection {
            case .spread(let name): [name.text]
            case .field(let field): field.set?.spreads ?? []
            }
        }
    }
}

/// A selection with its fragments expanded, for counting only: a few fragments can expand to more fields than fit into
/// memory.
struct ExpandedSelection {
    let root: SelectionSet
    let definitions: [String: FragmentDefinition]
    /// The fragments without a cycle, each after those that it spreads.
    let innermostFirst: [String]

    /// The number of fields and fragments; `Int.max` on overflow.
    var count: Int { Counter(self).count(root) }

    /// Adds the error for too many fields and fragments, with their number and the path to most of them.
    func reportTooManyFields(in resolution: inout Resolution) {
        let counter = Counter(self)
        resolution.diagnostics.add(
            QueryLimitError(
                excess: .fields(counter.count(root)), max: resolution.limits.fields,
                path: counter.largestPath(in: root).joined(separator: ".")))
    }

    /// Counts each fragment once, however often it is spread.
    private struct Counter {
        private let definitions: [String: FragmentDefinition]
        private var counts: [String: Int] = [:]

        init(_ selection: ExpandedSelection) {
            definitions = selection.definitions
            for name in selection.innermostFirst { counts[name] = definitions[name].map { count($0.set) } }
        }

        func count(_ set: SelectionSet) -> Int {
            set.selections.reduce(0) { saturatingSum($0, count($1)) }
        }

        private func count(_ selection: Selection) -> Int {
            switch selection {
            case .field(let field): saturatingSum(1, field.set.map { count($0) } ?? 0)
            case .spread(let name): saturatingSum(1, counts[name.text] ?? 0)
            }
        }

        /// The keys on the path from the root that follows the largest selection of each set.
        func largestPath(in root: SelectionSet) -> [String] {
            var path: [String] = []
            var set = root
            var entered: Set<String> = []
            while let largest = largest(of: set.selections) {
                switch largest {
                case .field(let field):
                    guard let inner = field.set else { return path }
                    path.append(field.key)
                    set = inner
                case .spread(let name):
                    guard entered.insert(name.text).inserted, let fragment = definitions[name.text] else { return path }
                    set = fragment.set
                }
            }
            return path
        }

        /// The selection with the most fields, if it has more than one.
        private func largest(of selections: [Selection]) -> Selection? {
            var largest: (selection: Selection, count: Int)?
            for selection in selections {
                let count = count(selection)
                if count > largest?.count ?? 1 { largest = (selection, count) }
            }
            return largest?.selection
        }
    }
}
