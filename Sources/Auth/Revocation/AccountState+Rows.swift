import PostgresDriver

extension AccountState {
    /// An account that the query found only because it is active. Columns: role, version; nil when there is no such row.
    init?(activeIn rows: Rows, row: Int, firstColumn: Int) {
        guard row < rows.count, let role = rows.text(row, firstColumn),
            let version = rows.text(row, firstColumn + 1).flatMap({ Int64($0) })
        else { return nil }
        self.init(role: role, isActive: true, version: version)
    }
}
