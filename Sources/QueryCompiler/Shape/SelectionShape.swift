/// What is to be returned of each record, keys in the order of the answer.
///
/// An object that knows its hash: calls with a known selection find their statement without going through its fields.
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

/// A list of records: a whole table's or those of a to-many relation.
struct ListShape: Hashable, Sendable {
    let filter: Condition?
    /// A slot for each word.
    let search: [Int]
    /// Ends with `id`, so that no two records are equal.
    let order: [OrderKey]
    /// The slot of the greatest number of rows; nil: all.
    let first: Int?
    let selection: SelectionShape
}

/// A list method's call.
struct PageShape: Hashable, Sendable {
    let list: ListShape
    let after: AfterShape?
    let hasCount: Bool
    /// A power of two that is not less than the rows to fetch. Without a number in the statement the planner of
    /// Postgres expects a tenth of the table and joins it whole.
    let rowBound: Int

    init(list: ListShape, after: AfterShape?, hasCount: Bool, rows: Int) {
        self.list = list
        self.after = after
        self.hasCount = hasCount
        var rowBound = 2
        while rowBound < rows { rowBound *= 2 }
        self.rowBound = rowBound
    }

    /// Whether the best plan hangs on the values of the filter. A search has a plan for rare and frequent words alike;
    /// counting reads all that a stretch of the order holds.
    var prefersCustomPlan: Bool {
        guard let filter = list.filter, list.search.isEmpty else { return false }
        return !filter.hasStablePlan(in: hasCount ? [] : list.order)
    }
}

/// Where the page before ended: for each key of the order the slot of its value, nil where the value was null.
struct AfterShape: Hashable, Sendable {
    let slots: [Int?]
}
