import NIOCore
import NIOHTTP1
import NIOHTTPCompression

extension ConnectionHandler {
    /// Writes the response to an exchange; what was the last one begins the connection's end.
    func finish(_ exchange: Exchange, with reply: HTTPReply, _ context: ChannelHandlerContext) {
        var reply = reply
        let isHead = exchange.head?.method == .HEAD
        let mayCompress =
            server.configuration.compressedSizes.contains(reply.body.readableBytes) && reply.status == .ok
        var isGzip = false
        if mayCompress, !isHead, exchange.fields.acceptsGzip, exchange.head?.version != .http1_0,
            let smaller = compressed(reply, context)
        {
            reply.body = smaller
            isGzip = true
        }
        let sent = reserve(&reply, of: exchange, isHead: isHead, context)
        isGzip = isGzip && reply.status == .ok
        let closes = exchange.closes || isDraining || (hasInputEnded && waiting.isEmpty)
        let head = ResponseHead(
            requestID: exchange.requestID, dateHeader: loop.dateHeader,
            connection: closes ? "close" : exchange.head?.version == .http1_0 ? "keep-alive" : nil,
            allowedOrigin: server.crossOrigin.answer(to: exchange.fields.origin),
            variesByOrigin: !server.crossOrigin.isOff, variesByEncoding: mayCompress, isGzip: isGzip)
        let hasBody = !isHead && reply.status.mayHaveResponseBody
        outlet.write(
            head: { $0.writeResponseHead(of: reply, head) }, body: hasBody ? reply.body : ByteBuffer(), sent: sent,
            to: context)
        release(exchange, status: Int(reply.status.code), bytesSent: hasBody ? reply.body.readableBytes : 0)
        if closes { end(context) }
    }

    /// Takes what a large body holds from what all unsent answers may; the body is not sent when that is too much.
    /// - Returns: what gives it back, to be kept once the body has left.
    private func reserve(
        _ reply: inout HTTPReply, of exchange: Exchange, isHead: Bool, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void>? {
        let bytes = reply.body.readableBytes
        guard bytes > Outlet.copied, !isHead else { return nil }
        let unsent = server.unsent
        guard unsent.take(bytes) else {
            reply = Refusal.overloaded.reply(requestID: exchange.requestID)
            return nil
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in unsent.give(back: bytes) }
        return sent
    }

    // MARK: Compression

    private func compressed(_ reply: HTTPReply, _ context: ChannelHandlerContext) -> ByteBuffer? {
        guard let kept = reply.compression else { return gzip(reply.body, context) }
        return kept.bytes { gzip(reply.body, context) }
    }

    /// The bytes compressed, or nil when that made them no fewer.
    ///
    /// The library's compressor is a handler for whole pipelines. Here it stands in this connection's for the length
    /// of this call, behind this handler: a response written from the pipeline's end passes it and comes to `write`,
    /// which keeps the body. Standing there always, it would see `100 Continue` and refusals, which end the process.
    private func gzip(_ body: ByteBuffer, _ context: ChannelHandlerContext) -> ByteBuffer? {
        let compressor = HTTPResponseCompressor(initialByteBufferCapacity: 0)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(compressor, position: .after(self))
        } catch {
            return nil
        }
        let request = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: Routes.rpcPath, headers: ["accept-encoding": "gzip"])
        context.fireChannelRead(wrapInboundOut(.head(request)))
        let response = HTTPResponseHead(version: .http1_1, status: .ok)
        pipeline.write(NIOAny(HTTPServerResponsePart.head(response)), promise: nil)
        pipeline.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
        pipeline.write(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
        pipeline.removeHandler(compressor, promise: nil)
        defer { compressed = nil }
        guard let compressed, compressed.readableBytes < body.readableBytes else { return nil }
        return compressed
    }

    /// Receives what the compressor passes on; everything else this handler writes itself, further down.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .body(.byteBuffer(let bytes)) = unwrapOutboundIn(data) { compressed = bytes }
        promise?.succeed()
    }
}
