/// A selection with its fragments put in place, for counting: few fragments can come to more fields than there is
/// memory for.
struct ExpandedSelection {
    let root: SelectionSet
    let definitions: [String: FragmentDefinition]

    /// How many fields it names; `Int.max` for any number beyond.
    var count: Int {
        var counter = Counter(definitions: definitions)
        return counter.count(root)
    }

    /// The refusal of more than `maximum` fields, with their number and the relation that has most of them.
    func exceeding(_ maximum: Int) -> LimitExceeded {
        var counter = Counter(definitions: definitions)
        let count = counter.count(root)
        return LimitExceeded(
            name: "cost",
            message: "La sélection nomme \(count) champs, plus que les \(maximum) permis\u{A0}: retirez-en.",
            price: count, max: maximum, path: counter.dearestPath(in: root).joined(separator: "."))
    }

    /// Each fragment is counted once, however often it is spread.
    private struct Counter {
        let definitions: [String: FragmentDefinition]
        private var counts: [String: Int] = [:]

        init(definitions: [String: FragmentDefinition]) {
            self.definitions = definitions
        }

        mutating func count(_ set: SelectionSet) -> Int {
            set.selections.reduce(0) { saturatingSum($0, count($1)) }
        }

        private mutating func count(_ selection: Selection) -> Int {
            switch selection {
            case .field(let field):
                return saturatingSum(1, field.set.map { count($0) } ?? 0)
            case .spread(let name):
                if let known = counts[name.text] { return known }
                guard let fragment = definitions[name.text] else { return 0 }
                // One that contains itself, which is told elsewhere, ends here.
                counts[name.text] = 0
                let count = count(fragment.set)
                counts[name.text] = count
                return count
            }
        }

        /// The keys from the root to the set that most fields stand in by themselves.
        mutating func dearestPath(in root: SelectionSet) -> [String] {
            var path: [String] = []
            var set = root
            var entered: Set<String> = []
            while let dearest = set.selections.max(by: { count($0) < count($1) }), count(dearest) > 1 {
                switch dearest {
                case .field(let field):
                    path.append(field.key)
                    guard let inner = field.set else { return path }
                    set = inner
                case .spread(let name):
                    guard entered.insert(name.text).inserted, let fragment = definitions[name.text] else { return path }
                    set = fragment.set
                }
            }
            return path.isEmpty ? Array(root.selections.compactMap(\.key).prefix(1)) : path
        }
    }
}

extension Selection {
    fileprivate var key: String? {
        if case .field(let field) = self { field.key } else { nil }
    }
}
