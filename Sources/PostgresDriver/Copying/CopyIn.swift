extension PostgresConnection {
    /// Runs `COPY … FROM STDIN` with the bytes that `chunks` gives, cut anywhere, in the statement's format.
    ///
    /// The next chunk is asked for once the connection takes more, so a slow server slows its producer down. When
    /// `chunks` throws, the server undoes what it has received, and this throws the same error.
    /// - Returns: the number of rows.
    /// - Throws: what `chunks` throws; otherwise `PostgresError`: `.server` for a bad row (`server.context` names its
    ///   line), `.invalidParameter` for a text that is no COPY, `.protocolViolation` for one of the other direction,
    ///   `.timeout` and `.cancelled` (nothing was stored), `.connectionLost` when nothing can have been committed,
    ///   else `.outcomeUnknown`.
    public nonisolated(nonsending) func copyIn<Chunks: AsyncSequence>(
        _ sql: String, from chunks: Chunks
    ) async throws -> Int where Chunks.Element == [UInt8] {
        try CopyStatement.check(sql)
        let inlet = CopyInlet()
        let request = PoolRequest(pool, .copy(lease, CopyTransfer(sql: sql, flow: .into(inlet))), deadline: deadline)
        let outcome = Task {
            let outcome = await request.runToEnd()
            inlet.close()
            return outcome
        }
        let (mailbox, connection) = (pool.mailbox, lease.connection)
        let announce: @Sendable () -> Void = {
            mailbox.post(
                .perform {
                    if connection.exclusiveRequest === request { connection.continueSending(connection.loop.now) }
                })
        }
        return try await withTaskCancellationHandler {
            do {
                for try await chunk in chunks {
                    guard await inlet.write(chunk, announce: announce) else { break }
                }
                // A sequence may end early because its task was cancelled: what came is not all there is.
                inlet.end(Task.isCancelled ? .abandoned : .complete)
                announce()
            } catch {
                inlet.end(.abandoned)
                announce()
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
    /// The same on a connection of its own, for the time it takes.
    /// - Parameter deadline: of waiting for the connection and of the whole COPY.
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
