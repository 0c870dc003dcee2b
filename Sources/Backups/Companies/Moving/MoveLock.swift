import PostgresDriver

/// One command at a time moves a company, or undoes its move: two would enter the rounds of one over those of the other.
enum MoveLock {
    /// Takes the lock of the company, which the connection keeps until it is given back.
    ///
    /// - Parameter connection: one of the installation that the company leaves.
    /// - Throws: `BackupError` if another command has it.
    static func take(_ company: Int64, on connection: PostgresConnection) async throws {
        guard try await connection.query(taking, [.text(String(company))]).text(0, 0) == "true" else {
            throw BackupError("another command moves company \(company): wait for it")
        }
    }

    private static let taking = Statement(
        "SELECT pg_try_advisory_lock(20776, ($1::bigint % 2147483647)::integer)::text")
}
