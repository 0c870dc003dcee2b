import JSON

/// What one call may ask for at most. The planner checks it before a database connection is used. The limits of cost and
/// of parameters also apply to all calls of one HTTP request together (``RequestBudget``).
package struct CallLimits: Sendable {
    /// How many relations a selection or a filter may nest.
    package var selectionDepth: Int
    /// The maximum cost of a selection: the number of rows that it can return.
    package var cost: Int
    /// The maximum size in bytes of what a selection can return, with values of typical length. It is somewhat larger
    /// than the limit of a response, because most relations return fewer rows than they may.
    package var resultBytes: Int
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
        selectionDepth: Int = 6, cost: Int = 50_000, resultBytes: Int = 48 << 20, assumedRows: Int = 100,
        defaultFirst: Int = 50, maxFirst: Int = 500, conditions: Int = 1_000, filterRelations: Int = 30,
        orderKeys: Int = 32,
        parameterBytes: Int = 4 << 20, fields: Int = 2_000, searchWords: Int = 20, searchLength: Int = 1_000,
        problems: Int = 100
    ) {
        self.selectionDepth = selectionDepth
        self.cost = cost
        self.resultBytes = resultBytes
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

func saturatingSum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
}

func saturatingProduct(_ left: Int, _ right: Int) -> Int {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? .max : product
}
