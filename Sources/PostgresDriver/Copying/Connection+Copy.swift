import CLibPQ

/// The COPY of a request: its statement and the buffer that it shares with the caller's task.
struct CopyTransfer: Sendable {
    enum Buffer: Sendable {
        case into(CopyInBuffer)
        case out(CopyOutBuffer)
    }

    let sql: String
    let buffer: Buffer

    var direction: CopyExchange.Direction {
        switch buffer {
        case .into: .into
        case .out: .out
        }
    }
}

/// The state of a COPY in progress on a connection.
struct ActiveCopy {
    let transfer: CopyTransfer
    var exchange: CopyExchange
    /// Bytes taken from the buffer that libpq has not accepted yet.
    var unsent: ArraySlice<UInt8> = []
    var end: CopyInBuffer.End?
    /// What is not sent yet waits until the socket has room.
    var awaitsRoom = false
    /// The driver does not read from the socket, because the consumer lags behind.
    var isPaused = false
    /// Incoming data are dropped.
    var isDiscarding = false
    /// When something other than a notice arrived while data were being sent. It is most likely an error.
    var suspectedErrorAt: ContinuousClock.Instant?

    /// Whether the next step is up to the caller, so that a silent server is no sign of a dead connection.
    var awaitsCaller: Bool {
        guard exchange.phase == .transferring, !isDiscarding else { return false }
        switch transfer.buffer {
        case .into: return unsent.isEmpty && end == nil
        case .out: return isPaused
        }
    }
}

/// COPY on a leased connection. libpq does not support COPY in pipeline mode, so the connection leaves that mode for the
/// length of the COPY.
extension Connection {
    /// How much libpq gets at once of the data that it sends, in bytes. A socket that has room at all has room for as much, but
    /// for a kernel that is short of memory: libpq then reads an error that nobody hears before the data have ended.
    private static let sliceSize = 16 << 10
    /// How much of the data that it receives the consumer gets at once, in bytes.
    private static let chunkSize = 64 << 10
    /// How long the driver waits for the rest of an error message that a server sends in the middle of the data.
    private static let errorGracePeriod: Duration = .milliseconds(100)
    /// The number of reads from the socket before the event loop serves other connections.
    private static let maxReadsPerEvent = 16

    /// Sends the statement in the extended protocol. Unlike the simple protocol it takes exactly one statement and
    /// commits no sooner than the end of that statement is reported.
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

    /// Continues the COPY when the socket is ready.
    func onCopyReady(readable: Bool, _ now: ContinuousClock.Instant) {
        guard let copy else { return }
        switch (copy.exchange.phase, copy.transfer.direction) {
        case (.transferring, _) where copy.isDiscarding, (.transferring, .out):
            receiveCopyData(afterReading: readable, now)
        case (.transferring, .into):
            if readable { checkForErrors(now) }
            continueSending(now)
        default:
            let isAlive = !readable || SocketInput.consume(raw)
            receiveCopyReplies(isAlive: isAlive, now)
        }
    }

    // MARK: Replies

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
                guard let reply else { return failWithProtocolViolation("an unexpected reply to COPY") }
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
            case .abort: endData(.aborted)
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
            // An error without SQLSTATE is libpq's own: the connection is lost.
            return .failure(PostgresError(.server, server: fields.sqlState.isEmpty ? nil : fields, cause: nil))
        default: return nil
        }
    }

    private func beginTransfer(_ now: ContinuousClock.Instant) {
        noteActivity(now)
        if exclusiveRequest?.cancellation.reason != nil { return cancelCopy() }
        switch copy?.transfer.buffer {
        case .into: continueSending(now)
        case .out: receiveCopyData(afterReading: false, now)
        case nil: break
        }
    }

    private func endCopy(_ failure: PostgresError?) {
        guard let request = exclusiveRequest, let copy else { return }
        if case .into(let buffer) = copy.transfer.buffer { buffer.close() }
        request.copiedRows = copy.exchange.rows
        endExclusiveRequest(failure)
    }

    // MARK: Data to the server

    /// Sends the bytes in the buffer until the socket is full.
    ///
    /// libpq gets no more than the socket takes at once. It would read from a socket that takes only a part, and what it reads
    /// unasked during COPY … FROM shows nowhere: an error of the server would be noticed when the data end, if they end.
    func continueSending(_ now: ContinuousClock.Instant) {
        guard !isLost, let copy, copy.exchange.phase == .transferring, !copy.isDiscarding,
            case .into(let buffer) = copy.transfer.buffer
        else { return }
        self.copy?.awaitsRoom = false
        if hasUnsentData, !flush() { return }
        while !hasUnsentData {
            if self.copy?.unsent.isEmpty ?? true {
                if let end = self.copy?.end { return endData(end) }
                let (bytes, end) = buffer.take()
                self.copy?.unsent = bytes[...]
                self.copy?.end = end
                if bytes.isEmpty {
                    if end == nil { return }
                    continue
                }
            }
            guard let slice = self.copy?.unsent.prefix(Self.sliceSize) else { return }
            let socket = SocketReadiness(of: libpq.socket)
            if socket.isReadable { checkForErrors(now) }
            guard !isLost, self.copy?.exchange.phase == .transferring else { return }
            guard socket.isWritable else {
                self.copy?.awaitsRoom = true
                // Nothing is left to be sent, but now the socket is watched for room.
                _ = flush()
                return
            }
            let sent = slice.withUnsafeBytes { bytes in
                PQputCopyData(raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            guard sent >= 0 else { return lose(libpq.errorMessage) }
            if sent == 1 { self.copy?.unsent.removeFirst(slice.count) }
            noteActivity(now)
            guard flush() else { return }
            if sent == 0 { return }
        }
    }

    private func endData(_ end: CopyInBuffer.End) {
        guard let copy else { return }
        if case .into(let buffer) = copy.transfer.buffer { buffer.close() }
        self.copy?.unsent = []
        self.copy?.awaitsRoom = false
        self.copy?.suspectedErrorAt = nil
        let ended = end == .complete ? PQputCopyEnd(raw, nil) : PQputCopyEnd(raw, "the client aborted the COPY")
        // Even when libpq reports an error here, the message may have been sent.
        self.copy?.exchange.dataEnded(isComplete: end == .complete)
        guard ended == 1 else { return lose(libpq.errorMessage) }
        guard flush() else { return }
        pool.hasPendingWork = true
    }

    /// Detects an error that the server sends while data are being sent, so that the producer stops early.
    ///
    /// During COPY … FROM libpq delivers notices and notifications, and keeps any other message until the data have ended.
    /// Such a message is almost always an error (rarely, a changed setting). The data are then ended, to which a server
    /// that has failed does not react.
    private func checkForErrors(_ now: ContinuousClock.Instant) {
        let before = libpq.notices.count
        guard SocketInput.consume(raw) else {
            // Makes libpq deliver the error that the server may have sent before it closed the connection.
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
            copy?.suspectedErrorAt = nil
        } else if copy?.suspectedErrorAt == nil {
            copy?.suspectedErrorAt = now
            pool.hasPendingWork = true
        }
    }

    /// Ends the data once a suspected error has had the time to arrive completely.
    /// - Returns: when to call this again.
    func checkCopy(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let suspectedErrorAt = copy?.suspectedErrorAt, !isLost else { return nil }
        let due = suspectedErrorAt + Self.errorGracePeriod
        guard now >= due else { return due }
        endData(.aborted)
        return nil
    }

    // MARK: Data from the server

    /// Moves received data to the buffer until it is full.
    private func receiveCopyData(afterReading: Bool, _ now: ContinuousClock.Instant) {
        guard let copy, copy.exchange.phase == .transferring, !copy.isPaused else { return }
        var reads = 0
        var isAlive = true
        if afterReading {
            isAlive = PQconsumeInput(raw) == 1
            // A part of a large row counts as activity, too.
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
            guard hasMore || (!chunk.isEmpty && reads < Self.maxReadsPerEvent) else { return }
            reads += 1
            isAlive = PQconsumeInput(raw) == 1
        }
    }

    private enum CopyDataEnd {
        /// The chunk is full; more data may have been received.
        case full
        /// libpq holds no further complete row.
        case empty
        case over
    }

    private func takeCopyData(into chunk: inout [UInt8]) -> CopyDataEnd {
        while chunk.count < Self.chunkSize {
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
        guard let copy, !copy.isDiscarding, case .out(let buffer) = copy.transfer.buffer else { return true }
        return buffer.append(chunk)
    }

    private func pauseCopy() {
        copy?.isPaused = true
        loop.pause(self)
    }

    /// Reads on after the consumer has made space in the buffer.
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

    /// Drops data that the caller did not expect, and cancels the statement, since it may produce much more.
    private func discardUnexpected(_ now: ContinuousClock.Instant) {
        copy?.isDiscarding = true
        if let exclusiveRequest { pool.cancel(exclusiveRequest, .cancelled, now) }
        discardCopy(now)
    }

    /// Ends the COPY early for its caller: aborts the data of COPY … FROM, drops those of COPY … TO until the cancel
    /// request has reached the server.
    func cancelCopy() {
        guard !isLost, let copy, copy.exchange.phase == .transferring, !copy.isDiscarding else { return }
        switch copy.transfer.buffer {
        case .into: endData(.aborted)
        case .out(let buffer):
            buffer.discard()
            discardCopy(loop.now)
        }
    }
}
