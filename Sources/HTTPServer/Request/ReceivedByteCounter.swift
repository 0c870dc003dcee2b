import NIOCore

/// Counts the bytes that a connection receives. It stands before the parser, which drops the extensions of chunks without
/// reporting them.
final class ReceivedByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}
