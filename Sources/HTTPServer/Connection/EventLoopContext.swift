import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// What the connections of one event loop share: a coarse clock, the `Date` header, the timer that checks timeouts, and
/// the connections that continue in a later tick. One timer per loop instead of several per connection keeps requests
/// free of timers.
///
/// Isolated to its event loop.
final class EventLoopContext {
    let eventLoop: any EventLoop
    let executor: EventLoopTaskExecutor
    /// The time of the last timeout check, in nanoseconds.
    private(set) var now: UInt64
    /// The header's whole line, as of the last timeout check.
    private(set) var dateHeader: [UInt8]
    private var dateHeaderSecond: Int
    private var connections: [ObjectIdentifier: any TimedConnection] = [:]
    private var timer: RepeatedTask?
    private var resuming = CircularBuffer<ConnectionHandler>()

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        executor = EventLoopTaskExecutor(eventLoop)
        now = eventLoop.now.uptimeNanoseconds
        dateHeaderSecond = time(nil)
        dateHeader = Self.dateHeader(dateHeaderSecond)
    }

    func startTimer(every interval: Duration) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(interval)) { _ in
            bound.value.checkTimeouts()
        }
    }

    func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    func add(_ connection: any TimedConnection) {
        connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: any TimedConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    private func checkTimeouts() {
        now = eventLoop.now.uptimeNanoseconds
        let second = time(nil)
        if second != dateHeaderSecond {
            dateHeaderSecond = second
            dateHeader = Self.dateHeader(second)
        }
        // A copy, since a connection that is closed removes itself.
        for connection in Array(connections.values) { connection.checkTimeouts() }
    }

    // MARK: Later ticks

    private static let resumptionDelay = TimeAmount.microseconds(200)

    /// Calls ``ConnectionHandler/tickBegan()`` after the loop has looked at its sockets. One connection is
    /// resumed per tick.
    func resumeInLaterTick(_ connection: ConnectionHandler) {
        resuming.append(connection)
        guard resuming.count == 1 else { return }
        // The delay begins when the loop has handled its sockets, however long that takes.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.scheduleResumption() }
    }

    /// A loop runs its tasks until none is due before it looks at its sockets again. Only a task with a delay comes after
    /// that, and only one: a second one could become due while the first runs.
    private func scheduleResumption() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.resumptionDelay) { bound.value.resumeNext() }
    }

    private func resumeNext() {
        // The connection stays in the queue meanwhile, so that it does not schedule a resumption when it yields again.
        resuming.first?.tickBegan()
        resuming.removeFirst()
        if !resuming.isEmpty { scheduleResumption() }
    }

    // MARK: Date

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter second: seconds since 1970.
    /// - Returns: `Date: Sat, 21 Nov 2026 12:00:00 GMT` and a line end.
    static func dateHeader(_ second: Int) -> [UInt8] {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        let weekday = days[(second / 86_400) % 7]
        let month = months[Int(parts.tm_mon)]
        let day = "\(twoDigits(parts.tm_mday)) \(month) \(parts.tm_year + 1900)"
        let clock = "\(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):\(twoDigits(parts.tm_sec))"
        return Array("Date: \(weekday), \(day) \(clock) GMT\r\n".utf8)
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}

/// What has timeouts that an ``EventLoopContext`` lets it check.
protocol TimedConnection: AnyObject {
    /// Called every quarter of the shortest timeout, at least once a second.
    func checkTimeouts()
}

/// Runs tasks on an event loop, so that a request is read, answered and written without a change of thread.
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The contexts of a group's event loops.
struct EventLoopContexts: Sendable {
    private let contexts: [ObjectIdentifier: NIOLoopBoundBox<EventLoopContext>]

    init(_ group: any EventLoopGroup) async throws {
        var contexts: [ObjectIdentifier: NIOLoopBoundBox<EventLoopContext>] = [:]
        for loop in group.makeIterator() {
            contexts[ObjectIdentifier(loop)] = try await loop.submit {
                NIOLoopBoundBox(EventLoopContext(loop), eventLoop: loop)
            }.get()
        }
        self.contexts = contexts
    }

    /// Called on `loop`, which belongs to the group.
    func context(of loop: any EventLoop) throws -> EventLoopContext {
        guard let box = contexts[ObjectIdentifier(loop)] else { throw UnknownEventLoopError() }
        return box.value
    }

    func startTimers(every interval: Duration) {
        for box in contexts.values {
            box.eventLoop.execute { box.value.startTimer(every: interval) }
        }
    }

    func stopTimers() {
        for box in contexts.values {
            box.eventLoop.execute { box.value.stopTimer() }
        }
    }

    /// Returns when each loop has run a task, which one that is stuck does not.
    func visit() async {
        // A loop that has ended takes no task.
        for box in contexts.values { try? await box.eventLoop.submit {}.get() }
    }

    private struct UnknownEventLoopError: Error {}
}

/// Delays work until an event loop has handled all sockets that are ready, and runs it once per tick. The queries of all
/// requests of one tick then leave in one write, which wakes a Postgres backend once instead of once per query.
public final class TickCoalescer: Sendable {
    private final class Pending: Sendable {
        let isScheduled = Atomic(false)
    }

    /// One per event loop.
    private let pending = ThreadSpecificVariable<Pending>()

    public init() {}

    /// Schedules `work` for the end of the tick, unless it is scheduled already. All callers pass the same work.
    /// - Returns: false, without scheduling, when the current thread is not an event loop's.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop else { return false }
        let pending = pendingOfThisThread
        guard !pending.isScheduled.exchange(true, ordering: .relaxed) else { return true }
        loop.execute {
            pending.isScheduled.store(false, ordering: .relaxed)
            work()
        }
        return true
    }

    private var pendingOfThisThread: Pending {
        if let known = pending.currentValue { return known }
        let new = Pending()
        pending.currentValue = new
        return new
    }
}
