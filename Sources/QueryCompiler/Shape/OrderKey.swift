/// One key of an order: a field of the record itself or, over to-one relations, of a related one.
struct OrderKey: Hashable, Sendable {
    let path: [Link]
    let field: Field
    let isDescending: Bool

    var isNullable: Bool { field.isNullable || path.contains(where: \.isNullable) }

    /// Whether an index of the table itself serves it.
    var isIndexed: Bool { path.isEmpty && field.isIndexed }

    /// As `order_by` spells it.
    var spelling: String {
        (isDescending ? "-" : "") + (path.map(\.name) + [field.name]).joined(separator: ".")
    }
}
