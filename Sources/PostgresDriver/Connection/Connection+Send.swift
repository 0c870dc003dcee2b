import CLibPQ

/// How calls leave on a connection.
extension Connection {
    /// Sends of the backlog what the limits allow.
    func transmit(_ now: ContinuousClock.Instant) {
        // What follows a statement that is being cancelled might be hit in its place.
        guard !isLost, !isCancelRunning, exclusiveRequest == nil else { return }
        while let next = backlog.first {
            if case .simpleQuery(_, let sql) = next.kind {
                guard !isBusy else { break }
                _ = backlog.popFirst()
                startSimpleQuery(next, sql, now)
                return
            }
            if case .copy(_, let transfer) = next.kind {
                guard !isBusy else { break }
                _ = backlog.popFirst()
                startCopy(next, transfer, now)
                return
            }
            // Behind a statement that gets stuck it could not be taken back, and nobody could say that it will not happen.
            if case .transaction = next.kind, isBusy { break }
            if next.isShareable {
                guard batchCount < maxSharedBatches else { break }
                guard send(Batch(.requests, takeShareable()), now) else { return }
            } else {
                guard batchCount < maxBatches, let request = backlog.popFirst() else { break }
                guard send(Batch(.requests, [request]), now) else { return }
            }
        }
        if !statements.evicted.isEmpty, batchCount < maxBatches {
            let names = statements.takeEvicted()
            _ = send(Batch(.deallocation), own: names.map { "DEALLOCATE s\($0)" }, now)
        }
    }

    private func takeShareable() -> [PoolRequest] {
        var requests: [PoolRequest] = []
        requests.reserveCapacity(min(backlog.count, Self.maxRequestsPerBatch))
        while requests.count < Self.maxRequestsPerBatch, let next = backlog.first, next.isShareable {
            _ = backlog.popFirst()
            requests.append(next)
        }
        return requests
    }

    /// Undoes what a lease may have left; the batch's end decides whether the connection is kept.
    func sendCleanup(_ now: ContinuousClock.Instant) {
        let commands = [
            "CLOSE ALL", "RESET SESSION AUTHORIZATION", "RESET ROLE", "RESET ALL", "UNLISTEN *",
            "SELECT pg_catalog.pg_advisory_unlock_all()", "DISCARD TEMP", "DISCARD SEQUENCES",
        ]
        _ = send(Batch(.cleanup), own: commands, now)
    }

    /// Answers false when the connection was lost in the attempt.
    private func send(
        _ batch: Batch, own commands: [String] = [], _ now: ContinuousClock.Instant
    ) -> Bool {
        let wasBusy = isBusy
        for request in batch.requests {
            request.state = .sent
            request.cancelsBefore = cancelsSent
        }
        var isSent = batch.purpose != .requests || sendPreamble()
        for request in batch.requests where isSent {
            switch request.work {
            case .none: break
            case .one(let statement, let parameters): isSent = send(statement, parameters, of: request)
            case .many(let steps):
                for step in steps where isSent { isSent = send(step.statement, step.parameters, of: request) }
            }
        }
        for command in commands where isSent {
            isSent = PQsendQueryParams(raw, command, 0, nil, nil, nil, nil, 0) == 1
            matcher.sent(.own)
        }
        var batch = batch
        if isSent {
            isSent = PQpipelineSync(raw) == 1
            matcher.sentSync()
            batch.isSynced = isSent
        }
        if current == nil { current = batch } else { batches.append(batch) }
        if !wasBusy { noteActivity(now) }
        guard isSent else {
            lose(errorMessage)
            return false
        }
        return flush()
    }

    private func sendPreamble() -> Bool {
        guard let preamble else { return true }
        matcher.sent(.own)
        return sendUnnamed(preamble.sql, preamble.parameters)
    }

    private func sendUnnamed(_ sql: String, _ parameters: [Parameter]) -> Bool {
        loop.arena.with(name: 0, parameters) { _, count, values, lengths, formats in
            PQsendQueryParams(raw, sql, count, nil, values, lengths, formats, 0) == 1
        }
    }

    private func send(_ statement: Statement, _ parameters: [Parameter], of request: PoolRequest) -> Bool {
        guard keepsState else {
            matcher.sent(.execute(request, statement, name: 0))
            return sendUnnamed(statement.sql, parameters)
        }
        let lookup = statements.use(statement)
        return loop.arena.with(name: lookup.name, parameters) { name, count, values, lengths, formats in
            if lookup.isNew {
                guard PQsendPrepare(raw, name, statement.sql, 0, nil) == 1 else { return false }
                matcher.sent(.prepare(request, statement, name: lookup.name))
            }
            guard PQsendQueryPrepared(raw, name, count, values, lengths, formats, 0) == 1 else { return false }
            matcher.sent(.execute(request, statement, name: lookup.name))
            return true
        }
    }

    /// A script runs in the simple protocol, which libpq does not speak in pipeline mode.
    private func startSimpleQuery(_ request: PoolRequest, _ sql: String, _ now: ContinuousClock.Instant) {
        request.state = .sent
        exclusiveRequest = request
        simpleQueryError = nil
        guard PQexitPipelineMode(raw) == 1, PQsendQuery(raw, sql) == 1 else { return lose(errorMessage) }
        noteActivity(now)
        _ = flush()
    }

    func flush() -> Bool {
        let left = PQflush(raw)
        guard left >= 0 else {
            lose(errorMessage)
            return false
        }
        if (left == 1) != wantsWrite {
            wantsWrite = left == 1
            loop.watch(self, wantsWrite: wantsWrite)
        }
        return true
    }
}
