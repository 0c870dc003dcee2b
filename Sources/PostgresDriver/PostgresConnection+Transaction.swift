extension PostgresConnection {
    /// Runs `body` between BEGIN and COMMIT, or ROLLBACK when it throws or its result is not to be kept.
    ///
    /// ```swift
    /// let report = try await connection.inTransaction(committing: \.isDone) {
    ///     try await importRows(on: connection)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - begin: the text that begins the transaction, with its mode and its settings.
    ///   - isKept: whether the transaction of this result is committed.
    /// - Throws: what `body` throws, and as ``simpleQuery(_:)``.
    public nonisolated(nonsending) func inTransaction<R>(
        _ begin: String = "BEGIN", committing isKept: (R) -> Bool = { _ in true },
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        do {
            try await simpleQuery(begin)
            let result = try await body()
            try await simpleQuery(isKept(result) ? "COMMIT" : "ROLLBACK")
            return result
        } catch {
            // If this fails, the pool closes the connection.
            do { try await simpleQuery("ROLLBACK") } catch {}
            throw error
        }
    }
}
