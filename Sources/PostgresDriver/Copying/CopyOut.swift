/// The output of `COPY … TO STDOUT` as an asynchronous sequence of chunks.
///
/// ```swift
/// for try await chunk in client.copyOut("COPY items TO STDOUT WITH (FORMAT csv)") {
///     try file.write(contentsOf: chunk)
/// }
/// ```
///
/// The statement is sent when the first chunk is requested. Each chunk holds whole rows; short rows are gathered into
/// chunks of some tens of kilobytes. A slow consumer makes the server wait: the driver holds about 256 KiB, or one row if
/// that is larger. Leaving the loop cancels the statement on the server.
///
/// Iterate over it once: every iteration runs the statement again. It does not keep its client alive, so hold the client
/// until the loop ends.
///
/// Iterating throws `PostgresError`: `.server`, `.timeout`, `.cancelled`, `.connectionLost`, `.unavailable`, `.closed`,
/// `.invalidParameter` for a text that is not a COPY, `.protocolViolation` for COPY … FROM, and `.unsupported` with
/// `pooling = .transaction`.
public struct CopyOut: AsyncSequence, Sendable {
    /// One chunk: whole rows, in the statement's format.
    public typealias Element = [UInt8]
    /// The error that iterating throws.
    public typealias Failure = PostgresError

    enum Source: Sendable {
        case lease(Lease)
        /// A connection of the pool, leased until the iteration ends.
        case pool
    }

    let pool: ConnectionPool
    let source: Source
    let sql: String
    let deadline: ContinuousClock.Instant?

    /// Makes an iterator, which sends the statement with its first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(copy: self)
    }

    /// One run of the statement. When the iterator is destroyed before its end, the statement is cancelled on the server.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let copy: CopyOut
        fileprivate var iteration: Iteration?
        fileprivate var isOver = false

        fileprivate init(copy: CopyOut) {
            self.copy = copy
        }

        /// Returns the next chunk, or nil at the end and after an error. Waits on `actor`, by default the caller's.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PostgresError) -> [UInt8]? {
            guard !isOver else { return nil }
            do throws(PostgresError) {
                let iteration = if let iteration { iteration } else { try await begin(isolation: actor) }
                if let chunk = try await iteration.next(isolation: actor) { return chunk }
            } catch {
                isOver = true
                iteration = nil
                throw error
            }
            isOver = true
            iteration = nil
            return nil
        }

        private mutating func begin(isolation actor: isolated (any Actor)?) async throws(PostgresError) -> Iteration {
            try CopyStatement.check(copy.sql)
            let begun: Iteration
            switch copy.source {
            case .lease(let lease): begun = Iteration(copy, on: lease, ownsLease: false)
            case .pool:
                guard copy.pool.configuration.pooling == .session else { throw PostgresError.leaseThroughPooler }
                let lease = try await PoolRequest(copy.pool, .lease, deadline: copy.deadline).run().lease()
                begun = Iteration(copy, on: lease, ownsLease: true)
            }
            iteration = begun
            return begun
        }
    }

    /// A COPY in progress. It is cancelled when its iterator is destroyed.
    fileprivate final class Iteration: Sendable {
        private let request: PoolRequest
        private let lease: Lease
        private let buffer = CopyOutBuffer()
        /// Whether this iteration took the lease, and so must release it.
        private let ownsLease: Bool

        init(_ copy: CopyOut, on lease: Lease, ownsLease: Bool) {
            self.lease = lease
            self.ownsLease = ownsLease
            let buffer = buffer
            let request = PoolRequest(
                copy.pool, .copy(lease, CopyTransfer(sql: copy.sql, buffer: .out(buffer))), deadline: copy.deadline)
            self.request = request
            Task { buffer.finish(await request.runToEnd()) }
        }

        deinit {
            let mailbox = request.pool.mailbox
            mailbox.post(.cancel(request))
            if ownsLease { mailbox.post(.submit(PoolRequest(request.pool, .release(lease)))) }
        }

        func next(isolation actor: isolated (any Actor)?) async throws(PostgresError) -> [UInt8]? {
            let (request, connection) = (request, lease.connection)
            let mailbox = request.pool.mailbox
            let next = await withTaskCancellationHandler {
                () async -> Result<[UInt8]?, PostgresError> in
                do throws(PostgresError) {
                    return .success(
                        try await buffer.next { mailbox.post(.perform { connection.resumeCopy(connection.loop.now) }) })
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                mailbox.post(.cancel(request))
            }
            return try next.get()
        }
    }
}

extension PostgresConnection {
    /// Returns the output of `COPY … TO STDOUT` on this connection. The statement is sent by the iteration.
    ///
    /// ```swift
    /// try await client.withConnection { connection in
    ///     try await connection.simpleQuery("BEGIN ISOLATION LEVEL REPEATABLE READ")
    ///     for table in ["items", "orders"] {
    ///         for try await chunk in connection.copyOut("COPY \(table) TO STDOUT") { try file.write(contentsOf: chunk) }
    ///     }
    /// }
    /// ```
    ///
    /// Other calls on the connection wait until the iteration has ended.
    /// - Parameter sql: one COPY statement, in any format.
    public func copyOut(_ sql: String) -> CopyOut {
        CopyOut(pool: pool, source: .lease(lease), sql: sql, deadline: deadline)
    }
}

extension PostgresClient {
    /// Returns the output of `COPY … TO STDOUT`. The iteration runs the statement, on a connection of its own.
    /// - Parameters:
    ///   - sql: one COPY statement, in any format.
    ///   - deadline: applies to the wait for a connection and to the COPY as a whole.
    public func copyOut(_ sql: String, deadline: ContinuousClock.Instant? = nil) -> CopyOut {
        CopyOut(pool: pool, source: .pool, sql: sql, deadline: deadline)
    }
}
