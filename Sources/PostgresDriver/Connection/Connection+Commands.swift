import CLibPQ

extension Connection {
    private static let cleanup = [
        "CLOSE ALL", "RESET SESSION AUTHORIZATION", "RESET ROLE", "RESET ALL", "UNLISTEN *",
        "SELECT pg_catalog.pg_advisory_unlock_all()", "DISCARD TEMP", "DISCARD SEQUENCES",
    ]

    /// It lasts until the end of the batch, which is a transaction.
    private static let forceCustomPlan = "SELECT pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true)"

    /// Gives libpq the commands of a batch, without its Sync.
    /// - Returns: false when libpq refused one, which it does only on a broken connection.
    func sendCommands(of batch: Batch<PoolRequest>) -> Bool {
        switch batch.purpose {
        case .cleanup: return sendInternal(Self.cleanup)
        case .deallocation: return sendInternal(statements.takeEvicted().map { "DEALLOCATE s\($0)" })
        case .requests:
            for request in batch.requests { prepareToSend(request) }
            var isSent = sendPreamble()
            for request in batch.requests where isSent {
                switch request.operation {
                case .read(let statement, let parameters, let settings):
                    isSent =
                        (settings.map { send($0.statement, $0.parameters, of: request) { .settings(request, $0) } }
                            ?? true)
                        && (statement.planning == .generic || sendInternal([Self.forceCustomPlan]))
                        && send(statement, parameters, of: request)
                case .leasedRead(_, let statement, let parameters):
                    isSent = send(statement, parameters, of: request)
                case .transaction(let steps), .leasedTransaction(_, let steps):
                    for step in steps where isSent { isSent = send(step.statement, step.parameters, of: request) }
                case .lease, .release, .simpleQuery, .copy: break
                }
            }
            return isSent
        }
    }

    private func sendInternal(_ commands: [String]) -> Bool {
        for command in commands {
            guard PQsendQueryParams(raw, command, 0, nil, nil, nil, nil, 0) == 1 else { return false }
            noteSent(.internalCommand)
        }
        return true
    }

    private func sendPreamble() -> Bool {
        guard let preamble else { return true }
        noteSent(.internalCommand)
        return sendUnnamed(preamble.sql, preamble.parameters)
    }

    private func sendUnnamed(_ sql: String, _ parameters: [Parameter]) -> Bool {
        loop.arena.with(name: 0, parameters) { _, count, values, lengths, formats in
            PQsendQueryParams(raw, sql, count, nil, values, lengths, formats, 0) == 1
        }
    }

    private func send(_ statement: Statement, _ parameters: [Parameter], of request: PoolRequest) -> Bool {
        send(statement, parameters, of: request) { .execute(request, $0) }
    }

    private func send(
        _ statement: Statement, _ parameters: [Parameter], of request: PoolRequest,
        as command: (PreparedStatement) -> ConnectionStateMachine<PoolRequest>.Command
    ) -> Bool {
        guard pool.configuration.pooling == .session else {
            noteSent(command(PreparedStatement(statement: statement, name: 0)))
            return sendUnnamed(statement.sql, parameters)
        }
        let lookup = statements.use(statement)
        let prepared = PreparedStatement(statement: statement, name: lookup.name)
        return loop.arena.with(name: lookup.name, parameters) { name, count, values, lengths, formats in
            if lookup.isNew {
                guard PQsendPrepare(raw, name, statement.sql, 0, nil) == 1 else { return false }
                noteSent(.prepare(request, prepared))
            }
            guard PQsendQueryPrepared(raw, name, count, values, lengths, formats, 0) == 1 else { return false }
            noteSent(command(prepared))
            return true
        }
    }
}
