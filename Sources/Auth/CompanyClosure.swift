import PostgresDriver

/// Why no call is answered in a company.
package enum CompanyClosure: Sendable, Hashable {
    /// Until an operator resumes it. Nothing of it is lost.
    case suspended
    /// Another installation serves it, at this public address, which has no slash at its end.
    case moved(to: String)

    /// An SQL expression for the closure of the company `row`, a row of `kernel.companies`: null if it is served.
    static func column(of row: String) -> String {
        "CASE WHEN \(row).move = 'moved' THEN \(row).move_to WHEN \(row).suspended_at IS NOT NULL THEN '' END"
    }

    /// Reads what ``column(of:)`` gives; nil if the company is served.
    init?(in rows: Rows, row: Int = 0, column: Int) {
        guard let text = rows.text(row, column) else { return nil }
        self = text.isEmpty ? .suspended : .moved(to: text)
    }
}
