import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The HTTP side of the server: `POST /rpc` goes to an ``RPCAnswering``, `GET`s to the endpoints given.
///
///     let server = HTTPServer(
///         configuration: configuration, answering: service,
///         endpoints: [.index(title: "…", links: []), .live, .ready { … }, .metrics { … }],
///         observers: [RequestLog(logger: logger, writer: writer), RequestMetrics()], logger: logger,
///         onListening: { port in print("ready on port \(port)") })
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
///
/// `run` returns when a graceful shutdown is through: no more connections are accepted at once, what runs is answered
/// with `Connection: close`, and after the configuration's `drainTimeout` what is left is cancelled and cut off.
package struct HTTPServer: Service {
    private let state: ServerState
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void

    package init(
        configuration: HTTPConfiguration = .init(), answering: any RPCAnswering, endpoints: [Endpoint] = [.live],
        observers: [any RequestObserver] = [], logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        state = ServerState(
            configuration: configuration, answering: answering, endpoints: endpoints, observers: observers)
        self.logger = logger
        self.onListening = onListening
    }

    /// Connections open now, bytes of request bodies held, and bytes of large answers not yet sent, for gauges.
    package var load: (connections: Int, bytesHeld: Int, bytesUnsent: Int) {
        (state.openConnections, state.budget.bytesHeld, state.unsent.bytesHeld)
    }

    package func run() async throws {
        let configuration = state.configuration
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.eventLoopThreads))
        let loops = try await LoopStates(group)
        loops.start(every: roundInterval)
        // Some descriptors are for the database and for files.
        let maxConnections = max(1, min(configuration.maxConnections, OpenFiles.raiseLimit() - 256))
        // The address is the caller's to announce.
        var quiet = logger
        if quiet.logLevel == .info { quiet.logLevel = .notice }
        let server = Server(
            childChannelSetup: ConnectionChannel(server: state, loops: loops),
            configuration: ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: configuration.backlog,
                availableConnectionsDelegate: .maximum(maxConnections, logger: quiet)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? configuration.port) },
            eventLoopGroup: group, logger: quiet)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await server.run())
        } catch {
            outcome = .failure(error)
        }
        // It may still be busy closing down when it has been cancelled besides; then its event loops are needed.
        do {
            try await server.shutdownGracefully()
        } catch {
            logger.warning("HTTP server did not close down", metadata: ["error": "\(error)"])
        }
        await stop(loops, group)
        try outcome.get()
    }

    /// Often enough for the shortest of the times that are watched.
    private var roundInterval: Duration {
        let shortest = min(state.configuration.requestTimeout, state.configuration.idleTimeout)
        return max(.milliseconds(5), min(.seconds(1), shortest / 4))
    }

    /// Ends the threads, unless a cancelled task still needs them to come to its end: then they end with the process.
    private func stop(_ loops: LoopStates, _ group: MultiThreadedEventLoopGroup) async {
        loops.stop()
        var patience = 200
        while state.hasRunningTasks, patience > 0 {
            patience -= 1
            // Cancelled, it waits no longer.
            do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
        }
        guard !state.hasRunningTasks else { return }
        do {
            try await group.shutdownGracefully()
        } catch {
            logger.warning("event loops did not end", metadata: ["error": "\(error)"])
        }
    }
}
