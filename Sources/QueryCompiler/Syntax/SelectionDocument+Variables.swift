extension SelectionDocument {
    /// The names of all variables that stand somewhere in the text.
    var variables: Set<String> {
        var names: Set<String> = []
        for set in [root] + fragments.map(\.set) { set.collect(&names) }
        return names
    }
}

extension SelectionSet {
    fileprivate func collect(_ names: inout Set<String>) {
        for case .field(let field) in selections {
            for argument in field.arguments { argument.value.collect(&names) }
            field.set?.collect(&names)
        }
    }
}

extension Literal {
    fileprivate func collect(_ names: inout Set<String>) {
        switch kind {
        case .variable(let name): names.insert(name)
        case .list(let values): for value in values { value.collect(&names) }
        case .object(let members): for member in members { member.value.collect(&names) }
        case .number, .string, .bool, .null, .word: break
        }
    }
}
