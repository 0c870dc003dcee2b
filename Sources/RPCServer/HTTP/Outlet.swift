import NIOCore

/// Gathers the bytes of responses, so that many small ones leave together and large bodies uncopied.
///
/// Handing bytes over may call the connection back before it returns, which may then come here again: hence a class,
/// and `isEmitting`.
final class Outlet {
    /// Bodies up to this size are copied behind their head: cheaper than a buffer of their own on the way out.
    static let copied = 8 * 1_024
    private static let enough = 64 * 1_024

    private var pending: ByteBuffer
    /// Whether something was handed over that has not been flushed.
    private var needsFlush = false
    private var isEmitting = false

    init(allocator: ByteBufferAllocator) {
        pending = allocator.buffer(capacity: 1_024)
    }

    /// - Parameter sent: kept when a body that is not copied has left, or never will.
    func write(
        head: (inout ByteBuffer) -> Void, body: ByteBuffer, sent: EventLoopPromise<Void>? = nil,
        to context: ChannelHandlerContext
    ) {
        head(&pending)
        if body.readableBytes <= Self.copied {
            pending.writeImmutableBuffer(body)
            sent?.succeed()
        } else {
            emit(to: context)
            context.write(NIOAny(body), promise: sent)
        }
        if pending.readableBytes >= Self.enough { emit(to: context) }
    }

    func write(_ text: StaticString) {
        pending.writeStaticString(text)
    }

    /// Hands over what is gathered, without flushing.
    func emit(to context: ChannelHandlerContext) {
        guard pending.readableBytes > 0, !isEmitting else { return }
        isEmitting = true
        defer { isEmitting = false }
        needsFlush = true
        context.write(NIOAny(pending), promise: nil)
        // Keeps the memory when the socket took all at once, and takes new one when it did not.
        pending.clear(minimumCapacity: 1_024)
    }

    func flush(_ context: ChannelHandlerContext) {
        emit(to: context)
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }
}
