/// What COPY … TO STDOUT gives, in chunks: whole rows, of some tens of kilobytes where rows are short.
///
/// The statement is sent when the first chunk is asked for. A consumer that lags behind makes the server wait: no more
/// than a few hundred kilobytes, or the largest row, are held. Leaving the loop ends the statement. For one iteration.
///
/// Iterating throws what the statement would: `.server`, `.timeout`, `.cancelled`, `.connectionLost`, `.unavailable`.
public struct CopyOut: AsyncSequence, Sendable {
    /// A chunk: whole rows, in the statement's format.
    public typealias Element = [UInt8]
    /// Any of the kinds that a read has.
    public typealias Failure = PostgresError

    enum Source: Sendable {
        case lease(Lease)
        /// A connection of the pool, for as long as the iteration lasts.
        case pool
    }

    let pool: ConnectionPool
    let source: Source
    let sql: String
    let deadline: ContinuousClock.Instant?

    /// Begins an iteration; the statement is sent with its first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(copy: self)
    }

    /// One run of the statement. It ends on the server when the iterator goes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let copy: CopyOut
        fileprivate var iteration: Iteration?
        fileprivate var isOver = false

        fileprivate init(copy: CopyOut) {
            self.copy = copy
        }

        /// The next chunk; nil at the end. Throws once, and is over then.
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
            case .lease(let lease): begun = Iteration(copy, on: lease, isOwn: false)
            case .pool:
                guard copy.pool.configuration.pooling == .session else { throw PostgresError.leaseThroughPooler }
                let lease = try await PoolRequest(copy.pool, .lease, deadline: copy.deadline).run().lease()
                begun = Iteration(copy, on: lease, isOwn: true)
            }
            iteration = begun
            return begun
        }
    }

    /// A COPY under way; it ends with its iterator.
    fileprivate final class Iteration: Sendable {
        private let request: PoolRequest
        private let lease: Lease
        private let outlet = CopyOutlet()
        /// Whether the lease is this iteration's to end.
        private let isOwn: Bool

        init(_ copy: CopyOut, on lease: Lease, isOwn: Bool) {
            self.lease = lease
            self.isOwn = isOwn
            let outlet = outlet
            let request = PoolRequest(
                copy.pool, .copy(lease, CopyTransfer(sql: copy.sql, flow: .out(outlet))), deadline: copy.deadline)
            self.request = request
            Task { outlet.finish(await request.runToEnd()) }
        }

        deinit {
            let mailbox = request.pool.mailbox
            mailbox.post(.cancel(request))
            if isOwn { mailbox.post(.submit(PoolRequest(request.pool, .release(lease)))) }
        }

        func next(isolation actor: isolated (any Actor)?) async throws(PostgresError) -> [UInt8]? {
            let (request, connection) = (request, lease.connection)
            let mailbox = request.pool.mailbox
            let next = await withTaskCancellationHandler {
                () async -> Result<[UInt8]?, PostgresError> in
                do throws(PostgresError) {
                    return .success(
                        try await outlet.next { mailbox.post(.perform { connection.resumeCopy(connection.loop.now) }) })
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
    /// Runs `COPY … TO STDOUT` and gives what it says in chunks, none of it before it is asked for.
    ///
    /// Nothing else can run on this connection until the iteration has ended.
    public func copyOut(_ sql: String) -> CopyOut {
        CopyOut(pool: pool, source: .lease(lease), sql: sql, deadline: deadline)
    }
}

extension PostgresClient {
    /// Runs `COPY … TO STDOUT` on a connection that the iteration has to itself.
    /// - Parameter deadline: of waiting for the connection and of the whole COPY.
    public func copyOut(_ sql: String, deadline: ContinuousClock.Instant? = nil) -> CopyOut {
        CopyOut(pool: pool, source: .pool, sql: sql, deadline: deadline)
    }
}
