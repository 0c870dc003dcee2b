extension FieldSelection {
    /// Whether both may stand under one key: the same field with the same arguments (GraphQL's
    /// FieldsInSetCanMerge; their sets are merged in turn).
    func isMergeable(with other: FieldSelection) -> Bool {
        name.text == other.name.text && arguments.areSame(as: other.arguments)
    }
}

extension [Argument] {
    /// The same names with the same values, wherever they stand.
    fileprivate func areSame(as others: [Argument]) -> Bool {
        guard count == others.count else { return false }
        return zip(sortedByName, others.sortedByName).allSatisfy { one, other in
            one.name.text == other.name.text && one.value.isSame(as: other.value)
        }
    }

    private var sortedByName: [Argument] { count < 2 ? self : sorted { $0.name.text < $1.name.text } }
}

extension Literal {
    fileprivate func isSame(as other: Literal) -> Bool {
        switch (kind, other.kind) {
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.areSame(as: right)
        case (.string(let left), .string(let right)):
            // Canonically equivalent texts are different ones to Postgres.
            ExactText(left) == ExactText(right)
        default:
            kind == other.kind
        }
    }
}
