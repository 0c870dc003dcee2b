package import DomainKit

/// Why no plan was made of a call's params.
package enum PlanError: Error, Sendable, Equatable {
    /// Everything that is wrong with the params; never empty.
    case problems([Problem])
    case limit(QueryLimitError)
}

/// Params that are right but ask for too much.
package struct QueryLimitError: Error, Sendable, Equatable {
    /// What `data.limit` says: `selection_depth` or `cost`.
    package let name: String
    /// A short French sentence.
    package let message: String
    /// The rows that the selection can return at most, or the fields it names when these are too many; for `cost` alone.
    package let cost: Int?
    /// What would have been allowed.
    package let max: Int
    /// The dearest or deepest relation, by its keys in the answer: `books.author`.
    package let path: String?
}
