/// SQL that is prepared once per connection and then run by name.
///
/// Keep one object per SQL text: the prepared statement and the learned cost both hang on the object's identity,
/// so two objects with the same text are prepared twice.
public final class Statement: Sendable {
    public let sql: String

    /// What running it has cost lately; decides which connection it runs on and whether it may share a Sync.
    @Reactor var cost = LearnedCost()

    public init(_ sql: String) {
        self.sql = sql
    }
}

/// One statement with its parameters, as a part of a transaction.
public struct Step: Sendable {
    public let statement: Statement
    public let parameters: [Parameter]

    public init(_ statement: Statement, _ parameters: [Parameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}
