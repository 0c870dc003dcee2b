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
        count == others.count
            && allSatisfy { argument in
                others.contains { $0.name.text == argument.name.text && $0.value.isSame(as: argument.value) }
            }
    }
}

extension Literal {
    fileprivate func isSame(as other: Literal) -> Bool {
        switch (kind, other.kind) {
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.areSame(as: right)
        default:
            kind == other.kind
        }
    }
}
