import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// The beginning of a connection over TLS: waits for the end of the handshake, and then sets up the version of HTTP that
/// client and server have agreed on.
final class TLSNegotiation: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private static let maxTime = TimeAmount.seconds(10)

    private let server: ServerState
    private let loop: EventLoopContext
    private let share: ConnectionShare
    private var timeout: Scheduled<Void>?

    private init(server: ServerState, loop: EventLoopContext) {
        self.server = server
        self.loop = loop
        share = ConnectionShare(server)
    }

    /// Adds the handlers of a connection that begins with a handshake.
    static func add(
        to channel: any Channel, _ certificate: ServerCertificate, server: ServerState, loop: EventLoopContext
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
        try pipeline.addHandler(TLSNegotiation(server: server, loop: loop))
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let channel = context.channel
        share.open(channel.remoteAddress?.ipAddress) { _ in channel.close(promise: nil) }
        timeout = context.eventLoop.scheduleTask(in: min(Self.maxTime, TimeAmount(server.configuration.requestTimeout)))
        {
            bound.value.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            finish()
            do {
                if negotiated == "h2" {
                    try HTTP2Connection.add(to: context.channel, server: server, loop: loop)
                } else {
                    try ConnectionChannel.addHTTP1(to: context.channel, server: server, loop: loop)
                }
                context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            } catch {
                context.close(promise: nil)
            }
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func finish() {
        timeout?.cancel()
        timeout = nil
        share.close()
    }

    /// The client speaks no TLS, or none that this server accepts.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }
}
