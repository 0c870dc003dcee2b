import NIOCore

/// Counts the frames of a connection before NIO reads them, because NIO drops those of unknown types without a word.
final class HTTP2FrameCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The client has sent more frames than it may. Later bytes are dropped.
    struct ExcessError: Error {}

    private let loop: EventLoopContext
    private var allowance: FrameAllowance
    private var isExceeded = false

    init(_ loop: EventLoopContext) {
        self.loop = loop
        allowance = FrameAllowance(now: loop.now)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        let bytes = unwrapInboundIn(data)
        isExceeded = !bytes.withUnsafeReadableBytes { allowance.received($0, now: loop.now) }
        if isExceeded { context.fireErrorCaught(ExcessError()) } else { context.fireChannelRead(data) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        allowance.partSent()
        context.write(data, promise: promise)
    }
}
