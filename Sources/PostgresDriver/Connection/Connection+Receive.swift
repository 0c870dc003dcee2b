import CLibPQ

/// How replies come back on a connection.
extension Connection {
    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant) {
        guard !isLost else { return }
        if writable { drainCount += 1 }
        if copy != nil {
            copyIsReady(readable: readable, now)
            if !isLost, wantsWrite { _ = flush() }
            return
        }
        var isAlive = true
        if readable { isAlive = SocketInput.consume(raw) }
        if exclusiveRequest == nil {
            receiveReplies(isAlive: isAlive, now)
        } else {
            receiveSimpleQueryResults(isAlive: isAlive, now)
        }
        dropNotifications()
        guard !isLost else { return }
        guard isAlive else { return lose(errorMessage) }
        if wantsWrite { _ = flush() }
    }

    /// A lease may listen, but notifications are delivered by `listen` alone; here they would only pile up in libpq.
    func dropNotifications() {
        while let notification = PQnotifies(raw) { PQfreemem(notification) }
    }

    private func receiveReplies(isAlive: Bool, _ now: ContinuousClock.Instant) {
        // An idle connection has no replies, but notices and the reason why it ends; asking makes libpq read them.
        guard matcher.isWaiting else {
            _ = PQisBusy(raw)
            if let serverMessage = handle.notices.fatalNotice { lose(serverMessage) }
            return
        }
        // Once libpq has given the connection up it answers what it has and then an error, and never blocks.
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        while matcher.isWaiting, !isLost, isDrainable || PQisBusy(raw) == 0 {
            receive(PQgetResult(raw), now)
        }
        guard !isLost else { return }
        noteActivity(now)
        pool.hasPendingWork = true
    }

    private func receive(_ result: OpaquePointer?, _ now: ContinuousClock.Instant) {
        guard let result else { return act(on: matcher.receive(.end)) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            let rows = Rows(owning: result)
            guard case .succeeded(let token) = matcher.receive(.success) else {
                return failWithProtocolViolation("a reply out of turn")
            }
            succeeded(token, rows, now)
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            act(on: matcher.receive(.sync))
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            act(on: matcher.receive(.skipped))
        case PGRES_FATAL_ERROR:
            let fields = ServerFields(result)
            PQclear(result)
            failed(fields)
        default:
            PQclear(result)
            failWithProtocolViolation("COPY is not possible in a query")
        }
    }

    private func act(on action: ReplyMatcher<Token>.Action) {
        switch action {
        case .none, .succeeded, .failed, .failedAtSync: break
        case .skipped(let token):
            // What was not prepared must not be taken for prepared.
            if case .prepare(_, let statement, let name) = token {
                statements.forget(statement, name: name, isOnServer: false)
            }
        case .synced:
            guard let batch = current else { return failWithProtocolViolation("a Sync without a flight") }
            current = batches.popFirst()
            pool.batchEnded(batch, on: self)
        case .violation(let what): failWithProtocolViolation(what)
        }
    }

    private func succeeded(_ token: Token, _ rows: Rows, _ now: ContinuousClock.Instant) {
        guard case .execute(let request, let statement, _) = token else { return }
        if lastActivity == now {
            // It came together with the one before: what both took was counted there.
            statement.statistics.succeeded(microseconds: 0)
        } else {
            let taken = (now - lastActivity).microseconds
            statement.statistics.succeeded(microseconds: taken)
            pool.typicalRunTime.add(taken)
            lastActivity = now
        }
        switch request.kind {
        case .read where rows.isFromSelect: loop.finish(request, .rows(rows))
        case .read, .leasedRead: request.held = rows
        default: request.results.append(rows)
        }
    }

    private func failed(_ fields: ServerFields) {
        // A connection that ends says so in the place of a reply, if it can.
        if fields.sqlState.isEmpty || fields.isLast || PQstatus(raw) == CONNECTION_BAD {
            return lose(fields.message, serverFields: fields.sqlState.isEmpty ? nil : fields)
        }
        let error = PostgresError(.server, server: fields)
        switch matcher.receive(.failure) {
        case .failed(.prepare(let request, let statement, let name)):
            statements.forget(statement, name: name, isOnServer: false)
            current?.hasFailed = true
            request.failure = error
        case .failed(.execute(let request, let statement, let name)):
            if error.isStalePlan {
                statements.forget(statement, name: name, isOnServer: error.sqlState != "26000")
            } else {
                statement.statistics.failed()
            }
            current?.hasFailed = true
            request.failure = error
        case .failed(.own):
            current?.hasFailed = true
            // Without its preamble no call of the batch was run, and it would fail for each.
            if current?.purpose == .requests { current?.syncFailure = error }
        case .failedAtSync:
            current?.hasFailed = true
            current?.syncFailure = error
        case .violation(let what): failWithProtocolViolation(what)
        default: failWithProtocolViolation("a failure out of turn")
        }
    }

    private func receiveSimpleQueryResults(isAlive: Bool, _ now: ContinuousClock.Instant) {
        noteActivity(now)
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        while exclusiveRequest != nil, !isLost, isDrainable || PQisBusy(raw) == 0 {
            guard let result = PQgetResult(raw) else { return endSimpleQuery() }
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR {
                let fields = ServerFields(result)
                if fields.sqlState.isEmpty { lose(fields.message) }
                simpleQueryError = simpleQueryError ?? PostgresError(.server, server: fields, isRetrySafe: false)
            }
            PQclear(result)
            if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH {
                failWithProtocolViolation("COPY is not possible in a script")
            }
        }
    }

    private func endSimpleQuery() {
        guard let request = exclusiveRequest, PQstatus(raw) == CONNECTION_OK, PQenterPipelineMode(raw) == 1 else {
            return lose(errorMessage)
        }
        exclusiveRequest = nil
        pool.exclusiveRequestEnded(request, simpleQueryError, on: self)
    }
}

extension PostgresError {
    /// The prepared statement is gone, or what it returned has changed; independent of the server's language.
    var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && server?.routine == "RevalidateCachedQuery")
    }
}
