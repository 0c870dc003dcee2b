import JSON

/// What one call may ask for at most. The planner checks it before a database connection is used.
package struct Limits: Sendable {
    /// How many relations a selection or a filter may nest.
    package var selectionDepth: Int
    /// The maximum cost of a selection: the number of rows that it can return.
    package var cost: Int
    /// The number of rows that a to-many relation without `first` adds to the cost.
    package var assumedRows: Int
    /// The value of `first` for a list without it.
    package var defaultFirst: Int
    package var maxFirst: Int
    /// Comparisons in all filters of one call.
    package var conditions: Int
    /// Relations in all filters of one call. Postgres has to plan a join or a subquery for each.
    package var filterRelations: Int
    /// Keys of one order or of one grouping.
    package var orderKeys: Int
    /// The total size in bytes of the values that a call sends to Postgres. A variable counts as often as it is used.
    package var parameterBytes: Int
    /// Fields of one selection, with its fragments expanded.
    package var fields: Int
    package var searchWords: Int
    /// The length of a search text or of a pattern, in code points.
    package var searchLength: Int
    /// Problems that are reported for one call. Further ones are left out.
    package var problems: Int

    package init(
        selectionDepth: Int = 6, cost: Int = 50_000, assumedRows: Int = 100, defaultFirst: Int = 50,
        maxFirst: Int = 500, conditions: Int = 1_000, filterRelations: Int = 30, orderKeys: Int = 32,
        parameterBytes: Int = 4 << 20, fields: Int = 2_000, searchWords: Int = 20, searchLength: Int = 1_000,
        problems: Int = 100
    ) {
        self.selectionDepth = selectionDepth
        self.cost = cost
        self.assumedRows = assumedRows
        self.defaultFirst = defaultFirst
        self.maxFirst = maxFirst
        self.conditions = conditions
        self.filterRelations = filterRelations
        self.orderKeys = orderKeys
        self.parameterBytes = parameterBytes
        self.fields = fields
        self.searchWords = searchWords
        self.searchLength = searchLength
        self.problems = problems
    }
}

/// Params that are valid but ask for too much.
package struct QueryLimitError: Error, Sendable, Equatable {
    enum Excess: Sendable, Equatable {
        case depth
        /// The number of rows that the selection can return.
        case rows(Int)
        /// The number of fields and fragments in the selection.
        case fields(Int)
    }

    let excess: Excess
    /// The value of the exceeded limit.
    package let max: Int
    /// The most expensive or deepest relation, as the path of its keys in the answer: `books.author`.
    package let path: String?

    /// The value of `data.limit` in the error object: `selection_depth` or `cost`.
    package var name: String { excess == .depth ? "selection_depth" : "cost" }

    /// The number of rows that the selection can return, or the number of its fields if they are too many. Nil for
    /// `selection_depth`.
    package var cost: Int? {
        switch excess {
        case .depth: nil
        case .rows(let count), .fields(let count): count
        }
    }
}

/// The number of rows that a selection can return from its to-many relationships, for each record it is applied to.
struct QueryCost: Sendable, Equatable {
    /// The sum over all to-many relationships of the product of `first` along the path to each.
    private(set) var rows = 0
    /// The relationship with the greatest product, as the path of its keys in the answer.
    private(set) var mostExpensivePath: String?
    private var greatestProduct = 0

    mutating func add(product: Int, path: [String]) {
        rows = saturatingSum(rows, product)
        if product > greatestProduct {
            greatestProduct = product
            mostExpensivePath = path.joined(separator: ".")
        }
    }

    /// The cost of a list of `first` records.
    func total(first: Int) -> Int {
        saturatingSum(first, saturatingProduct(first, rows))
    }

    /// The error for a list of `first` records; nil when its cost is within the limit.
    func limitError(first: Int, limits: Limits) -> QueryLimitError? {
        let rows = total(first: first)
        guard rows > limits.cost else { return nil }
        return QueryLimitError(excess: .rows(rows), max: limits.cost, path: mostExpensivePath)
    }
}

func saturatingSum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
}

func saturatingProduct(_ left: Int, _ right: Int) -> Int {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? .max : product
}
