import PostgresDriver

/// Rows of texts, as the row writer reads them.
protocol RowSource {
    var count: Int { get }
    func text(_ row: Int, _ column: Int) -> String?
    func isNull(_ row: Int, _ column: Int) -> Bool
    /// Calls `body` with a value's text where it lies, nil for null.
    func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R
}

extension Rows: RowSource {}
