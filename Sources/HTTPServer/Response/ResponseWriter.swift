import NIOCore
import NIOHTTP1

/// Writes the responses of one connection: compresses the body, writes the head, and gathers small responses so that
/// they leave in one write. Large bodies are not copied.
///
/// Writing to a channel may call its handlers back, and these may call this object: hence `isEmitting`.
final class ResponseWriter {
    /// Bodies up to this size, in bytes, are copied behind their head, which costs less than a second buffer.
    private static let maxCopiedBody = 8 * 1_024
    private static let maxGathered = 64 * 1_024

    private let server: ServerState
    private let loop: EventLoopContext
    private var pending: ByteBuffer
    /// Bytes have been written to the channel and not flushed.
    private var needsFlush = false
    private var isEmitting = false

    init(server: ServerState, loop: EventLoopContext, allocator: ByteBufferAllocator) {
        self.server = server
        self.loop = loop
        pending = allocator.buffer(capacity: 1_024)
    }

    /// Writes a whole response; ``flush(_:promise:)`` sends it.
    /// - Parameter isLast: whether the connection ends with it.
    /// - Returns: the status that was written, and the number of bytes of the body.
    func write(
        _ response: HTTPResponse, to exchange: Exchange, isLast: Bool, _ context: ChannelHandlerContext
    ) -> (status: Int, bytesSent: Int) {
        var response = response
        let isHead = exchange.head?.method == .HEAD
        let isCompressible =
            response.status == .ok && server.configuration.compressedSizes.contains(response.body.readableBytes)
        var isGzip = false
        if isCompressible, !isHead, exchange.headers.acceptsGzip, exchange.head?.version != .http1_0,
            let compressed = gzip(response, context)
        {
            response.body = compressed
            isGzip = true
        }
        let sent = isHead ? nil : reserve(&response, requestID: exchange.requestID, context)
        if response.status != .ok { isGzip = false }
        let isHTTP10 = exchange.head?.version == .http1_0
        pending.writeHead(
            of: response,
            ResponseHead(
                requestID: exchange.requestID, dateHeader: loop.dateHeader,
                connection: isLast ? "close" : isHTTP10 ? "keep-alive" : nil,
                allowedOrigin: server.crossOrigin.allowedOrigin(for: exchange.headers.origin),
                variesByOrigin: !server.crossOrigin.isOff, variesByEncoding: isCompressible, isGzip: isGzip))
        guard !isHead, response.status.mayHaveResponseBody else { return (Int(response.status.code), 0) }
        write(response.body, sent: sent, context)
        return (Int(response.status.code), response.body.readableBytes)
    }

    func writeContinue() {
        pending.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
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
        context.writeAndFlush(NIOAny(context.channel.allocator.buffer(capacity: 0)), promise: promise)
    }

    // MARK: Bodies

    private func gzip(_ response: HTTPResponse, _ context: ChannelHandlerContext) -> ByteBuffer? {
        let allocator = context.channel.allocator
        guard let cache = response.cachedGzip else { return Gzip.compress(response.body, allocator) }
        return cache.bytes { Gzip.compress(response.body, allocator) }
    }

    /// Reserves a large body's bytes in the budget of unsent ones; replaces the response by an error when they are too
    /// many.
    /// - Returns: a promise that releases them, to be completed when the body has left or never will.
    private func reserve(
        _ response: inout HTTPResponse, requestID: String, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void>? {
        let bytes = response.body.readableBytes
        guard bytes > Self.maxCopiedBody else { return nil }
        let budget = server.unsentBytes
        guard budget.reserve(bytes) else {
            response = server.handler.response(to: .overloaded, requestID: requestID)
            return nil
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in budget.release(bytes) }
        return sent
    }

    private func write(_ body: ByteBuffer, sent: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        if body.readableBytes <= Self.maxCopiedBody {
            pending.writeImmutableBuffer(body)
        } else {
            emit(to: context)
            needsFlush = true
            context.write(NIOAny(body), promise: sent)
        }
        if pending.readableBytes >= Self.maxGathered { emit(to: context) }
    }

    /// Writes the gathered bytes to the channel, without flushing.
    private func emit(to context: ChannelHandlerContext) {
        guard pending.readableBytes > 0, !isEmitting else { return }
        isEmitting = true
        defer { isEmitting = false }
        needsFlush = true
        context.write(NIOAny(pending), promise: nil)
        // Keeps the memory if the socket took all bytes at once, and allocates new memory otherwise.
        pending.clear(minimumCapacity: 1_024)
    }
}

/// What a response's head contains besides what the response itself brings.
private struct ResponseHead {
    let requestID: String
    let dateHeader: [UInt8]
    /// The value of `Connection`; nil leaves the header out, which in HTTP/1.1 keeps the connection open.
    let connection: StaticString?
    let allowedOrigin: String?
    let variesByOrigin: Bool
    let variesByEncoding: Bool
    let isGzip: Bool
}

extension ByteBuffer {
    /// Writes a response's head, the empty line included.
    fileprivate mutating func writeHead(of response: HTTPResponse, _ head: ResponseHead) {
        if response.status == .ok {
            writeStaticString("HTTP/1.1 200 OK\r\n")
        } else {
            writeString("HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n")
        }
        if let contentType = response.contentType {
            writeStaticString("Content-Type: ")
            writeString(contentType)
            writeStaticString("\r\n")
        }
        if response.status.mayHaveResponseBody {
            writeStaticString("Content-Length: ")
            writeString(String(response.body.readableBytes))
            writeStaticString("\r\n")
        }
        writeBytes(head.dateHeader)
        writeStaticString("X-Request-Id: ")
        writeString(head.requestID)
        // Without it a browser may take JSON that contains markup for a page.
        writeStaticString("\r\nX-Content-Type-Options: nosniff\r\n")
        if let connection = head.connection {
            writeStaticString("Connection: ")
            writeStaticString(connection)
            writeStaticString("\r\n")
        }
        if head.isGzip { writeStaticString("Content-Encoding: gzip\r\n") }
        if head.variesByEncoding { writeStaticString("Vary: Accept-Encoding\r\n") }
        if head.variesByOrigin { writeStaticString("Vary: Origin\r\n") }
        if let origin = head.allowedOrigin {
            writeStaticString("Access-Control-Allow-Origin: ")
            writeString(origin)
            writeStaticString("\r\nAccess-Control-Expose-Headers: X-Request-Id\r\n")
        }
        for (name, value) in response.headers { writeString("\(name): \(value)\r\n") }
        writeStaticString("\r\n")
    }
}
