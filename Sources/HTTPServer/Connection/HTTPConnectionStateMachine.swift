/// The protocol state of one HTTP/1 connection: what the client is sending, how many requests wait, whether one is being
/// answered, which timeout applies and how the connection ends.
///
/// Every event is a method that changes the state and returns the actions to take. The machine performs no input or
/// output, reads no clock and holds no request: its owner keeps the complete requests in a queue and the machine counts
/// them.
///
/// Requests are answered one at a time, in their order. Reading stops while any complete request waits, so that
/// the kernel slows down a client that sends faster than it is answered. After a response the next waiting request is
/// begun in a later tick of the event loop: a client that pipelines requests cannot keep the loop from its other
/// connections.
struct HTTPConnectionStateMachine: ~Copyable {
    /// A point in time, in nanoseconds.
    typealias Time = UInt64

    struct Timeouts: Sendable {
        /// From a request's first byte to its last, and how long unsent bytes may make no progress; in nanoseconds.
        var request: Time
        /// How long a connection may stay open between two requests, in nanoseconds.
        var idle: Time
        /// How long the client may go on sending after the last response has left, in nanoseconds.
        var lingering: Time = 2_000_000_000
        /// How many bytes of bodies it may send after the last response has been written.
        var maxBytesDropped = 32 << 20
        /// How long a stream of events may be silent, in nanoseconds.
        var heartbeat: Time = 15_000_000_000
        /// How many bytes of events may wait to be sent when further events come.
        var maxUnsentEventBytes = 64 << 10
    }

    private enum Input {
        case betweenRequests
        /// A part of a head has been received.
        case insideHead
        /// A head has been received, and the body not to its end.
        case insideRequest
    }

    private enum Response: Equatable {
        /// No request is being answered.
        case none
        case running
        case writing(isLast: Bool)
        /// A response has been written, and the next request is begun in a later tick.
        case yielding
    }

    private struct Open {
        var input = Input.betweenRequests
        var response = Response.none
        /// Complete requests that are not begun.
        var waiting = 0
        /// The client waits for `100 Continue`. It is written when no earlier response is due.
        var owesContinue = false
        /// A part of a request has been received since the last ``readCompleted(now:)``.
        var hasReceivedPart = false
        /// When the client began to send its request, or when the connection became idle. The head and the body of a request
        /// share one timeout.
        var since: Time
    }

    private enum State {
        case open(Open)
        /// The last response is a stream of events, which is written as they come. Input is read and dropped, so that the end
        /// of it shows.
        case streaming(writtenAt: Time, bytesDropped: Int)
        /// The last response has been written, and its bytes are leaving.
        case flushing(bytesDropped: Int)
        /// The output is closed. Input is still read and dropped: closing with unread input sends a reset, which can destroy
        /// the response in the client's buffer.
        case lingering(since: Time, bytesDropped: Int)
        case closed
    }

    /// Since when how many bytes wait to be sent.
    private struct Stall {
        let since: Time
        let bytes: Int
    }

    private var state: State
    private var isWritable = true
    /// The server shuts down: the next response is the last one.
    private var isDraining = false
    private var stall: Stall?
    private var hasInputEnded = false
    /// The number of the request that was begun last.
    private(set) var requestNumber = 0
    private var isReadHeld = false
    private let timeouts: Timeouts

    init(timeouts: Timeouts, now: Time) {
        self.timeouts = timeouts
        state = .open(Open(since: now))
    }

    /// Whether requests are received. Otherwise input is reported to ``bytesDropped(_:)``.
    var receivesRequests: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether a stream of events is being written.
    var isStreaming: Bool {
        if case .streaming = state { true } else { false }
    }

    /// What the connection is doing, for the choice of one that is closed for another.
    var activity: ConnectionActivity.Kind {
        switch state {
        case .open(let open):
            if case .writing = open.response { return .transferring }
            if open.response != .none || open.waiting > 0 { return .answering }
            return open.input == .betweenRequests && isWritable ? .idle : .transferring
        case .streaming: return .answering
        case .flushing: return .transferring
        case .lingering, .closed: return .idle
        }
    }

    // MARK: Input

    /// A part of a request has been received.
    mutating func requestReceived(_ reception: Reception, now: Time) {
        guard case .open(var open) = state else { return }
        open.hasReceivedPart = true
        open.owesContinue = false
        switch reception {
        case .ignored: if open.input == .insideHead { open.input = .betweenRequests }
        case .incomplete, .awaitsContinue:
            if open.input == .betweenRequests { open.since = now }
            open.input = .insideRequest
            open.owesContinue = reception == .awaitsContinue
        case .complete:
            open.input = .betweenRequests
            open.waiting += 1
        }
        state = .open(open)
    }

    /// The request that is being received, or the client's input as a whole, has been turned away; the error is the
    /// last waiting request.
    mutating func requestRefused() -> Actions {
        guard case .open(var open) = state else { return [] }
        open.input = .betweenRequests
        open.owesContinue = false
        open.waiting += 1
        return proceed(open)
    }

    /// All bytes that were there have been read.
    mutating func readCompleted(now: Time) -> Actions {
        guard case .open(var open) = state else { return readIfHeld() }
        // Bytes that made no part are the beginning of a head.
        if !open.hasReceivedPart, !hasInputEnded, open.input == .betweenRequests {
            open.input = .insideHead
            open.since = now
        }
        open.hasReceivedPart = false
        return proceed(open)
    }

    /// Bytes of a body have been received after the last response was written.
    mutating func bytesDropped(_ count: Int) -> Actions {
        let total: Int
        switch state {
        case .open, .closed: return []
        case .streaming(let writtenAt, let bytes):
            total = bytes + count
            state = .streaming(writtenAt: writtenAt, bytesDropped: total)
        case .flushing(let bytes):
            total = bytes + count
            state = .flushing(bytesDropped: total)
        case .lingering(let since, let bytes):
            total = bytes + count
            state = .lingering(since: since, bytesDropped: total)
        }
        return total > timeouts.maxBytesDropped ? .close : []
    }

    /// The client has closed its output. It may still read, but a client that listens to events counts as gone: it has
    /// no other way to say so.
    mutating func inputEnded() -> Actions {
        hasInputEnded = true
        switch state {
        case .open(let open):
            return proceed(open).union(open.response == .running ? .startHalfCloseGrace : [])
        case .streaming, .lingering: return .close
        case .flushing, .closed: return []
        }
    }

    /// The client, which has closed its output, has had time to receive the response to a request.
    /// - Parameter request: the ``requestNumber`` of that request.
    func halfCloseGraceEnded(of request: Int) -> Actions {
        if case .open(let open) = state, open.response == .running, request == requestNumber {
            .cancelRequest
        } else {
            []
        }
    }

    /// The channel wants to read from the socket.
    mutating func readRequested() -> Actions {
        isReadHeld = true
        return readIfHeld()
    }

    // MARK: Responses

    /// The response to the running request is ready.
    /// - Parameter closes: whether the request asks for the connection to be closed, or its end is not known.
    mutating func responseReady(closes: Bool, now: Time) -> Disposition {
        guard case .open(var open) = state, open.response == .running else { return .discard }
        let isLast = closes || isDraining || (hasInputEnded && open.waiting == 0)
        open.response = .writing(isLast: isLast)
        open.since = now
        state = .open(open)
        return .write(isLast: isLast)
    }

    /// The response has been written, though perhaps not sent.
    mutating func responseWritten() -> Actions {
        guard case .open(var open) = state, case .writing(let isLast) = open.response else { return [] }
        if isLast { return end() }
        if open.waiting > 0 {
            open.response = .yielding
            state = .open(open)
            return [.flush, .resumeInLaterTick]
        }
        open.response = .none
        return proceed(open)
    }

    /// A later tick has begun, as ``Actions/resumeInLaterTick`` asked for.
    mutating func tickBegan() -> Actions {
        guard case .open(var open) = state, open.response == .yielding else { return [] }
        open.response = .none
        return proceed(open)
    }

    /// The number of unsent bytes has passed the channel's limit, or fallen below it.
    mutating func writabilityChanged(isWritable: Bool) -> Actions {
        self.isWritable = isWritable
        guard case .open(let open) = state else { return readIfHeld() }
        return proceed(open)
    }

    /// The last byte has left, as ``Actions/flushAndNotify`` asked for.
    mutating func outputFlushed(now: Time) -> Actions {
        guard case .flushing(let bytes) = state else { return [] }
        guard !hasInputEnded else { return .close }
        state = .lingering(since: now, bytesDropped: bytes)
        return [.closeOutput, .read]
    }

    // MARK: Event streams

    /// The response to the running request is a stream of events. Its head is ready.
    mutating func streamReady(now: Time) -> Disposition {
        guard case .open(let open) = state, open.response == .running else { return .discard }
        state = .streaming(writtenAt: now, bytesDropped: 0)
        return .write(isLast: true)
    }

    /// The head of the stream has been written. The stream begins if the connection is now ``isStreaming``.
    mutating func streamBegan() -> Actions {
        guard case .streaming = state else { return [] }
        if isDraining || hasInputEnded { return end() }
        return Actions([.dropRequests, .flush]).union(readIfHeld())
    }

    /// Events are to be written.
    /// - Parameter unsentBytes: how many bytes wait to be sent already; used only when the channel is not writable.
    mutating func eventsReady(unsentBytes: Int, now: Time) -> Disposition {
        guard case .streaming(_, let bytesDropped) = state else { return .discard }
        guard isWritable || unsentBytes <= timeouts.maxUnsentEventBytes else { return .cutOff }
        state = .streaming(writtenAt: now, bytesDropped: bytesDropped)
        return .write(isLast: false)
    }

    /// There are no further events.
    mutating func streamEnded() -> Actions {
        guard case .streaming = state else { return [] }
        return end().union(.endStream)
    }

    // MARK: End

    /// The server shuts down.
    mutating func drainBegan() -> Actions {
        if case .closed = state { return [] }
        guard !isDraining else { return [] }
        // Also for a connection that is ending already: a client that reads its last response slowly must not outlast the
        // phases.
        isDraining = true
        return Actions.startDrainPhases.union(streamEnded())
    }

    mutating func drainPhaseBegan(_ phase: DrainPhase) -> Actions {
        switch (phase, state) {
        case (.endIdle, .open(let open)):
            guard open.response == .none, open.waiting == 0, open.input != .insideRequest else { return [] }
            return end()
        case (.cancelRunning, .open(let open)): return open.response == .running ? .cancelRequest : []
        case (.cutOff, .open), (.cutOff, .streaming), (.cutOff, .flushing), (.cutOff, .lingering): return .close
        case (.endIdle, _), (.cancelRunning, _), (.cutOff, .closed): return []
        }
    }

    /// The connection is closed.
    mutating func closed() -> Actions {
        defer { state = .closed }
        switch state {
        case .open(let open) where open.response == .running: return [.dropRequests, .cancelRequest]
        case .streaming: return [.dropRequests, .endStream]
        default: return .dropRequests
        }
    }

    /// The connection is closed for another one. A client that is sending a request gets an error response if possible.
    func gaveWay() -> Actions {
        if case .open(let open) = state, open.input != .betweenRequests, open.response == .none, open.waiting == 0,
            isWritable
        {
            return .refuseSlowRequest
        }
        return .close
    }

    // MARK: Timeouts

    /// Whether ``timeoutsChecked(now:unsentBytes:)`` needs the number of unsent bytes.
    var watchesOutput: Bool {
        switch state {
        case .open: !isWritable
        case .streaming, .flushing: true
        case .lingering, .closed: false
        }
    }

    /// Checks the timeout that applies. Called every quarter of the shortest timeout, at least once a second.
    /// - Parameter unsentBytes: how many bytes wait to be sent; used only when ``watchesOutput`` is true.
    mutating func timeoutsChecked(now: Time, unsentBytes: Int) -> Actions {
        if case .streaming(let writtenAt, let bytesDropped) = state {
            let actions = stallChecked(now: now, unsentBytes: unsentBytes)
            guard actions.isEmpty, now - writtenAt >= timeouts.heartbeat else { return actions }
            state = .streaming(writtenAt: now, bytesDropped: bytesDropped)
            return .writeHeartbeat
        }
        if watchesOutput { return stallChecked(now: now, unsentBytes: unsentBytes) }
        stall = nil
        switch state {
        case .open(var open):
            if open.response != .none || open.waiting > 0 {
                open.since = now
                state = .open(open)
                return []
            }
            switch open.input {
            case .insideHead, .insideRequest: return now - open.since > timeouts.request ? .refuseSlowRequest : []
            case .betweenRequests: return now - open.since > timeouts.idle ? end() : []
            }
        case .lingering(let since, _): return now - since > timeouts.lingering ? .close : []
        case .streaming, .flushing, .closed: return []
        }
    }

    /// Closes the connection of a client that does not receive its response. Events add to the bytes that wait, so only a
    /// smaller number is progress.
    private mutating func stallChecked(now: Time, unsentBytes: Int) -> Actions {
        guard let stall, stall.bytes > 0, stall.bytes <= unsentBytes else {
            stall = Stall(since: now, bytes: unsentBytes)
            return []
        }
        return now - stall.since > timeouts.request ? .close : []
    }

    // MARK: Transitions

    /// The actions that are due in an open connection.
    private mutating func proceed(_ next: Open) -> Actions {
        var open = next
        var actions: Actions = .flush
        if open.response == .none {
            if open.waiting > 0 {
                if isWritable {
                    open.waiting -= 1
                    open.response = .running
                    requestNumber += 1
                    actions.insert(.beginRequest)
                    if hasInputEnded { actions.insert(.startHalfCloseGrace) }
                }
            } else if hasInputEnded {
                return end()
            } else if open.owesContinue {
                open.owesContinue = false
                actions.insert(.writeContinue)
            }
        }
        state = .open(open)
        return actions.union(readIfHeld())
    }

    private mutating func end() -> Actions {
        state = .flushing(bytesDropped: 0)
        return Actions([.dropRequests, .flushAndNotify]).union(readIfHeld())
    }

    private mutating func readIfHeld() -> Actions {
        guard isReadHeld else { return [] }
        if case .open(let open) = state, open.waiting > 0 || !isWritable { return [] }
        isReadHeld = false
        return .read
    }
}
