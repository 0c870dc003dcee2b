import NIOCore
import NIOHTTP2

/// One HTTP/2 connection. Each of its streams has a ``ConnectionHandler`` of its own, and counts as a connection of its
/// client: it has the limits, budgets and timeouts of one.
final class HTTP2Connection: ChannelInboundHandler, TimedConnection {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// How many streams a client may have open; it is told so.
    static let maxStreams = 100
    /// In bytes of names and values.
    private static let maxHeaderBytes = 16 * 1_024

    private let server: ServerState
    private let loop: EventLoopContext
    private let share: ConnectionShare
    private var state: HTTP2ConnectionState
    /// nil once the handler has left the pipeline.
    private var context: ChannelHandlerContext?

    init(server: ServerState, loop: EventLoopContext) {
        self.server = server
        self.loop = loop
        share = ConnectionShare(server)
        state = HTTP2ConnectionState(timeouts: server.timeouts, now: loop.now)
    }

    /// Adds the handlers of HTTP/2 to the channel of a connection that has agreed on it.
    static func add(to channel: any Channel, server: ServerState, loop: EventLoopContext) throws {
        let connection = HTTP2Connection(server: server, loop: loop)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let frames = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connectionConfiguration,
            streamConfiguration: streamConfiguration
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try bound.value.add(stream) }
        }
        try channel.pipeline.syncOperations.addHandlers([HTTP2FrameCounter(loop), frames, connection])
    }

    /// A client that resets streams as soon as it has opened them makes work that no number of open streams limits
    /// (CVE-2023-44487), and one that makes the server reset them does so, too (CVE-2025-8671): both have a rate. So have the
    /// frames that only control the connection; ``FrameAllowance`` limits those for which NIO has no limit.
    private static var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: maxHeaderBytes),
        ]
        configuration.maximumBufferedControlFrames = 1_000
        return configuration
    }

    private static var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.outboundBufferSizeLowWatermark = 4 * 1_024
        configuration.outboundBufferSizeHighWatermark = 16 * 1_024
        configuration.streamResetFrameRateLimit.maximumCount = 200
        configuration.streamResetFrameRateLimit.windowLength = .seconds(30)
        configuration.streamErrorRateLimit.maximumCount = 200
        configuration.streamErrorRateLimit.windowLength = .seconds(30)
        return configuration
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        share.open(context.channel.remoteAddress?.ipAddress) { _ in
            bound.eventLoop.execute { bound.value.giveWay() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        loop.remove(self)
        share.close()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            if !state.isDraining { startDrainPhases(context) }
            state.drainBegan()
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// An error of one stream has ended that stream. Any other one ends the connection; the client has been sent the reason.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamClosed: break
        case is HTTP2FrameCounter.ExcessError:
            announceEnd(state.lastStream, context, because: .enhanceYourCalm)
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }

    // MARK: Streams

    private func add(_ stream: any Channel) throws {
        let number = try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        let codec = HTTP2StreamCodec()
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(codec)
        try pipeline.addHandler(
            ConnectionHandler(
                server: server, loop: loop, received: ReceivedByteCounter(), allocator: stream.allocator, stream: codec
            ))
        state.streamOpened(number.map { Int($0) } ?? 0)
        noteActivity()
        stream.closeFuture.assumeIsolated().whenComplete { _ in
            self.perform(self.state.streamClosed(now: self.loop.now))
            self.noteActivity()
        }
        // The event came before this stream.
        if state.isDraining { stream.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func noteActivity() {
        share.note(ConnectionActivity(kind: state.openStreams == 0 ? .idle : .answering, since: loop.now))
    }

    // MARK: End

    private func giveWay() {
        let action = state.gaveWay()
        if case .none = action { share.stayOpen() }
        perform(action)
    }

    func checkTimeouts() {
        guard let context, context.channel.isActive else { return }
        let unsentBytes: Int
        do {
            unsentBytes = try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        } catch {
            // The channel has just been closed.
            return
        }
        perform(state.timeoutsChecked(now: loop.now, unsentBytes: unsentBytes))
    }

    private func startDrainPhases(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        for (phase, delay) in HTTPConnectionStateMachine.DrainPhase.times(server.configuration) {
            context.eventLoop.scheduleTask(in: delay) {
                bound.value.perform(bound.value.state.drainPhaseBegan(phase))
            }
        }
    }

    private func perform(_ action: HTTP2ConnectionState.Action) {
        guard let context, context.channel.isActive else { return }
        switch action {
        case .none: break
        case .announceEnd(let lastStream): announceEnd(lastStream, context)
        case .end(let lastStream):
            announceEnd(lastStream, context)
            context.close(promise: nil)
        case .close: context.close(promise: nil)
        }
    }

    private func announceEnd(
        _ lastStream: Int, _ context: ChannelHandlerContext, because reason: HTTP2ErrorCode = .noError
    ) {
        let payload = HTTP2Frame.FramePayload.goAway(
            lastStreamID: HTTP2StreamID(lastStream), errorCode: reason, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }
}
