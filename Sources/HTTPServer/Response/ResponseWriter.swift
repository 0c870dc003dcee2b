import NIOCore
import NIOHTTP1

/// Writes the responses of one connection: compresses the body, writes the head, and gathers small responses so that
/// they leave in one write. Large bodies are not copied; they leave in slices, one per tick of the event loop.
///
/// To a stream of HTTP/2 it writes the same as ``StreamOutput``.
///
/// Writing to a channel may call its handlers back, and these may call this object: hence `isEmitting`.
final class ResponseWriter {
    /// Bodies up to this size, in bytes, are copied behind their head, which costs less than a second buffer.
    private static let maxCopiedBody = ConnectionRegistry.uncountedBytes
    private static let maxGathered = 64 * 1_024
    /// How many bytes of a large body are written at once.
    private static let sliceBytes = 256 * 1_024

    /// The rest of a large body.
    private struct Rest {
        var body: UnsentBody
        /// By which the memory is reserved; nil for a body that all clients share.
        let claim: MemoryBudget.Claim?
    }

    /// Called when a slice has left.
    var onSliceSent: () -> Void = {}

    private let server: ServerState
    private let loop: EventLoopContext
    private let share: ConnectionShare
    private let isStream: Bool
    private var rest: Rest?
    private var pending: ByteBuffer
    /// Bytes have been written to the channel and not flushed.
    private var needsFlush = false
    private var isEmitting = false

    /// - Parameter isStream: whether the channel is a stream of HTTP/2.
    init(
        server: ServerState, loop: EventLoopContext, share: ConnectionShare, allocator: ByteBufferAllocator,
        isStream: Bool
    ) {
        self.server = server
        self.isStream = isStream
        self.share = share
        self.loop = loop
        pending = allocator.buffer(capacity: 1_024)
    }

    /// Whether the channel has all of the last response.
    var isComplete: Bool { rest == nil }
    /// How many bytes of the last response the channel does not have.
    var unwrittenBytes: Int { rest?.body.readableBytes ?? 0 }

    /// Writes a response, or the first slice of a large one; ``flush(_:promise:)`` sends it.
    /// - Parameter isLast: whether the connection ends with it.
    /// - Returns: the status that was written, and the number of bytes of the body.
    func write(
        _ response: HTTPResponse, to exchange: Exchange, isLast: Bool, _ context: ChannelHandlerContext
    ) -> (status: Int, bytesSent: Int) {
        var response = response
        let isHead = exchange.head?.method == .HEAD
        if !response.isEncoded { exchange.encoding(server.configuration, context.channel.allocator).encode(&response) }
        let reserved = isHead ? nil : reserve(&response, for: exchange)
        let isHTTP10 = exchange.head?.version == .http1_0
        let head = ResponseHead(
            requestID: exchange.requestID, dateHeader: loop.dateHeader,
            connection: isLast ? "close" : isHTTP10 ? "keep-alive" : nil,
            allowedOrigin: server.crossOrigin.allowedOrigin(for: exchange.headers.origin),
            variesByOrigin: !server.crossOrigin.isOff, isSecure: server.isSecure)
        let hasBody = !isHead && response.status.mayHaveResponseBody
        if isStream {
            let bodyBytes = hasBody ? response.stream == nil ? response.length : nil : 0
            needsFlush = true
            context.write(
                NIOAny(
                    StreamOutput.head(
                        status: Int(response.status.code), fields: head.fields(of: response), bodyBytes: bodyBytes)),
                promise: nil)
        } else {
            pending.writeHead(of: response, head)
        }
        guard hasBody else { return (Int(response.status.code), 0) }
        let length = response.length
        write(response, reserved, context)
        return (Int(response.status.code), length)
    }

    func writeContinue(_ context: ChannelHandlerContext) {
        guard !isStream else {
            needsFlush = true
            return context.write(NIOAny(StreamOutput.informational), promise: nil)
        }
        pending.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
    }

    /// `bytes` as the channel takes them.
    private func output(_ bytes: ByteBuffer) -> NIOAny {
        isStream ? NIOAny(StreamOutput.bytes(bytes)) : NIOAny(bytes)
    }

    /// Sends what has been written.
    func flush(_ context: ChannelHandlerContext) {
        emit(to: context)
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }

    /// Sends what has been written.
    /// - Parameter promise: succeeded when the last byte has left.
    func flush(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>) {
        emit(to: context)
        needsFlush = false
        context.writeAndFlush(output(context.channel.allocator.buffer(capacity: 0)), promise: promise)
    }

    /// Writes a part of a stream of events, behind what is gathered. The bytes are shared by all who receive them.
    func writeEvents(_ events: ByteBuffer, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        emit(to: context)
        needsFlush = true
        context.write(output(events), promise: promise)
    }

    /// Gives back the memory in which responses are gathered: a stream of events needs none.
    func releaseMemory() {
        if pending.readableBytes == 0 { pending = ByteBuffer() }
    }

    // MARK: Bodies

    /// Reserves a large body's bytes in the budget of unsent ones; replaces the response by an error when they are too
    /// many.
    private func reserve(_ response: inout HTTPResponse, for exchange: Exchange) -> MemoryBudget.Claim? {
        guard response.length > Self.maxCopiedBody, response.cachedGzip == nil else { return nil }
        guard let claim = share.reserveUnsent(response.heldBytes, for: exchange) else {
            var error = HTTPError.overloaded
            if case .handler = exchange.destination { error = .responseDropped }
            response = server.handler.response(to: error, requestID: exchange.requestID)
            return nil
        }
        return claim
    }

    private func write(_ response: HTTPResponse, _ claim: MemoryBudget.Claim?, _ context: ChannelHandlerContext) {
        if response.length <= Self.maxCopiedBody {
            pending.writeImmutableBuffer(response.body)
            if pending.readableBytes >= Self.maxGathered { emit(to: context) }
        } else {
            emit(to: context)
            rest = Rest(body: UnsentBody([response.body] + response.furtherPieces), claim: claim)
            writeNextSlice(context)
        }
    }

    /// Writes the next slice of a large body to the channel, without flushing.
    func writeNextSlice(_ context: ChannelHandlerContext) {
        guard let (slice, freedBytes) = rest?.body.takeSlice(upTo: Self.sliceBytes) else { return }
        let claim = rest?.claim
        let isLast = rest?.body.isEmpty ?? true
        if isLast { rest = nil }
        needsFlush = true
        guard !isLast || claim != nil else { return context.write(output(slice), promise: nil) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            if let claim { self.share.releaseUnsent(freedBytes, claim) }
            if !isLast { self.onSliceSent() }
        }
        context.write(output(slice), promise: sent)
    }

    /// Writes the gathered bytes to the channel, without flushing.
    private func emit(to context: ChannelHandlerContext) {
        guard pending.readableBytes > 0, !isEmitting else { return }
        isEmitting = true
        defer { isEmitting = false }
        needsFlush = true
        context.write(output(pending), promise: nil)
        // Keeps the memory if the socket took all bytes at once, and allocates new memory otherwise.
        pending.clear(minimumCapacity: 1_024)
    }
}
