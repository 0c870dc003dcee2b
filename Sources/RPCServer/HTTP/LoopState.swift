import NIOCore

/// What the connections of one event loop share: a coarse clock, the `Date` header and the round that looks for
/// whoever has taken too long. One timer per loop instead of several per connection keeps requests free of timers.
///
/// Belongs to its event loop: never touched from elsewhere.
final class LoopState {
    let eventLoop: any EventLoop
    let executor: EventLoopTaskExecutor
    /// The time of the last round.
    private(set) var now: NIODeadline
    private(set) var dateHeader: [UInt8]
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private var rounds: RepeatedTask?
    private var second: Int = 0
    /// Connections that have let others have their turn, in the order in which they go on.
    private var paused = CircularBuffer<ConnectionHandler>()

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        executor = EventLoopTaskExecutor(eventLoop)
        now = eventLoop.now
        second = HTTPDate.now
        dateHeader = HTTPDate.header(second)
    }

    func startRounds(every interval: Duration) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        rounds = eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval)) { _ in
            bound.value.round()
        }
    }

    func stopRounds() {
        rounds?.cancel()
        rounds = nil
    }

    func add(_ connection: ConnectionHandler) {
        connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: ConnectionHandler) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// Has `connection` go on once the loop has looked for what others have sent.
    func resumeLater(_ connection: ConnectionHandler) {
        paused.append(connection)
        guard paused.count == 1 else { return }
        // From a task of its own: what the loop does just now must not use the delay up.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.scheduleResumption() }
    }

    /// A loop runs tasks until none is due before it looks at its sockets again: hence the delay, and one task for all,
    /// which resumes one connection only.
    private func scheduleResumption() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.resumptionDelay) { bound.value.resumeNext() }
    }

    private static let resumptionDelay = TimeAmount.microseconds(200)

    private func resumeNext() {
        // Still the first while it goes on, so that pausing again schedules nothing twice.
        paused.first?.resume()
        paused.removeFirst()
        if !paused.isEmpty { scheduleResumption() }
    }

    /// Sets the clock and lets every connection look whether it has waited long enough.
    func round() {
        now = eventLoop.now
        let second = HTTPDate.now
        if second != self.second {
            self.second = second
            dateHeader = HTTPDate.header(second)
        }
        // A copy: whoever is closed in the round takes itself out.
        for connection in Array(connections.values) { connection.checkTime(now) }
    }
}
