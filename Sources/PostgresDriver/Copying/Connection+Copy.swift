import CLibPQ

/// COPY on a leased connection: outside pipeline mode, which does not know it, and back.
extension Connection {
    private static let sliceSize = 64 << 10
    /// How long a server that breaks off may take to say the whole of its error.
    private static let suspicion: Duration = .milliseconds(100)
    /// Reads in one go before others get their turn.
    private static let readsPerTurn = 16

    /// In the extended protocol, which takes one statement only and commits no sooner than its end is reported.
    func startCopy(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        guard case .copy(_, let transfer) = request.operation else { return }
        copy = ActiveCopy(
            transfer: transfer,
            exchange: CopyExchange(
                transfer.direction, isInTransaction: PQtransactionStatus(raw) != PQTRANS_IDLE))
        guard PQexitPipelineMode(raw) == 1, PQsendQueryParams(raw, transfer.sql, 0, nil, nil, nil, nil, 0) == 1 else {
            return lose(libpq.errorMessage)
        }
        noteActivity(now)
        _ = flush()
    }

    func copyIsReady(readable: Bool, _ now: ContinuousClock.Instant) {
        guard let copy else { return }
        switch (copy.exchange.phase, copy.transfer.direction) {
        case (.transferring, _) where copy.isDiscarding, (.transferring, .out):
            receiveCopyData(afterReading: readable, now)
        case (.transferring, .into):
            if readable { listenWhileSending(now) }
            continueSending(now)
        default:
            let isAlive = !readable || SocketInput.consume(raw)
            receiveCopyReplies(isAlive: isAlive, now)
        }
    }

    // MARK: Answers

    private func receiveCopyReplies(isAlive: Bool, _ now: ContinuousClock.Instant) {
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        replies: while copy != nil, !isLost, isDrainable || PQisBusy(raw) == 0 {
            let action: CopyExchange.Action
            if let result = PQgetResult(raw) {
                let status = PQresultStatus(result)
                let reply = reply(status, result)
                PQclear(result)
                if case .failure(let error) = reply, error.server?.isLast ?? true || PQstatus(raw) == CONNECTION_BAD {
                    return lose(error.server?.message ?? libpq.errorMessage, serverFields: error.server)
                }
                guard let reply else { return failWithProtocolViolation("an answer that is none to COPY") }
                action = copy?.exchange.receive(reply) ?? .none
            } else {
                guard isAlive else { return lose(libpq.errorMessage) }
                action = copy?.exchange.receive(.end) ?? .none
            }
            switch action {
            case .none: break
            case .transfer:
                beginTransfer(now)
                break replies
            case .refuse: endData(.abandoned)
            case .discard:
                discardUnexpected(now)
                break replies
            case .finished(let failure): return endCopy(failure)
            }
        }
        guard !isLost else { return }
        guard isAlive else { return lose(libpq.errorMessage) }
        noteActivity(now)
    }

    private func reply(_ status: ExecStatusType, _ result: OpaquePointer) -> CopyExchange.Reply? {
        switch status {
        case PGRES_COPY_IN: return .readyForData
        case PGRES_COPY_OUT: return .dataFollow
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return .complete(rows: PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0)
        case PGRES_FATAL_ERROR:
            let fields = ServerFields(result)
            // Without a state it is libpq that speaks, of a connection that is gone.
            return .failure(PostgresError(.server, server: fields.sqlState.isEmpty ? nil : fields, cause: nil))
        default: return nil
        }
    }

    private func beginTransfer(_ now: ContinuousClock.Instant) {
        noteActivity(now)
        if exclusiveRequest?.cancellation.reason != nil { return copyCancelled() }
        switch copy?.transfer.flow {
        case .into: continueSending(now)
        case .out: receiveCopyData(afterReading: false, now)
        case nil: break
        }
    }

    private func endCopy(_ failure: PostgresError?) {
        guard let request = exclusiveRequest, let copy else { return }
        if case .into(let inlet) = copy.transfer.flow { inlet.close() }
        request.copiedRows = copy.exchange.rows
        endExclusiveRequest(failure)
    }

    // MARK: Data to the server

    /// Sends what the producer has left, as long as the socket takes it.
    func continueSending(_ now: ContinuousClock.Instant) {
        guard !isLost, let copy, copy.exchange.phase == .transferring, !copy.isDiscarding,
            case .into(let inlet) = copy.transfer.flow
        else { return }
        if hasUnsentData, !flush() { return }
        while !hasUnsentData {
            if self.copy?.outgoing.isEmpty ?? true {
                if let end = self.copy?.end { return endData(end) }
                let (bytes, end) = inlet.take()
                self.copy?.outgoing = bytes[...]
                self.copy?.end = end
                if bytes.isEmpty {
                    if end == nil { return }
                    continue
                }
            }
            guard let slice = self.copy?.outgoing.prefix(Self.sliceSize) else { return }
            let sent = slice.withUnsafeBytes { bytes in
                PQputCopyData(raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            guard sent >= 0 else { return lose(libpq.errorMessage) }
            if sent == 1 { self.copy?.outgoing.removeFirst(slice.count) }
            noteActivity(now)
            guard flush() else { return }
            if sent == 0 { return }
        }
    }

    private func endData(_ end: CopyInlet.End) {
        guard let copy else { return }
        if case .into(let inlet) = copy.transfer.flow { inlet.close() }
        self.copy?.outgoing = []
        self.copy?.suspectedAt = nil
        let ended = end == .complete ? PQputCopyEnd(raw, nil) : PQputCopyEnd(raw, "the client gave up")
        // Even a complaint may come after the words have left.
        self.copy?.exchange.dataEnded(isComplete: end == .complete)
        guard ended == 1 else { return lose(libpq.errorMessage) }
        guard flush() else { return }
        pool.hasPendingWork = true
    }

    /// While data are sent libpq shows notices, and keeps anything else to itself until the end. That can only be an
    /// error (or, rarely, a changed setting): the data are ended, which changes nothing for a server that has given up.
    private func listenWhileSending(_ now: ContinuousClock.Instant) {
        let before = libpq.notices.count
        guard SocketInput.consume(raw) else {
            // Makes libpq show what the server's last words were.
            _ = PQputCopyEnd(raw, "the connection is lost")
            return receiveCopyReplies(isAlive: false, now)
        }
        _ = PQisBusy(raw)
        var isHarmless = libpq.notices.count != before
        while let notification = PQnotifies(raw) {
            PQfreemem(notification)
            isHarmless = true
        }
        if isHarmless {
            copy?.suspectedAt = nil
        } else if copy?.suspectedAt == nil {
            copy?.suspectedAt = now
            pool.hasPendingWork = true
        }
    }

    /// - Returns: when to look again.
    func checkCopy(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let suspectedAt = copy?.suspectedAt, !isLost else { return nil }
        let due = suspectedAt + Self.suspicion
        guard now >= due else { return due }
        endData(.abandoned)
        return nil
    }

    // MARK: Data from the server

    /// Takes over what has come, until the consumer has enough.
    private func receiveCopyData(afterReading: Bool, _ now: ContinuousClock.Instant) {
        guard let copy, copy.exchange.phase == .transferring, !copy.isPaused else { return }
        var reads = 0
        var isAlive = true
        if afterReading {
            isAlive = PQconsumeInput(raw) == 1
            // A part of a large row is progress, too.
            noteActivity(now)
        }
        while true {
            var chunk: [UInt8] = []
            let end = takeCopyData(into: &chunk)
            if !chunk.isEmpty {
                noteActivity(now)
                if !deliver(chunk) { return pauseCopy() }
            }
            if end == .full { continue }
            if end == .over || !isAlive {
                if end == .over { self.copy?.exchange.dataEnded() }
                if isAlive, SocketInput.hasBufferedData(raw) { isAlive = SocketInput.consume(raw) }
                return receiveCopyReplies(isAlive: isAlive, now)
            }
            let hasMore = SocketInput.hasBufferedData(raw)
            guard hasMore || (!chunk.isEmpty && reads < Self.readsPerTurn) else { return }
            reads += 1
            isAlive = PQconsumeInput(raw) == 1
        }
    }

    private enum CopyDataEnd {
        /// There may be more.
        case full
        /// There is no complete message left.
        case empty
        case over
    }

    private func takeCopyData(into chunk: inout [UInt8]) -> CopyDataEnd {
        while chunk.count < Self.sliceSize {
            var message: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(raw, &message, 1)
            guard count > 0 else { return count == 0 ? .empty : .over }
            defer { PQfreemem(message) }
            if copy?.isDiscarding ?? true { continue }
            chunk.append(contentsOf: UnsafeRawBufferPointer(start: message, count: Int(count)))
        }
        return .full
    }

    private func deliver(_ chunk: [UInt8]) -> Bool {
        guard let copy, !copy.isDiscarding, case .out(let outlet) = copy.transfer.flow else { return true }
        return outlet.push(chunk)
    }

    private func pauseCopy() {
        copy?.isPaused = true
        loop.pause(self)
    }

    /// The consumer has taken enough for more to be read.
    func resumeCopy(_ now: ContinuousClock.Instant) {
        guard !isLost, copy?.isPaused ?? false else { return }
        copy?.isPaused = false
        loop.resume(self)
        noteActivity(now)
        receiveCopyData(afterReading: true, now)
    }

    private func discardCopy(_ now: ContinuousClock.Instant) {
        copy?.isDiscarding = true
        if copy?.isPaused ?? false { resumeCopy(now) } else { receiveCopyData(afterReading: false, now) }
    }

    /// Data come that the caller did not expect: the server may have much more of them.
    private func discardUnexpected(_ now: ContinuousClock.Instant) {
        copy?.isDiscarding = true
        if let exclusiveRequest { pool.cancel(exclusiveRequest, .cancelled, now) }
        discardCopy(now)
    }

    /// Its caller does not want it any more: the server is told where it waits for data, and data that come are read
    /// away until a cancel request has reached it.
    func copyCancelled() {
        guard !isLost, let copy, copy.exchange.phase == .transferring, !copy.isDiscarding else { return }
        switch copy.transfer.flow {
        case .into: endData(.abandoned)
        case .out(let outlet):
            outlet.discard()
            discardCopy(loop.now)
        }
    }
}
