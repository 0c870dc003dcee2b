/// What one call may ask for at most; checked before a database connection is taken.
package struct Limits: Sendable {
    /// How many relations a selection or a filter may go through, one inside the other.
    package var selectionDepth: Int
    /// The price of a selection: the rows it can return at most.
    package var cost: Int
    /// What a to-many relation without `first` is taken to return, for the price.
    package var assumedRows: Int
    /// `first` of a list that names none.
    package var defaultFirst: Int
    package var maxFirst: Int
    /// Comparisons in one call, all its filters together.
    package var conditions: Int
    /// Steps over relations in one call's filters: each is a join or a subquery for Postgres to plan.
    package var filterRelations: Int
    /// Keys of one order, or of one grouping.
    package var orderKeys: Int
    /// Bytes of all values that a call hands to Postgres: a variable counts as often as it is named.
    package var parameterBytes: Int
    /// Fields in one selection once its fragments are expanded.
    package var fields: Int
    package var searchWords: Int
    /// Code points of a search, or of a pattern.
    package var searchLength: Int
    /// Problems reported for one call; further ones are left out.
    package var problems: Int

    package init(
        selectionDepth: Int = 6, cost: Int = 50_000, assumedRows: Int = 100, defaultFirst: Int = 50,
        maxFirst: Int = 500, conditions: Int = 1_000, filterRelations: Int = 30, orderKeys: Int = 32,
        parameterBytes: Int = 4 << 20, fields: Int = 2_000,
        searchWords: Int = 20,
        searchLength: Int = 1_000, problems: Int = 100
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
