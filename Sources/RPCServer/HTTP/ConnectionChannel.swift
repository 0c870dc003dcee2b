import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// What HummingbirdCore's server sets up on each connection: NIO's HTTP parser and this server's handler, without the
/// asynchronous channel in between.
struct ConnectionChannel: ServerChildChannel {
    /// A connection; the server waits for it to close.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
    }

    let server: ServerState
    let loops: LoopStates

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try Self.addHandlers(to: channel, server, loops.state(of: channel.eventLoop))
            return Value(channel: channel)
        }
    }

    static func addHandlers(to channel: any Channel, _ server: ServerState, _ loop: LoopState) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 16 * 1_024
        limits.maxHeaderListSize = 32 * 1_024
        limits.maxHeaderFieldCount = 100
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ByteToMessageHandler(RequestDecoder(limits)))
        try pipeline.addHandler(ConnectionHandler(server: server, loop: loop, allocator: channel.allocator))
    }

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
