import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

/// A client that sends arbitrary bytes and parses the responses itself.
final class TestConnection: Sendable {
    private let channel: any Channel
    private let inbox: Inbox

    private init(channel: any Channel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    static func open(port: Int, autoRead: Bool = true) async throws -> TestConnection {
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: autoRead)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(InboxHandler(inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return TestConnection(channel: channel, inbox: inbox)
    }

    func send(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// Sends `text` and waits until the kernel has it.
    func sendWhole(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func closeOutput() { channel.close(mode: .output, promise: nil) }
    func close() { channel.close(promise: nil) }

    /// Closes both directions at once. After ``close()``, on the other hand, the server sees only the end of its input.
    func reset() async throws {
        guard let socket = channel as? any SocketOptionProvider else {
            throw TestEnvironmentError("the channel has no socket options")
        }
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close().get()
    }

    func read() { channel.read() }
    func startReading() { channel.setOption(.autoRead, value: true).whenComplete { _ in self.channel.read() } }

    /// Whether the server has closed the connection, or its output.
    var hasEnded: Bool { inbox.content.withLock { $0.ended } }
    var received: String { inbox.content.withLock { String(decoding: $0.bytes[$0.taken...], as: UTF8.self) } }
    var isEmpty: Bool { inbox.content.withLock { $0.bytes.count == $0.taken } }

    func ended() async throws { try await eventually("connection ended") { hasEnded } }

    /// Removes the next response from the bytes received; waits for it.
    func response(isHead: Bool = false) async throws -> TestResponse {
        var found: TestResponse?
        try await eventually("a response") {
            found = inbox.content.withLock { TestResponse.take(from: $0.bytes, &$0.taken, isHead: isHead) }
            return found != nil || (hasEnded && isEmpty)
        }
        guard let found else { throw TestEnvironmentError("the connection ended without a response") }
        return found
    }
}

private final class Inbox: Sendable {
    struct Content {
        var bytes: [UInt8] = []
        /// How many of them have been returned as responses.
        var taken = 0
        var ended = false
    }

    let content = Mutex(Content())
}

private final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: Inbox

    init(_ inbox: Inbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        inbox.content.withLock { $0.bytes.append(contentsOf: bytes.readableBytesView) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { inbox.content.withLock { $0.ended = true } }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.content.withLock { $0.ended = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
