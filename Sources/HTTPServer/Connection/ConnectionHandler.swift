import NIOCore
import NIOHTTP1

/// One client's connection of HTTP/1, or one stream of HTTP/2, which is a connection with a single request. Reports channel events to a ``HTTPConnectionStateMachine`` and carries out its actions.
final class ConnectionHandler: ChannelDuplexHandler, TimedConnection {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The request that is being answered.
    struct Running {
        let exchange: Exchange
        var task: Task<Void, Never>?
    }

    let server: ServerState
    let loop: EventLoopContext
    var machine: HTTPConnectionStateMachine
    private var assembler: RequestAssembler
    let share: ConnectionShare
    let writer: ResponseWriter
    /// nil for HTTP/1.
    private let stream: HTTP2StreamCodec?
    private var waiting = CircularBuffer<Exchange>()
    var running: Running?
    /// Called once when the stream of events has ended; nil without a stream.
    var onStreamEnd: (@Sendable () -> Void)?
    /// nil once the handler has left the pipeline.
    var context: ChannelHandlerContext?

    init(
        server: ServerState, loop: EventLoopContext, received: ReceivedByteCounter, allocator: ByteBufferAllocator,
        stream: HTTP2StreamCodec? = nil
    ) {
        self.server = server
        self.loop = loop
        machine = HTTPConnectionStateMachine(timeouts: server.timeouts, now: loop.now)
        share = ConnectionShare(server)
        assembler = RequestAssembler(server, share, received)
        writer = ResponseWriter(
            server: server, loop: loop, share: share, allocator: allocator, isStream: stream != nil)
        self.stream = stream
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        loop.add(self)
        writer.onSliceSent = { [weak self] in self?.continueInLaterTick() }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        share.open(context.channel.remoteAddress?.ipAddress) { reason in
            bound.eventLoop.execute { bound.value.giveWay(reason) }
        }
    }

    /// Ends the connection, since another one needs its place or its memory.
    private func giveWay(_ reason: RegisteredConnection.Reason) {
        switch reason {
        case .place:
            guard share.givesWay else { return share.stayOpen() }
            perform(machine.gaveWay())
        case .memory:
            // A request that runs is answered, even if it was incomplete when this connection was chosen.
            guard running != nil else {
                // What a stream has written may be with its connection, which then holds the memory.
                if let parent = context?.channel.parent, stream != nil, !parent.isWritable {
                    return parent.close(promise: nil)
                }
                return perform(machine.gaveWay())
            }
            if assembler.isReceiving { refuse(.requestTimeout) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop.remove(self)
        share.close()
        perform(machine.closed())
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard machine.receivesRequests else {
            if case .body(let bytes) = part { perform(machine.bytesDropped(bytes.readableBytes)) }
            return
        }
        let reception: HTTPConnectionStateMachine.Reception
        switch assembler.receive(part) {
        case .ignored: reception = .ignored
        case .incomplete: reception = .incomplete
        case .awaitsContinue: reception = .awaitsContinue
        case .complete(let exchange):
            enqueue(exchange)
            reception = .complete
        }
        machine.requestReceived(reception, now: loop.now)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let error = assembler.readCompleted() { refuse(error) }
        perform(machine.readCompleted(now: loop.now))
        noteActivity()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow: refuse(.headersTooLarge)
        case is HTTPParserError: refuse(.malformed)
        default: context.close(promise: nil)
        }
    }

    func read(context: ChannelHandlerContext) {
        perform(machine.readRequested())
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        perform(machine.writabilityChanged(isWritable: context.channel.isWritable))
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: perform(machine.inputEnded())
        case is ChannelShouldQuiesceEvent: perform(machine.drainBegan())
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Events of the event loop

    func checkTimeouts() {
        guard let context, context.channel.isActive else { return }
        var unsentBytes = 0
        if machine.watchesOutput {
            do {
                unsentBytes = try bufferedBytes(context) + writer.unwrittenBytes
            } catch {
                // The channel has just been closed.
                return
            }
        }
        perform(machine.timeoutsChecked(now: loop.now, unsentBytes: unsentBytes))
    }

    /// How many bytes the channel has been given and has not sent.
    func bufferedBytes(_ context: ChannelHandlerContext) throws -> Int {
        if let stream { return stream.unsentBytes }
        return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
    }

    /// Whether the channel is a socket, with the options of one.
    var isSocket: Bool { stream == nil }

    /// Continues a large response, or begins the next waiting request, as was asked for in an earlier tick.
    func tickBegan() {
        if let context, !writer.isComplete {
            writer.writeNextSlice(context)
            responseWritten(context)
        } else {
            perform(machine.tickBegan())
        }
    }

    func noteActivity() {
        share.note(ConnectionActivity(kind: machine.activity, since: loop.now))
    }

    // MARK: Actions

    func perform(_ actions: HTTPConnectionStateMachine.Actions) {
        guard !actions.isEmpty, let context else { return }
        if actions.contains(.dropRequests) { dropRequests() }
        if actions.contains(.cancelRequest) { running?.task?.cancel() }
        if actions.contains(.beginRequest) { begin(waiting.removeFirst(), context) }
        if actions.contains(.refuseSlowRequest) { refuse(.requestTimeout) }
        if actions.contains(.writeContinue) { writer.writeContinue(context) }
        if actions.contains(.flush) { writer.flush(context) }
        if actions.contains(.flushAndNotify) { flushAndNotify(context) }
        if actions.contains(.resumeInLaterTick) { loop.resumeInLaterTick(self) }
        if actions.contains(.startHalfCloseGrace) {
            let request = machine.requestNumber
            schedule(in: TimeAmount(server.configuration.halfCloseGrace), context) {
                $0.machine.halfCloseGraceEnded(of: request)
            }
        }
        if actions.contains(.startDrainPhases) { startDrainPhases(context) }
        if actions.contains(.closeOutput) { context.close(mode: .output, promise: nil) }
        if actions.contains(.read) { context.read() }
        if actions.contains(.close) { context.close(promise: nil) }
        if actions.contains(.writeHeartbeat) { writeHeartbeat(context) }
        if actions.contains(.endStream) { endStream() }
    }

    private func dropRequests() {
        assembler.stop()
        for exchange in waiting { share.release(exchange) }
        waiting.removeAll()
    }

    private func refuse(_ error: HTTPError) {
        guard machine.receivesRequests, let exchange = assembler.refuse(error) else { return }
        enqueue(exchange)
        perform(machine.requestRefused())
    }

    private func enqueue(_ exchange: Exchange) {
        exchange.complete(respondingWithin: server.configuration.requestDeadline)
        waiting.append(exchange)
    }

    private func flushAndNotify(_ context: ChannelHandlerContext) {
        let flushed = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        flushed.futureResult.whenComplete { _ in
            let handler = bound.value
            guard handler.context?.channel.isActive == true else { return }
            handler.perform(handler.machine.outputFlushed(now: handler.loop.now))
        }
        writer.flush(context, promise: flushed)
    }

    private func startDrainPhases(_ context: ChannelHandlerContext) {
        for (phase, delay) in HTTPConnectionStateMachine.DrainPhase.times(server.configuration) {
            schedule(in: delay, context) { $0.machine.drainPhaseBegan(phase) }
        }
    }

    private func schedule(
        in delay: TimeAmount, _ context: ChannelHandlerContext,
        _ event: @escaping @Sendable (ConnectionHandler) -> HTTPConnectionStateMachine.Actions
    ) {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: delay) { bound.value.perform(event(bound.value)) }
    }
}
