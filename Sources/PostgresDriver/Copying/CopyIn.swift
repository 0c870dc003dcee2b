extension PostgresConnection {
    /// Runs `COPY … FROM STDIN` on this connection with the data that `chunks` yields.
    ///
    /// ```swift
    /// try await client.withConnection { connection in
    ///     try await connection.simpleQuery("BEGIN")
    ///     let count = try await connection.copyIn("COPY items FROM STDIN WITH (FORMAT csv)", from: lines)
    ///     try await connection.simpleQuery("COMMIT")
    ///     print("\(count) rows")
    /// }
    /// ```
    ///
    /// The driver asks for the next chunk when the connection can take it, so a slow server slows the producer down; it
    /// holds 128 KiB and one chunk at most. If `chunks` throws, the server undoes the COPY and this method throws the same
    /// error. The connection stays usable after every error but a lost connection.
    /// - Parameters:
    ///   - sql: one COPY statement, in any format.
    ///   - chunks: bytes in the statement's format. A row may span several chunks.
    /// - Returns: the number of rows that the server reports.
    /// - Throws: the error of `chunks`, or `PostgresError`:
    ///   - `.server` for a bad row; `server.context` contains its line number;
    ///   - `.invalidParameter` for a text that is not a COPY, `.protocolViolation` for COPY … TO;
    ///   - `.timeout` after the deadline of `withConnection`, `.cancelled` with the task: no row was stored;
    ///   - `.connectionLost` if no row can have been committed, else `.outcomeUnknown`;
    ///   - `.closed` when the connection has been returned to its pool.
    public nonisolated(nonsending) func copyIn<Chunks: AsyncSequence>(
        _ sql: String, from chunks: Chunks
    ) async throws -> Int where Chunks.Element == [UInt8] {
        try CopyStatement.check(sql)
        let buffer = CopyInBuffer()
        let request = PoolRequest(pool, .copy(lease, CopyTransfer(sql: sql, buffer: .into(buffer))), deadline: deadline)
        let outcome = Task {
            let outcome = await request.runToEnd()
            buffer.close()
            return outcome
        }
        let (mailbox, connection) = (pool.mailbox, lease.connection)
        let wake: @Sendable () -> Void = {
            mailbox.post(
                .perform {
                    if connection.exclusiveRequest === request { connection.continueSending(connection.loop.now) }
                })
        }
        return try await withTaskCancellationHandler {
            do {
                for try await chunk in chunks {
                    guard await buffer.append(chunk, wake: wake) else { break }
                }
                // Many sequences end early, without an error, when their task is cancelled: the data are incomplete then.
                buffer.finish(Task.isCancelled ? .aborted : .complete)
                wake()
            } catch {
                buffer.finish(.aborted)
                wake()
                _ = await outcome.value
                throw error
            }
            try await outcome.value.done()
            return request.copiedRows
        } onCancel: {
            mailbox.post(.cancel(request))
        }
    }
}

extension PostgresClient {
    /// Runs `COPY … FROM STDIN` on a connection of the pool, which it occupies until it returns.
    ///
    /// ```swift
    /// var encoder = CopyTextEncoder()
    /// encoder.append(["7", "lamp"])
    /// let chunks = AsyncStream<[UInt8]> { $0.yield(encoder.take()); $0.finish() }
    /// let count = try await client.copyIn("COPY items FROM STDIN", from: chunks)
    /// ```
    /// - Parameters:
    ///   - sql: one COPY statement, in any format.
    ///   - chunks: bytes in the statement's format. A row may span several chunks.
    ///   - deadline: applies to the wait for a connection and to the COPY as a whole.
    /// - Returns: the number of rows that the server reports.
    /// - Throws: as `PostgresConnection.copyIn`; also `.unavailable` when no connection could be had, `.closed` after
    ///   `shutdown` and `.unsupported` with `pooling = .transaction`.
    public nonisolated(nonsending) func copyIn<Chunks: AsyncSequence>(
        _ sql: String, from chunks: Chunks, deadline: ContinuousClock.Instant? = nil
    ) async throws -> Int where Chunks.Element == [UInt8] {
        try CopyStatement.check(sql)
        guard pool.configuration.pooling == .session else { throw PostgresError.leaseThroughPooler }
        let lease = try await PoolRequest(pool, .lease, deadline: deadline).run().lease()
        let connection = PostgresConnection(pool, lease, deadline: deadline)
        let outcome: Result<Int, any Error>
        do {
            outcome = .success(try await connection.copyIn(sql, from: chunks))
        } catch {
            outcome = .failure(error)
        }
        _ = await PoolRequest(pool, .release(lease)).runToEnd()
        return try outcome.get()
    }
}
