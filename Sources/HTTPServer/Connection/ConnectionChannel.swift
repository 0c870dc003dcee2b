import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// What HummingbirdCore's server sets up for each connection: NIO's HTTP parser and a ``ConnectionHandler``, without an
/// asynchronous channel between them. Over TLS, these follow the handshake, or their counterparts of HTTP/2 do.
struct ConnectionChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let server: ServerState
    let loops: EventLoopContexts

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let loop = try loops.context(of: channel.eventLoop)
            if let certificate = server.configuration.certificate {
                try TLSNegotiation.add(to: channel, certificate, server: server, loop: loop)
            } else {
                try Self.addHTTP1(to: channel, server: server, loop: loop)
            }
            return Value(channel: channel)
        }
    }

    static func addHTTP1(to channel: any Channel, server: ServerState, loop: EventLoopContext) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1_024
        limits.maxHeaderListSize = 16 * 1_024
        limits.maxHeaderFieldCount = 100
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        // Bounds what a client that does not read makes the server hold of small responses.
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: 4 * 1_024, high: 16 * 1_024))
        let pipeline = channel.pipeline.syncOperations
        let received = ReceivedByteCounter()
        try pipeline.addHandler(received)
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(
            ConnectionHandler(
                server: server, loop: loop, received: received, allocator: channel.allocator))
    }

    /// Waits for the connection's end.
    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            do {
                try await value.channel.closeFuture.get()
            } catch {
                logger.debug("connection closed", metadata: ["error": "\(error)"])
            }
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }
}
