import DomainKit

/// A selection with its fragments put in place, for counting: few fragments can come to more fields than there is
/// memory for.
struct ExpandedSelection {
    let root: SelectionSet
    let definitions: [String: FragmentDefinition]
    /// The fragments, each after those it spreads; without those that contain themselves, which are told elsewhere.
    let innermostFirst: [String]

    /// How many fields and fragments it names; `Int.max` for any number beyond.
    var count: Int { Counter(self).count(root) }

    /// Notes that it names too many fields and fragments: their number, and where most of them stand.
    func refuse(in resolution: inout Resolution) {
        let counter = Counter(self)
        let (count, maximum) = (counter.count(root), resolution.limits.fields)
        resolution.diagnostics.add(
            QueryLimitError(
                name: "cost",
                message: "La sélection compte \(count) champs et fragments, plus que les \(maximum) permis\u{A0}:"
                    + " retirez-en.",
                cost: count, max: maximum, path: counter.longestPath(in: root).joined(separator: ".")))
    }

    /// Each fragment is counted once, however often it is spread.
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

        /// The keys from the root to the set that most fields stand in by themselves.
        func longestPath(in root: SelectionSet) -> [String] {
            var path: [String] = []
            var set = root
            var entered: Set<String> = []
            while let longest = longest(of: set.selections) {
                switch longest {
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

        /// The one that names most fields, when it names several.
        private func longest(of selections: [Selection]) -> Selection? {
            var longest: (selection: Selection, count: Int)?
            for selection in selections {
                let count = count(selection)
                if count > longest?.count ?? 1 { longest = (selection, count) }
            }
            return longest?.selection
        }
    }
}
