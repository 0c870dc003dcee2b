import NIOCore
import Synchronization

/// What all connections of one server share.
final class ServerState: Sendable {
    let configuration: HTTPConfiguration
    let answering: any RPCAnswering
    let routes: Routes
    let crossOrigin: CrossOrigin
    let observers: [any RequestObserver]
    let budget: ByteBudget
    let unsent: ByteBudget
    let requestIDs = RequestID()
    /// Tasks that have not ended yet, those of clients that went away included.
    private let runningTasks = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)

    init(
        configuration: HTTPConfiguration, answering: any RPCAnswering, endpoints: [Endpoint],
        observers: [any RequestObserver]
    ) {
        self.configuration = configuration
        self.answering = answering
        self.observers = observers
        crossOrigin = CrossOrigin(allowedOrigins: configuration.allowedOrigins)
        routes = Routes(endpoints: endpoints, crossOrigin: crossOrigin)
        budget = ByteBudget(limit: configuration.maxReceivedBytes)
        unsent = ByteBudget(limit: configuration.maxUnsentBytes)
    }

    var openConnections: Int { connections.load(ordering: .relaxed) }

    var hasRunningTasks: Bool { runningTasks.load(ordering: .relaxed) > 0 }

    func taskStarted() { runningTasks.wrappingAdd(1, ordering: .relaxed) }
    func taskEnded() { runningTasks.wrappingSubtract(1, ordering: .relaxed) }
    func connectionOpened() { connections.wrappingAdd(1, ordering: .relaxed) }
    func connectionClosed() { connections.wrappingSubtract(1, ordering: .relaxed) }

    func makeIntake() -> RequestIntake {
        RequestIntake(
            routes: routes, budget: budget, requestIDs: requestIDs, maxBodyBytes: configuration.maxBodyBytes)
    }
}
