package import NIOCore

/// A client that listens to a stream of events. Its events may be sent from any thread.
///
/// A listener that does not receive its events is cut off: when 64 KiB of them wait and further ones come, or when none
/// of them has left for as long as the server's `requestTimeout`. The client then continues with a new request behind the
/// last event that it has received.
package final class EventListener: Sendable {
    /// How many listeners are written to in one tick of an event loop.
    private static let listenersPerTick = 64
    /// Puts the next listeners behind the sockets that are ready in the meantime.
    private static let tickDelay = TimeAmount.microseconds(200)

    private let eventLoop: any EventLoop
    private let connection: NIOLoopBound<ConnectionHandler>

    init(_ connection: ConnectionHandler, _ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
    }

    /// Sends events and waits until the socket has taken them.
    /// - Returns: false if the stream has ended, or the calling task is cancelled.
    package func send(_ events: ByteBuffer) async -> Bool {
        let first = FirstValue<Bool>()
        eventLoop.execute {
            let sent = self.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenComplete { result in
                if case .success = result { first.set(true) } else { first.set(false) }
            }
            self.connection.value.write(events, promise: sent)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { first.resume($0) }
        } onCancel: {
            first.set(false)
        }
    }

    /// Ends the stream when everything that has been sent has left.
    package func end() {
        eventLoop.execute { self.connection.value.streamSourceEnded() }
    }

    /// Ends the stream at once. What has not left is lost; the client continues behind the last event that it has received.
    package func cutOff() {
        eventLoop.execute { self.connection.value.cutOffStream() }
    }

    /// Sends the same events to many listeners, which share the bytes, and returns when all of them have been written to.
    /// The listeners of one event loop are written to in several ticks, so that its other connections have theirs.
    package static func send(_ events: ByteBuffer, to listeners: [EventListener]) async {
        let loops = Dictionary(grouping: listeners) { ObjectIdentifier($0.eventLoop) }
        await withTaskGroup { group in
            for listeners in loops.values {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        write(events, to: listeners[...]) { continuation.resume() }
                    }
                }
            }
        }
    }

    /// - Parameter listeners: all of the same event loop.
    private static func write(
        _ events: ByteBuffer, to listeners: ArraySlice<EventListener>, whenWritten: @escaping @Sendable () -> Void
    ) {
        guard let eventLoop = listeners.first?.eventLoop else { return whenWritten() }
        eventLoop.scheduleTask(in: tickDelay) {
            for listener in listeners.prefix(listenersPerTick) {
                listener.connection.value.write(events, promise: nil)
            }
            write(events, to: listeners.dropFirst(listenersPerTick), whenWritten: whenWritten)
        }
    }
}
