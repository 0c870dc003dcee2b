import Testing

@testable import HTTPServer

@Suite struct HTTPConnectionStateMachineTests {
    private typealias Machine = HTTPConnectionStateMachine

    private static func machine() -> Machine {
        Machine(
            timeouts: Machine.Timeouts(
                request: 30, idle: 75, lingering: 2, maxBytesDropped: 100, heartbeat: 15, maxUnsentEventBytes: 1_000),
            now: 0)
    }

    /// An event of a connection, so that a test is a list of events and the actions they lead to.
    enum Event: Sendable {
        case receive(HTTPConnectionStateMachine.Reception, at: UInt64 = 0)
        case readCompleted(at: UInt64 = 0)
        case readRequested
        case refused
        case dropped(Int)
        case inputEnded
        case halfCloseGraceEnded(of: Int)
        /// A response is ready and written at once.
        case respond(closes: Bool = false, isLast: Bool = false, at: UInt64 = 0)
        /// The head of a stream of events is ready and written at once.
        case stream(at: UInt64 = 0)
        /// Events come, while some bytes wait to be sent.
        case events(at: UInt64 = 0, unsent: Int = 0, HTTPConnectionStateMachine.Disposition = .write(isLast: false))
        case streamEnded
        case tick
        case writable(Bool)
        case flushed(at: UInt64 = 0)
        case drain
        case drainPhase(HTTPConnectionStateMachine.DrainPhase)
        case timer(at: UInt64, unsent: Int = 0)
        case closed
    }

    typealias Step = (Event, HTTPConnectionStateMachine.Actions)

    private func expect(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
        var machine = Self.machine()
        for (index, (event, expected)) in steps.enumerated() {
            let actions = apply(event, to: &machine, sourceLocation)
            #expect(actions == expected, "step \(index), \(event)", sourceLocation: sourceLocation)
        }
    }

    private func apply(
        _ event: Event, to machine: inout HTTPConnectionStateMachine, _ sourceLocation: SourceLocation
    ) -> HTTPConnectionStateMachine.Actions {
        switch event {
        case .receive(let reception, let time):
            machine.requestReceived(reception, now: time)
            return []
        case .readCompleted(let time): return machine.readCompleted(now: time)
        case .readRequested: return machine.readRequested()
        case .refused: return machine.requestRefused()
        case .dropped(let bytes): return machine.bytesDropped(bytes)
        case .inputEnded: return machine.inputEnded()
        case .halfCloseGraceEnded(let request): return machine.halfCloseGraceEnded(of: request)
        case .respond(let closes, let isLast, let time):
            let disposition = machine.responseReady(closes: closes, now: time)
            #expect(disposition == .write(isLast: isLast), sourceLocation: sourceLocation)
            return machine.responseWritten()
        case .stream(let time):
            #expect(machine.streamReady(now: time) == .write(isLast: true), sourceLocation: sourceLocation)
            return machine.streamBegan()
        case .events(let time, let unsent, let expected):
            #expect(machine.eventsReady(unsentBytes: unsent, now: time) == expected, sourceLocation: sourceLocation)
            return []
        case .streamEnded: return machine.streamEnded()
        case .tick: return machine.tickBegan()
        case .writable(let isWritable): return machine.writabilityChanged(isWritable: isWritable)
        case .flushed(let time): return machine.outputFlushed(now: time)
        case .drain: return machine.drainBegan()
        case .drainPhase(let phase): return machine.drainPhaseBegan(phase)
        case .timer(let time, let unsent): return machine.timeoutsChecked(now: time, unsentBytes: unsent)
        case .closed: return machine.closed()
        }
    }

    // MARK: Requests and responses

    @Test func `a request is begun when its bytes have been read, and the next one after its response`() {
        expect([
            (.readRequested, .read),
            (.receive(.incomplete), []), (.receive(.complete), []),
            (.readCompleted(), [.beginRequest, .flush]),
            (.readRequested, .read),
            (.respond(), .flush),
            (.receive(.complete), []),
            (.readCompleted(), [.beginRequest, .flush]),
        ])
    }

    @Test func `pipelined requests are answered one per tick, and nothing is read while any waits`() {
        expect([
            (.receive(.complete), []), (.receive(.complete), []), (.receive(.complete), []),
            (.readCompleted(), [.beginRequest, .flush]),
            (.readRequested, []),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush]),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush, .read]),
            (.respond(), .flush),
            (.tick, []),
        ])
    }

    @Test func `a request that completes while another runs waits for its response`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.receive(.complete), []), (.readCompleted(), .flush),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush]),
        ])
    }

    @Test func `no request is begun and nothing read while the client does not read`() {
        expect([
            (.writable(false), .flush),
            (.receive(.complete), []), (.readCompleted(), .flush),
            (.readRequested, []),
            (.writable(true), [.beginRequest, .flush, .read]),
        ])
    }

    @Test func `100 Continue is written when no earlier response is due`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.receive(.awaitsContinue), []), (.readCompleted(), .flush),
            (.respond(), [.flush, .writeContinue]),
            (.receive(.incomplete), []), (.readCompleted(), .flush),
        ])
    }

    @Test func `a client that does not wait for 100 Continue receives none`() {
        expect([
            (.receive(.awaitsContinue), []), (.receive(.incomplete), []), (.readCompleted(), .flush),
        ])
    }

    @Test func `a request that is turned away is answered after those before it`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.refused, .flush),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush]),
            (.respond(closes: true, isLast: true), [.dropRequests, .flushAndNotify]),
        ])
    }

    // MARK: End

    @Test func `after the last response the output is closed and input dropped until the client ends`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.respond(closes: true, isLast: true), [.dropRequests, .flushAndNotify]),
            (.readRequested, .read),
            (.flushed(), [.closeOutput, .read]),
            (.dropped(10), []),
            (.inputEnded, .close),
        ])
    }

    @Test func `requests behind the last response are dropped`() {
        expect([
            (.receive(.complete), []), (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.readRequested, []),
            (.respond(closes: true, isLast: true), [.dropRequests, .flushAndNotify, .read]),
            (.receive(.complete), []), (.readCompleted(), []), (.tick, []), (.refused, []),
        ])
    }

    @Test func `a client that goes on sending after the last response is cut off, by bytes and by time`() {
        let ending: [Step] = [
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.respond(closes: true, isLast: true), [.dropRequests, .flushAndNotify]), (.dropped(60), []),
            (.flushed(at: 10), [.closeOutput, .read]),
        ]
        expect(ending + [(.dropped(40), []), (.dropped(1), .close)])
        expect(ending + [(.timer(at: 12), []), (.timer(at: 13), .close)])
    }

    @Test func `a client that closes its output is still answered, and its connection then closed`() {
        expect([
            (.receive(.complete), []), (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.inputEnded, [.flush, .startHalfCloseGrace]),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush, .startHalfCloseGrace]),
            (.respond(isLast: true), [.dropRequests, .flushAndNotify]),
            (.flushed(), .close),
        ])
    }

    @Test func `a client that closes its output has its request cancelled after a while`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.inputEnded, [.flush, .startHalfCloseGrace]),
            (.halfCloseGraceEnded(of: 1), .cancelRequest),
        ])
        expect([(.inputEnded, [.dropRequests, .flushAndNotify]), (.halfCloseGraceEnded(of: 0), [])])
    }

    @Test func `each request behind the end of a client's output has a grace period of its own`() {
        expect([
            (.receive(.complete), []), (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.inputEnded, [.flush, .startHalfCloseGrace]),
            (.respond(), [.flush, .resumeInLaterTick]),
            (.tick, [.beginRequest, .flush, .startHalfCloseGrace]),
            (.halfCloseGraceEnded(of: 1), []), (.halfCloseGraceEnded(of: 2), .cancelRequest),
        ])
    }

    @Test func `a closed connection cancels what runs and discards its response`() {
        var machine = Self.machine()
        machine.requestReceived(.complete, now: 0)
        #expect(machine.readCompleted(now: 0) == [.beginRequest, .flush])
        #expect(machine.closed() == [.dropRequests, .cancelRequest])
        #expect(machine.responseReady(closes: false, now: 1) == .discard)
        #expect(machine.responseWritten() == [])
        #expect(machine.timeoutsChecked(now: 1_000, unsentBytes: 0) == [])
    }

    @Test func `events while a response is written begin no other request`() {
        var machine = Self.machine()
        machine.requestReceived(.complete, now: 0)
        machine.requestReceived(.complete, now: 0)
        #expect(machine.readCompleted(now: 0) == [.beginRequest, .flush])
        #expect(machine.responseReady(closes: false, now: 0) == .write(isLast: false))
        #expect(machine.writabilityChanged(isWritable: false) == .flush)
        #expect(machine.writabilityChanged(isWritable: true) == .flush)
        #expect(machine.responseWritten() == [.flush, .resumeInLaterTick])
    }

    // MARK: Event streams

    private static let listening: [Step] = [
        (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]), (.stream(), [.dropRequests, .flush]),
    ]

    @Test func `a stream of events goes on until its source ends it, and its last bytes leave`() {
        expect(
            Self.listening + [
                (.events(at: 10), []), (.events(at: 20), []),
                (.streamEnded, [.dropRequests, .flushAndNotify, .endStream]),
                (.events(at: 20, .discard), []), (.streamEnded, []),
                (.flushed(at: 20), [.closeOutput, .read]), (.inputEnded, .close),
            ])
    }

    @Test func `a client that listens is read from, and what it sends is dropped up to a limit`() {
        expect(
            Self.listening + [
                (.readRequested, .read), (.receive(.complete), []), (.readCompleted(), []), (.refused, []),
                (.dropped(100), []), (.events(), []), (.dropped(1), .close),
            ])
    }

    @Test func `requests behind a stream of events are dropped`() {
        expect([
            (.receive(.complete), []), (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.readRequested, []), (.stream(), [.dropRequests, .flush, .read]),
        ])
    }

    @Test func `a client that closes its output no longer listens`() {
        expect(Self.listening + [(.inputEnded, .close), (.closed, [.dropRequests, .endStream])])
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.inputEnded, [.flush, .startHalfCloseGrace]),
            (.stream(), [.dropRequests, .flushAndNotify]), (.flushed(), .close), (.closed, .dropRequests),
        ])
    }

    @Test func `the source of a stream hears of its end once`() {
        expect(
            Self.listening + [
                (.closed, [.dropRequests, .endStream]), (.closed, .dropRequests), (.streamEnded, []),
                (.events(.discard), []),
            ])
        expect(
            Self.listening + [
                (.streamEnded, [.dropRequests, .flushAndNotify, .endStream]), (.closed, .dropRequests),
            ])
    }

    @Test func `a stream does not begin on a connection that has closed meanwhile`() {
        var machine = Self.machine()
        machine.requestReceived(.complete, now: 0)
        #expect(machine.readCompleted(now: 0) == [.beginRequest, .flush])
        #expect(machine.closed() == [.dropRequests, .cancelRequest])
        #expect(machine.streamReady(now: 1) == .discard)
        #expect(machine.streamBegan() == [])
        let isStreaming = machine.isStreaming
        #expect(!isStreaming)
    }

    @Test func `a stream that is silent has a heartbeat, and a listener is never idle`() {
        expect(
            Self.listening + [
                (.timer(at: 14), []), (.timer(at: 15), .writeHeartbeat), (.timer(at: 16), []),
                (.events(at: 20), []), (.timer(at: 34), []), (.timer(at: 35), .writeHeartbeat),
                (.timer(at: 1_000), .writeHeartbeat),
            ])
        var machine = Self.machine()
        machine.requestReceived(.complete, now: 0)
        _ = machine.readCompleted(now: 0)
        #expect(machine.streamReady(now: 0) == .write(isLast: true))
        let activity = machine.activity
        #expect(activity == .answering)
    }

    @Test func `a listener for whom too many bytes wait is cut off when further events come`() {
        expect(
            Self.listening + [
                (.writable(false), []), (.events(unsent: 1_000), []), (.events(unsent: 1_001, .cutOff), []),
            ])
        expect(Self.listening + [(.writable(false), []), (.writable(true), []), (.events(unsent: 2_000), [])])
    }

    @Test func `a listener that receives nothing for too long is cut off, however many events are added`() {
        expect(
            Self.listening + [
                (.timer(at: 1, unsent: 500), []), (.events(at: 10), []), (.timer(at: 11, unsent: 600), []),
                (.events(at: 20), []), (.timer(at: 31, unsent: 700), []), (.timer(at: 32, unsent: 700), .close),
            ])
        expect(
            Self.listening + [
                (.timer(at: 1, unsent: 500), []), (.events(at: 20), []), (.timer(at: 25, unsent: 400), []),
                (.events(at: 30), []), (.timer(at: 40, unsent: 400), []), (.events(at: 40), []),
                (.timer(at: 50, unsent: 0), []), (.timer(at: 54, unsent: 0), []),
            ])
    }

    @Test func `a shutdown ends a stream at once, also one that begins meanwhile`() {
        expect(
            Self.listening + [
                (.drain, [.startDrainPhases, .dropRequests, .flushAndNotify, .endStream]),
                (.flushed(), [.closeOutput, .read]), (.drainPhase(.endIdle), []), (.drainPhase(.cutOff), .close),
            ])
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]), (.drain, .startDrainPhases),
            (.stream(), [.dropRequests, .flushAndNotify]), (.closed, .dropRequests),
        ])
    }

    // MARK: Shutdown

    @Test func `a shutdown ends an idle connection after a grace period`() {
        expect([
            (.drain, .startDrainPhases), (.drain, []),
            (.drainPhase(.endIdle), [.dropRequests, .flushAndNotify]),
            (.drainPhase(.cancelRunning), []), (.drainPhase(.cutOff), .close),
        ])
    }

    @Test func `a shutdown lets a request run, cancels it at last, and its response is the last one`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.drain, .startDrainPhases), (.drainPhase(.endIdle), []),
            (.drainPhase(.cancelRunning), .cancelRequest),
            (.respond(isLast: true), [.dropRequests, .flushAndNotify]),
        ])
    }

    @Test func `a shutdown cuts off a connection that is still sending its last response`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.respond(closes: true, isLast: true), [.dropRequests, .flushAndNotify]),
            (.drain, .startDrainPhases), (.drain, []), (.drainPhase(.endIdle), []), (.drainPhase(.cutOff), .close),
        ])
    }

    @Test func `a request that is on its way when a shutdown begins is answered`() {
        expect([
            (.drain, .startDrainPhases), (.receive(.incomplete), []), (.drainPhase(.endIdle), []),
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.respond(isLast: true), [.dropRequests, .flushAndNotify]),
        ])
    }

    // MARK: Timeouts

    @Test func `a connection that is idle for too long ends`() {
        expect([
            (.timer(at: 75), []), (.timer(at: 76), [.dropRequests, .flushAndNotify]),
        ])
    }

    @Test func `idle time begins with the last response`() {
        expect([
            (.receive(.complete), []), (.readCompleted(), [.beginRequest, .flush]),
            (.timer(at: 100), []),
            (.respond(at: 200), .flush),
            (.timer(at: 275), []), (.timer(at: 276), [.dropRequests, .flushAndNotify]),
        ])
    }

    @Test func `a request that does not come to its end is refused, by its head as by its body`() {
        expect([
            (.readCompleted(at: 10), .flush),
            (.timer(at: 40), []), (.timer(at: 41), .refuseSlowRequest), (.refused, [.beginRequest, .flush]),
        ])
        expect([
            (.receive(.incomplete, at: 10), []), (.readCompleted(at: 10), .flush),
            (.receive(.incomplete, at: 39), []), (.readCompleted(at: 39), .flush),
            (.timer(at: 40), []), (.timer(at: 41), .refuseSlowRequest),
        ])
    }

    @Test func `the head and the body of a request share one timeout`() {
        expect([
            (.readCompleted(at: 10), .flush),
            (.receive(.incomplete, at: 39), []), (.readCompleted(at: 39), .flush),
            (.timer(at: 40), []), (.timer(at: 41), .refuseSlowRequest),
        ])
    }

    @Test func `a client that receives nothing of its response for too long is cut off`() {
        let stalled: [Step] = [(.writable(false), .flush), (.timer(at: 10, unsent: 500), [])]
        expect(stalled + [(.timer(at: 40, unsent: 500), []), (.timer(at: 41, unsent: 500), .close)])
        expect(
            stalled + [
                (.timer(at: 40, unsent: 400), []), (.timer(at: 70, unsent: 400), []),
                (.timer(at: 71, unsent: 400), .close),
            ])
        expect(stalled + [(.writable(true), .flush), (.timer(at: 41), [])])
    }
}
