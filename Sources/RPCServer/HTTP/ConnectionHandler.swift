import NIOCore
import NIOHTTP1

/// One client's connection: takes requests in, has them answered one after the other, writes the responses in order.
///
/// Requests that arrive while another runs wait in `waiting`; while any waits nothing more is read, so a client that
/// only sends is held up by the kernel. Nothing here calls itself however many requests arrive at once: `advance` is
/// one loop, whoever calls it again while it runs only makes it go on.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = ByteBuffer

    struct Running {
        let number: Int
        let exchange: Exchange
        var task: Task<Void, Never>?
    }

    /// How the connection comes to its end.
    enum Ending: Equatable {
        case no
        /// The last response has been written; waits for its bytes to leave.
        case flushing
        /// Our half is closed; what still comes is read and dropped, so that no reset overtakes the response.
        case lingering(since: NIODeadline)
    }

    let server: ServerState
    let loop: LoopState
    var context: ChannelHandlerContext?
    let outlet: Outlet
    var intake: RequestIntake
    var waiting = CircularBuffer<Exchange>()
    var running: Running?
    var ending = Ending.no
    var isDraining = false
    var hasInputEnded = false
    /// What the compressor gave back while it is in the pipeline.
    var compressed: ByteBuffer?
    /// When the client began what it is doing: a request, or doing nothing.
    var since: NIODeadline
    /// Bytes came that were not yet a whole head.
    var isInsideHead = false
    var bytesStalled = 0
    var stalledSince: NIODeadline?
    var bytesLingered = 0
    private var partsSeen = false
    /// A client waits for leave to send its body, which it gets when no earlier response is owed.
    private var owesContinue = false
    /// What the running exchange has been answered, until `advance` writes it.
    private var answered: (exchange: Exchange, reply: HTTPReply)?
    private var isAdvancing = false
    private var mustAdvanceAgain = false
    private var isReadHeld = false
    /// Since when requests that came together keep the loop busy, as far as nobody else had a turn meanwhile.
    private var busySince: NIODeadline?
    /// Others have their turn; what waits is begun when ``resume()`` is called.
    private var isPaused = false
    private var exchanges = 0
    private var remoteAddress: String?

    init(server: ServerState, loop: LoopState, allocator: ByteBufferAllocator) {
        self.server = server
        self.loop = loop
        outlet = Outlet(allocator: allocator)
        intake = server.makeIntake()
        since = loop.now
    }

    // MARK: The connection's life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        remoteAddress = context.remoteAddress?.ipAddress
        since = loop.now
        loop.add(self)
        server.connectionOpened()
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop.remove(self)
        server.connectionClosed()
        intake.stop()
        for exchange in waiting { server.budget.give(back: exchange.reserved) }
        waiting.removeAll()
        // Its task gives back what it holds when it ends.
        running?.task?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partsSeen = true
        isInsideHead = false
        guard ending == .no else {
            if case .body(let bytes) = unwrapInboundIn(data) { linger(over: bytes.readableBytes, context) }
            return
        }
        owesContinue = false
        let wasInside = intake.isInside
        take(intake.receive(unwrapInboundIn(data)))
        if !wasInside, intake.isInside { since = loop.now }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Bytes that made no part are the beginning of a head.
        if !partsSeen, !hasInputEnded, !intake.isInside, !isInsideHead {
            isInsideHead = true
            since = loop.now
        }
        partsSeen = false
        advance(context)
        context.fireChannelReadComplete()
    }

    func take(_ event: RequestIntake.Event) {
        switch event {
        case .nothing: break
        case .continueWanted: owesContinue = true
        case .complete(let exchange):
            exchange.completed = .now()
            exchange.deadline = .now + server.configuration.requestDeadline
            waiting.append(exchange)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError || error is RequestDecoder.UnknownMethod else {
            context.close(promise: nil)
            return
        }
        guard ending == .no else { return }
        switch error {
        case let unknown as RequestDecoder.UnknownMethod: take(intake.refuse(unknown.head))
        case HTTPParserError.headerOverflow: take(intake.refuse(.headersTooLarge))
        default: take(intake.refuse(.malformed))
        }
        advance(context)
    }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty, context.channel.isWritable || ending != .no {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        advance(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: inputEnded(context)
        case is ChannelShouldQuiesceEvent: drain(context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: One after the other

    /// Answers what waits, as far as that goes now, and sends what there is to send.
    func advance(_ context: ChannelHandlerContext) {
        guard !isAdvancing else {
            mustAdvanceAgain = true
            return
        }
        isAdvancing = true
        repeat {
            mustAdvanceAgain = false
            answerWaiting(context)
            if owesContinue, running == nil, waiting.isEmpty, ending == .no {
                owesContinue = false
                outlet.write("HTTP/1.1 100 Continue\r\n\r\n")
            }
            outlet.flush(context)
        } while mustAdvanceAgain
        isAdvancing = false
        if ending == .no, running == nil, waiting.isEmpty, hasInputEnded { end(context) }
        if isReadHeld, waiting.isEmpty, context.channel.isWritable || ending != .no {
            isReadHeld = false
            context.read()
        }
    }

    private func answerWaiting(_ context: ChannelHandlerContext) {
        while true {
            if let (exchange, reply) = answered {
                answered = nil
                finish(exchange, with: reply, context)
                continue
            }
            guard running == nil, ending == .no, !isPaused, context.channel.isWritable, !waiting.isEmpty,
                !pauseIfBusy()
            else { return }
            let exchange = waiting.removeFirst()
            if waiting.isEmpty { busySince = nil } else if busySince == nil { busySince = .now() }
            begin(exchange, context)
        }
    }

    /// How long the requests that one client sent together may keep a loop from everybody else.
    private static let turn = TimeAmount.milliseconds(2)

    /// Lets others have their turn when this connection has had its own. Costs a client that waits for each answer
    /// nothing: the clock is read for requests that came together only.
    private func pauseIfBusy() -> Bool {
        guard let busySince, .now() - busySince > Self.turn else { return false }
        isPaused = true
        loop.resumeLater(self)
        return true
    }

    /// Goes on after a pause.
    func resume() {
        isPaused = false
        busySince = nil
        guard let context, context.channel.isActive else { return }
        advance(context)
    }

    private func begin(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        switch exchange.destination {
        case .reply(let reply): finish(exchange, with: reply, context)
        case .refusal(let refusal): finish(exchange, with: refusal.reply(requestID: exchange.requestID), context)
        case .computed(let reply): run(exchange) { await reply() }
        case .rpc:
            let call = callContext(for: exchange, context)
            let answering = server.answering
            let body = exchange.body
            run(exchange) {
                switch await answering.answer(body, call) {
                case .json(let body): .json(body)
                case .noContent: .noContent
                }
            }
        }
    }

    private func callContext(for exchange: Exchange, _ context: ChannelHandlerContext) -> CallContext {
        let headers = exchange.head?.headers ?? [:]
        var address = remoteAddress
        if !server.configuration.trustedProxies.isEmpty {
            let forwarded = headers[canonicalForm: "x-forwarded-for"]
            address = server.configuration.trustedProxies.client(peer: remoteAddress, forwarded: forwarded)
        }
        return CallContext(
            requestID: exchange.requestID, headers: headers, remoteAddress: address,
            deadline: exchange.deadline ?? .now + server.configuration.requestDeadline,
            allocator: context.channel.allocator, record: exchange.record)
    }

    private func run(_ exchange: Exchange, _ operation: @escaping @Sendable () async -> HTTPReply) {
        exchanges += 1
        let number = exchanges
        running = Running(number: number, exchange: exchange, task: nil)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let server = server
        server.taskStarted()
        let task = Task.immediate(executorPreference: loop.executor) {
            let reply = await operation()
            // The executor is the event loop's, so this is the connection's own thread.
            connection.value.ended(number, with: reply)
            server.taskEnded()
        }
        // It may have ended already.
        if running?.number == number { running?.task = task }
    }

    private func ended(_ number: Int, with reply: HTTPReply) {
        guard let running, running.number == number else { return }
        self.running = nil
        since = loop.now
        guard let context, context.channel.isActive else {
            release(running.exchange, status: RequestEvent.clientGone, bytesSent: 0)
            return
        }
        answered = (running.exchange, reply)
        advance(context)
    }

    /// Gives back what an exchange held and tells the observers.
    func release(_ exchange: Exchange, status: Int, bytesSent: Int) {
        server.budget.give(back: exchange.reserved)
        guard !server.observers.isEmpty else { return }
        let event = RequestEvent(
            requestID: exchange.requestID, httpMethod: exchange.head?.method.knownName ?? "-",
            path: exchange.path, status: status,
            calls: exchange.record.calls, nanoseconds: exchange.completed.map { (.now() - $0).nanoseconds } ?? 0,
            bytesReceived: exchange.bytesReceived, bytesSent: bytesSent, remoteAddress: remoteAddress)
        for observer in server.observers { observer.observe(event) }
    }
}

extension HTTPMethod {
    /// The method's name, or `-` for one a client made up.
    fileprivate var knownName: String {
        if case .RAW = self { "-" } else { rawValue }
    }
}
