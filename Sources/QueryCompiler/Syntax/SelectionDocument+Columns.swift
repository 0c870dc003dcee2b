extension Planner {
    /// Whether each result of a selection has the column under its own name; false also for a text that is no selection.
    package static func selection(_ text: String, contains column: String) -> Bool {
        do throws(SelectionError) {
            return try SelectionParser.parse(text).contains(column)
        } catch {
            return false
        }
    }
}

extension SelectionDocument {
    fileprivate func contains(_ column: String) -> Bool {
        var spread: Set<String> = []
        var sets = [root]
        while let set = sets.popLast() {
            for selection in set.selections {
                switch selection {
                case .field(let field):
                    if field.name.text == column, field.key == column { return true }
                case .spread(let name):
                    // A fragment that contains itself is refused later.
                    guard spread.insert(name.text).inserted else { continue }
                    sets += fragments.filter { $0.name.text == name.text }.map(\.set)
                }
            }
        }
        return false
    }
}
