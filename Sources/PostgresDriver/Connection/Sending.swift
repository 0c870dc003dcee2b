import CLibPQ

/// How calls leave on a connection.
extension Link {
    /// Sends of the backlog what the limits allow.
    func transmit(_ now: ContinuousClock.Instant) {
        // What follows a statement that is being cancelled might be hit in its place.
        guard !isLost, !isCancelRunning, script == nil else { return }
        while let next = backlog.first {
            if case .script(_, let sql) = next.kind {
                guard !isBusy else { break }
                _ = backlog.popFirst()
                startScript(next, sql, now)
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
                guard flightCount < sharedFlights else { break }
                guard send(Flight(.calls, takeShareable()), now) else { return }
            } else {
                guard flightCount < flightsAtMost, let call = backlog.popFirst() else { break }
                guard send(Flight(.calls, [call]), now) else { return }
            }
        }
        if !statements.evicted.isEmpty, flightCount < flightsAtMost {
            let names = statements.takeEvicted()
            _ = send(Flight(.deallocation), own: names.map { "DEALLOCATE s\($0)" }, now)
        }
    }

    private func takeShareable() -> [Call] {
        var calls: [Call] = []
        calls.reserveCapacity(min(backlog.count, Self.callsPerFlight))
        while calls.count < Self.callsPerFlight, let next = backlog.first, next.isShareable {
            _ = backlog.popFirst()
            calls.append(next)
        }
        return calls
    }

    /// Undoes what a lease may have left; the flight's end decides whether the connection is kept.
    func sendCleanup(_ now: ContinuousClock.Instant) {
        let commands = [
            "CLOSE ALL", "RESET SESSION AUTHORIZATION", "RESET ROLE", "RESET ALL", "UNLISTEN *",
            "SELECT pg_catalog.pg_advisory_unlock_all()", "DISCARD TEMP", "DISCARD SEQUENCES",
        ]
        _ = send(Flight(.cleanup), own: commands, now)
    }

    /// Answers false when the connection was lost in the attempt.
    private func send(
        _ flight: Flight, own commands: [String] = [], _ now: ContinuousClock.Instant
    ) -> Bool {
        let wasBusy = isBusy
        for call in flight.calls {
            call.place = .sent
            call.cancelsBefore = cancelsSent
        }
        var isSent = flight.purpose != .calls || sendPreamble()
        for call in flight.calls where isSent {
            switch call.work {
            case .none: break
            case .one(let statement, let parameters): isSent = send(statement, parameters, of: call)
            case .many(let steps):
                for step in steps where isSent { isSent = send(step.statement, step.parameters, of: call) }
            }
        }
        for command in commands where isSent {
            isSent = PQsendQueryParams(raw, command, 0, nil, nil, nil, nil, 0) == 1
            matcher.sent(.own)
        }
        var flight = flight
        if isSent {
            isSent = PQpipelineSync(raw) == 1
            matcher.sentSync()
            flight.isSynced = isSent
        }
        if current == nil { current = flight } else { flights.append(flight) }
        if !wasBusy { progressed(now) }
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

    private func send(_ statement: Statement, _ parameters: [Parameter], of call: Call) -> Bool {
        guard keepsState else {
            matcher.sent(.execute(call, statement, name: 0))
            return sendUnnamed(statement.sql, parameters)
        }
        let lookup = statements.use(statement)
        return loop.arena.with(name: lookup.name, parameters) { name, count, values, lengths, formats in
            if lookup.isNew {
                guard PQsendPrepare(raw, name, statement.sql, 0, nil) == 1 else { return false }
                matcher.sent(.prepare(call, statement, name: lookup.name))
            }
            guard PQsendQueryPrepared(raw, name, count, values, lengths, formats, 0) == 1 else { return false }
            matcher.sent(.execute(call, statement, name: lookup.name))
            return true
        }
    }

    /// A script runs in the simple protocol, which libpq does not speak in pipeline mode.
    private func startScript(_ call: Call, _ sql: String, _ now: ContinuousClock.Instant) {
        call.place = .sent
        script = call
        scriptFailure = nil
        guard PQexitPipelineMode(raw) == 1, PQsendQuery(raw, sql) == 1 else { return lose(errorMessage) }
        progressed(now)
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
