extension Connection {
    /// Carries out what the state machine decided about a reply.
    /// - Parameter error: the server's error, if the reply is one.
    func act(on action: ConnectionStateMachine<PoolRequest>.ReplyAction, _ error: PostgresError? = nil) {
        switch action {
        case .none: break
        case .complete: failWithProtocolViolation("a success without a result")
        case .fail(let command): fail(command, error)
        case .failBatch(let requests):
            for request in requests where request.result.failure == nil { request.result.failure = error }
        case .skip(let command):
            // The statement is not prepared, so it must not stay in the cache.
            if case .prepare(_, let prepared) = command {
                statements.forget(prepared.statement, name: prepared.name, isOnServer: false)
            }
        case .endBatch(let batch): pool.batchEnded(batch, on: self)
        case .violation(let what): failWithProtocolViolation(what)
        }
    }

    /// A command succeeded. Keeps its rows and how long it ran.
    func complete(
        _ command: ConnectionStateMachine<PoolRequest>.Command, _ rows: Rows, _ now: ContinuousClock.Instant
    ) {
        // The settings of a read have no time of their own. The server sends their reply together with that of the read, and of
        // replies that are read together the first one has the time of all: the read would seem to take none.
        guard case .execute(let request, let prepared) = command else { return }
        if let taken = noteReply(now)?.microseconds {
            prepared.statement.statistics.succeeded(microseconds: taken)
            pool.queue.noteRunTime(microseconds: taken)
        } else {
            prepared.statement.statistics.succeeded(microseconds: 0)
        }
        switch request.operation {
        case .read where rows.isFromSelect: loop.finish(request, .rows(rows))
        case .read, .leasedRead: request.result.rows = rows
        default: request.result.steps.append(rows)
        }
    }

    private func fail(_ command: ConnectionStateMachine<PoolRequest>.Command, _ error: PostgresError?) {
        switch command {
        case .prepare(let request, let prepared):
            statements.forget(prepared.statement, name: prepared.name, isOnServer: false)
            request.result.failure = error
        case .execute(let request, let prepared), .settings(let request, let prepared):
            if let error, error.isStalePlan {
                statements.forget(prepared.statement, name: prepared.name, isOnServer: error.sqlState != "26000")
            } else {
                prepared.statement.statistics.failed()
            }
            request.result.failure = error
        case .internalCommand: break
        }
    }
}
