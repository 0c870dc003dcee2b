/// One SQL statement, with `$1`, `$2`, … for its parameters. It is prepared once per connection and then run by name.
///
/// ```swift
/// enum Items {
///     static let byID = Statement("SELECT name, price FROM items WHERE id = $1")
/// }
/// ```
///
/// Keep one object per SQL text: the prepared statement and the learned cost both hang on the object's identity,
/// so two objects with the same text are prepared twice.
public final class Statement: Sendable {
    /// The text, as it was given.
    public let sql: String

    /// What running it has cost lately; decides which connection it runs on and whether it may share a Sync.
    @Reactor var statistics = StatementStatistics()

    /// - Parameter sql: one statement, without a semicolon and more behind it. It is not looked at: the server's verdict on
    ///   it is the error of the call that runs it.
    public init(_ sql: String) {
        self.sql = sql
    }
}

/// One statement with its parameters, as a part of a transaction.
public struct Step: Sendable {
    /// What is run.
    public let statement: Statement
    /// What its placeholders stand for: the first is `$1`.
    public let parameters: [Parameter]

    /// A step that runs `statement` with `parameters`.
    public init(_ statement: Statement, _ parameters: [Parameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }
}
