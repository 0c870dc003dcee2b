import DomainKit

/// One key of an order: a field of the record itself or, over to-one relations, of a related one.
struct OrderKey: Hashable, Sendable {
    let path: [Relationship]
    let field: Field
    let isDescending: Bool

    var isNullable: Bool { field.isNullable || path.contains(where: \.isNullable) }

    /// Whether an index of the table itself serves it.
    var isIndexed: Bool { path.isEmpty && field.isIndexed }

    /// Whether an index of a related table has its order: read first, that table leads to the records.
    var isIndexedOnRelatedTable: Bool { !path.isEmpty && field.isIndexed }

    /// The column that is null exactly where this key is, since a foreign key leads to a record: of a field that is
    /// never null, over one relation.
    var nullness: String? {
        guard path.count == 1, !field.isNullable, case .toOne(let column) = path[0].relation.kind else { return nil }
        return column
    }

    /// As `order_by` spells it.
    var spelling: String {
        (isDescending ? "-" : "") + (path.map(\.name) + [field.name]).joined(separator: ".")
    }
}
