import NIOCore
import Synchronization

/// What all connections of one server share.
final class ServerState: Sendable {
    let configuration: HTTPConfiguration
    let timeouts: HTTPConnectionStateMachine.Timeouts
    let handler: any RequestHandler
    let routes: Routes
    let crossOrigin: CrossOrigin
    let observers: [any RequestObserver]
    /// The budget of the bodies that have been received and not answered.
    let receivedBytes: ByteBudget
    /// The budget of the large bodies that have not been sent.
    let unsentBytes: ByteBudget
    let requestIDs = RequestIDGenerator()
    private let runningTasks = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)

    init(
        configuration: HTTPConfiguration, handler: any RequestHandler, endpoints: [Endpoint],
        observers: [any RequestObserver]
    ) {
        self.configuration = configuration
        self.handler = handler
        self.observers = observers
        timeouts = HTTPConnectionStateMachine.Timeouts(
            request: UInt64(TimeAmount(configuration.requestTimeout).nanoseconds),
            idle: UInt64(TimeAmount(configuration.idleTimeout).nanoseconds))
        crossOrigin = CrossOrigin(allowedOrigins: configuration.allowedOrigins)
        routes = Routes(endpoints: endpoints, crossOrigin: crossOrigin)
        receivedBytes = ByteBudget(limit: configuration.maxReceivedBytes)
        unsentBytes = ByteBudget(limit: configuration.maxUnsentBytes)
    }

    var openConnections: Int { connections.load(ordering: .relaxed) }

    /// Whether a task still runs, also for a client that has disconnected.
    var hasRunningTasks: Bool { runningTasks.load(ordering: .relaxed) > 0 }

    func taskStarted() { runningTasks.wrappingAdd(1, ordering: .relaxed) }
    func taskEnded() { runningTasks.wrappingSubtract(1, ordering: .relaxed) }
    func connectionOpened() { connections.wrappingAdd(1, ordering: .relaxed) }
    func connectionClosed() { connections.wrappingSubtract(1, ordering: .relaxed) }
}

/// Limits how many bytes all connections together may hold of one kind: request bodies, or unsent responses.
final class ByteBudget: Sendable {
    private let limit: Int
    private let held = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var bytesHeld: Int { held.load(ordering: .relaxed) }

    /// - Returns: false when `bytes` more would exceed the limit; then none are reserved.
    func reserve(_ bytes: Int) -> Bool {
        guard held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit else { return true }
        release(bytes)
        return false
    }

    func release(_ bytes: Int) {
        guard bytes > 0 else { return }
        held.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
