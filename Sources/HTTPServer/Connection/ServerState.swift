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
    let connections: ConnectionRegistry
    /// One thread: reading a mebibyte of JSON and planning its call can take 80 MB for a moment.
    let offLoop = OffLoopPool(maxThreads: 1)
    let requestIDs = RequestIDGenerator()
    /// Whether connections are those over TLS.
    let isSecure: Bool
    /// nil while the server does not run.
    let loops = Mutex<EventLoopContexts?>(nil)
    private let runningTasks = Atomic<Int>(0)

    init(
        configuration: HTTPConfiguration, handler: any RequestHandler, endpoints: [Endpoint],
        observers: [any RequestObserver], hasCalls: Bool
    ) {
        self.configuration = configuration
        isSecure = configuration.certificate != nil
        self.handler = handler
        self.observers = observers
        timeouts = HTTPConnectionStateMachine.Timeouts(
            request: UInt64(TimeAmount(configuration.requestTimeout).nanoseconds),
            idle: UInt64(TimeAmount(configuration.idleTimeout).nanoseconds),
            heartbeat: UInt64(TimeAmount(configuration.eventHeartbeat).nanoseconds))
        crossOrigin = CrossOrigin(allowedOrigins: configuration.allowedOrigins)
        routes = Routes(
            endpoints: endpoints, crossOrigin: crossOrigin, hasCalls: hasCalls, redirect: configuration.redirect)
        connections = ConnectionRegistry(configuration)
    }

    /// Whether a task still runs, also for a client that has disconnected.
    var hasRunningTasks: Bool { runningTasks.load(ordering: .relaxed) > 0 }

    func taskStarted() { runningTasks.wrappingAdd(1, ordering: .relaxed) }
    func taskEnded() { runningTasks.wrappingSubtract(1, ordering: .relaxed) }
}
