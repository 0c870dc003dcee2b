import DomainKit

/// What is returned of each record, in the order of the answer's keys.
///
/// A class that stores its hash: a call with a known selection finds its statement without a walk through the fields.
final class SelectionShape: Sendable {
    let table: Table
    let fields: [SelectedField]
    private let hash: Int

    init(table: Table, fields: [SelectedField]) {
        self.table = table
        self.fields = fields
        var hasher = Hasher()
        hasher.combine(table)
        hasher.combine(fields)
        hash = hasher.finalize()
    }
}

extension SelectionShape: Hashable {
    static func == (left: SelectionShape, right: SelectionShape) -> Bool {
        left === right || left.hash == right.hash && left.table == right.table && left.fields == right.fields
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

enum SelectedField: Hashable, Sendable {
    case typename(key: String)
    case field(key: String, Field)
    case one(key: String, Relationship, SelectionShape)
    case many(key: String, Relationship, ListShape)

    var key: String {
        switch self {
        case .typename(let key), .field(let key, _), .one(let key, _, _), .many(let key, _, _): key
        }
    }
}

/// A list of records: of a whole table, or of a to-many relationship.
struct ListShape: Hashable, Sendable {
    let filter: Condition?
    let search: [SearchWord]
    /// Ends with `id`, so that the order is total.
    let order: [OrderKey]
    /// The slot of the maximum number of rows; nil for no maximum.
    let first: Int?
    let selection: SelectionShape
}

/// One key of an order: a field of the record itself or, through to-one relationships, of a related record.
struct OrderKey: Hashable, Sendable {
    let path: [Relationship]
    let field: Field
    let isDescending: Bool

    var isNullable: Bool { field.isNullable || path.contains(where: \.isNullable) }

    /// Whether an index of the list's own table has this order.
    var isIndexed: Bool { path.isEmpty && field.isIndexed }

    /// Whether an index of a related table has this order, so that the records can be found from that table.
    var isIndexedOnRelatedTable: Bool { !path.isEmpty && field.isIndexed }

    /// The foreign key that is null exactly where this key is null: of a field that is never null, through one
    /// relationship. Nil for other keys.
    var nullnessColumn: String? {
        guard path.count == 1, !path[0].reachesOwnRowsOnly, !field.isNullable,
            case .toOne(let column) = path[0].relation.kind
        else { return nil }
        return column
    }

    /// The key as `order_by` spells it.
    var spelling: String {
        (isDescending ? "-" : "") + (path.map(\.name) + [field.name]).joined(separator: ".")
    }
}

/// One page of a list method.
struct PageShape: Hashable, Sendable {
    let list: ListShape
    let after: AfterShape?
    let hasCount: Bool
    /// A power of two that is at least the number of rows to fetch. It is written into the SQL as a literal: for a limit
    /// that is a parameter, Postgres expects a tenth of the table and joins the table whole.
    let literalLimit: Int
    /// Whether the records come by how near they are to the words of the search. The page has no cursor then.
    let isByNearness: Bool
    /// Of a view: the arguments of its function.
    let arguments: [ViewArgument]

    init(
        list: ListShape, after: AfterShape?, hasCount: Bool, rows: Int, byNearness: Bool = false,
        arguments: [ViewArgument] = []
    ) {
        self.list = list
        isByNearness = byNearness
        self.arguments = arguments
        self.after = after
        self.hasCount = hasCount
        var limit = 2
        while limit < rows { limit *= 2 }
        literalLimit = limit
    }

    /// Whether the best plan depends on the values of the filter. The statement of a search has a plan for rare and for
    /// frequent words. A count reads the whole range of the order, so the order does not bound it. The arguments of a view
    /// are mostly the bounds of what it reads.
    var prefersCustomPlan: Bool {
        guard arguments.isEmpty else { return true }
        guard let filter = list.filter, list.search.isEmpty else { return false }
        return !filter.hasStablePlan(in: hasCount ? [] : list.order)
    }
}

/// A cursor: for each key of the order the slot of its value, nil where the value is null.
struct AfterShape: Hashable, Sendable {
    let slots: [Int?]
}
