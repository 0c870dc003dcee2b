import NIOCore
import NIOPosix

/// A stream of events as the last response of a connection.
extension ConnectionHandler {
    /// A comment, which clients ignore.
    private static let heartbeat = ByteBuffer(string: ":\n\n")
    /// What the kernel may hold for a client that does not read, in bytes; Linux doubles it.
    private static let socketBuffer: SocketOptionValue = 64 * 1_024
    /// `TCP_USER_TIMEOUT` of Linux, which NIO does not name.
    private static let userTimeout = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: 18))

    func beginStream(of response: HTTPResponse, for exchange: Exchange, _ begin: EventStreamBeginning) {
        guard let context, case .write(let isLast) = machine.streamReady(now: loop.now) else {
            return release(exchange, status: RequestEvent.clientGone, bytesSent: 0)
        }
        let (status, bytesSent) = writer.write(response, to: exchange, isLast: isLast, context)
        release(exchange, status: status, bytesSent: bytesSent)
        if isSocket { limitSocket(context) }
        perform(machine.streamBegan())
        guard machine.isStreaming else { return }
        writer.releaseMemory()
        noteActivity()
        onStreamEnd = begin(EventListener(self, context.eventLoop))
    }

    /// Lets the kernel hold little for a client that does not read, and close the connection of one that has vanished.
    private func limitSocket(_ context: ChannelHandlerContext) {
        let milliseconds = TimeAmount(server.configuration.requestTimeout).nanoseconds / 1_000_000
        do {
            try context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.socketBuffer)
            try context.channel.syncOptions?.setOption(Self.userTimeout, value: SocketOptionValue(milliseconds))
        } catch {
            // A Unix domain socket has no such option, and a connection that has just been closed needs none.
        }
    }

    /// Writes and sends events, unless the stream has ended or the client does not keep up.
    func write(_ events: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else { return fail(promise) }
        var unsentBytes = 0
        if !context.channel.isWritable {
            do {
                unsentBytes = try bufferedBytes(context)
            } catch {
                return fail(promise)
            }
        }
        switch machine.eventsReady(unsentBytes: unsentBytes, now: loop.now) {
        case .write:
            writer.writeEvents(events, context, promise: promise)
            writer.flush(context)
        case .cutOff:
            fail(promise)
            context.close(promise: nil)
        case .discard: fail(promise)
        }
    }

    private func fail(_ promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.ioOnClosedChannel)
    }

    func writeHeartbeat(_ context: ChannelHandlerContext) {
        writer.writeEvents(Self.heartbeat, context, promise: nil)
        writer.flush(context)
    }

    /// The source has no further events.
    func streamSourceEnded() {
        perform(machine.streamEnded())
    }

    func cutOffStream() {
        context?.close(promise: nil)
    }

    func endStream() {
        let onEnd = onStreamEnd
        onStreamEnd = nil
        onEnd?()
    }
}
