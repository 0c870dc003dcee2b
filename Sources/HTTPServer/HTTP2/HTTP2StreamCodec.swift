import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Translates between the frames of one HTTP/2 stream and what a ``ConnectionHandler`` reads and writes.
///
/// The channel of a stream has no option that tells how many bytes wait to be sent, and closing its output would reset the
/// stream: this handler does both.
final class HTTP2StreamCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = StreamOutput
    typealias OutboundOut = HTTP2Frame.FramePayload

    private static let maxFields = 100

    /// How many bytes of the body have been written and not left.
    private(set) var unsentBytes = 0
    /// Succeeded when no written byte is left.
    private var whenSent: [EventLoopPromise<Void>] = []
    /// How many bytes of the body follow; nil: it ends with the output.
    private var bodyBytes: Int?
    private var hasReceivedHead = false
    /// Whether a part of the request has been passed on since the last read was complete.
    private var hasPassedOn = false
    private var hasEndedOutput = false

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            hasPassedOn = true
            guard !hasReceivedHead else {
                // Fields behind the body, which this server does not use.
                return context.fireChannelRead(wrapInboundOut(.end(nil)))
            }
            hasReceivedHead = true
            guard frame.headers.count <= Self.maxFields + 4 else {
                return context.fireErrorCaught(HTTPParserError.headerOverflow)
            }
            context.fireChannelRead(wrapInboundOut(.head(HTTPRequestHead(frame.headers))))
            if frame.endStream { context.fireChannelRead(wrapInboundOut(.end(nil))) }
        case .data(let frame):
            hasPassedOn = true
            if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 {
                context.fireChannelRead(wrapInboundOut(.body(bytes)))
            }
            if frame.endStream { context.fireChannelRead(wrapInboundOut(.end(nil))) }
        default: break
        }
    }

    /// A frame that only controls the stream must not look like the beginning of a head.
    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasPassedOn else { return }
        hasPassedOn = false
        context.fireChannelReadComplete()
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .informational:
            let frame = HTTP2Frame.FramePayload.Headers(headers: [":status": "100"])
            context.write(wrapOutboundOut(.headers(frame)), promise: promise)
        case .head(let status, let fields, let bodyBytes):
            var headers = HPACKHeaders()
            headers.reserveCapacity(fields.count + 1)
            headers.add(name: ":status", value: String(status))
            for (name, value) in fields { headers.add(name: name.lowercased(), value: value) }
            self.bodyBytes = bodyBytes
            hasEndedOutput = bodyBytes == 0
            context.write(
                wrapOutboundOut(.headers(.init(headers: headers, endStream: hasEndedOutput))), promise: promise)
        case .bytes(let bytes):
            guard bytes.readableBytes > 0 else { return notify(promise, context) }
            write(bytes, promise, context)
        }
    }

    private func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let count = bytes.readableBytes
        if let following = bodyBytes {
            bodyBytes = following - count
            hasEndedOutput = following == count
        }
        unsentBytes += count
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            self.unsentBytes -= count
            promise?.completeWith(result)
            guard self.unsentBytes == 0 else { return }
            let waiting = self.whenSent
            self.whenSent = []
            for promise in waiting { promise.succeed() }
        }
        let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(bytes), endStream: hasEndedOutput)
        context.write(wrapOutboundOut(.data(frame)), promise: written)
    }

    /// Succeeds `promise` when all that was written has left.
    private func notify(_ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        guard unsentBytes == 0 else { return whenSent.append(promise) }
        // The flush that follows comes first.
        context.eventLoop.execute { promise.succeed() }
    }

    // MARK: End

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .output:
            guard !hasEndedOutput else {
                promise?.succeed()
                return
            }
            hasEndedOutput = true
            let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            context.writeAndFlush(wrapOutboundOut(.data(frame)), promise: promise)
        case .all where hasEndedOutput:
            // The response is complete: the client need not send the rest of its request (RFC 9113, 8.1).
            context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: promise)
        case .all, .input: context.close(mode: mode, promise: promise)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let waiting = whenSent
        whenSent = []
        for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        context.fireChannelInactive()
    }
}

extension HTTPRequestHead {
    /// A head as HTTP/1 would have it: `:authority` is its `Host`. NIO has checked which fields are there.
    fileprivate init(_ fields: HPACKHeaders) {
        var method = ""
        var path = ""
        var authority: String?
        var hasKnownScheme = true
        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count)
        for (name, value, _) in fields {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case ":authority": authority = value
            case ":scheme": hasKnownScheme = value == "https" || value == "http"
            case _ where name.hasPrefix(":"): break
            // A second, different host makes the request ambiguous, as in HTTP/1.
            case "host" where value == authority: break
            default: headers.add(name: name, value: value)
            }
        }
        if let authority { headers.add(name: "host", value: authority) }
        // Another scheme is not served: such a request has no target, and is malformed.
        self.init(
            version: .http2, method: HTTPMethod(rawValue: method), uri: hasKnownScheme ? path : "", headers: headers)
    }
}
