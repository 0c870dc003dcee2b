import Glibc
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The HTTP side of the server: `POST /rpc` goes to a ``RequestHandler``, `GET` requests to the endpoints. With a certificate it
/// speaks HTTPS, by HTTP/1.1 and HTTP/2.
///
///     let server = HTTPServer(
///         configuration: configuration, handler: service,
///         endpoints: [.live, .ready { … }, .metrics { … }],
///         observers: [RequestLog(level: .info, writer: writer), RequestMetrics()], logger: logger,
///         onListening: { port in print("ready on port \(port)") })
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
///
/// A graceful shutdown stops accepting connections at once and answers the requests that run with `Connection: close`.
/// After the configuration's `drainTimeout` it cancels the rest and closes their connections. Then `run` returns.
package struct HTTPServer: Service {
    /// How many connections are accepted above the limit, while idle ones are being closed for them.
    private static let acceptMargin = 256

    /// How many connections are accepted per tick. NIO's four would keep a newcomer waiting for many ticks in a flood.
    private static let acceptsPerTick: UInt = 16

    private let state: ServerState
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void

    package init(
        configuration: HTTPConfiguration = .init(), handler: any RequestHandler, endpoints: [Endpoint] = [.live],
        observers: [any RequestObserver] = [], hasCalls: Bool = true, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        var configuration = configuration
        // Some descriptors are kept for the database and for files.
        let descriptors = Self.raiseDescriptorLimit() - 256 - Self.acceptMargin
        configuration.maxConnections = max(1, min(configuration.maxConnections, descriptors))
        configuration.maxConnectionsPerAddress = max(
            1, min(configuration.maxConnectionsPerAddress, configuration.maxConnections / 2))
        state = ServerState(
            configuration: configuration, handler: handler, endpoints: endpoints, observers: observers,
            hasCalls: hasCalls)
        self.logger = logger
        self.onListening = onListening
    }

    /// What the server holds at the moment, and what it has refused, for metrics.
    package var load: ServerLoad {
        ServerLoad(
            connections: state.connections.count, bytesHeld: state.connections.bytesHeld(.received),
            bytesUnsent: state.connections.bytesHeld(.unsent),
            limits: (state.configuration.receivedBytes.total, state.configuration.unsentBytes.total),
            waitingOffLoop: state.offLoop.waitingCount,
            refusals: state.connections.refusals)
    }

    /// Returns when each event loop that serves connections has run a task. Returns at once when none serves.
    package func visitEventLoops() async {
        await state.loops.withLock(\.self)?.visit()
    }

    package func run() async throws {
        let configuration = state.configuration
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.eventLoopThreads))
        let loops = try await EventLoopContexts(group)
        loops.startTimers(every: timerInterval)
        state.loops.withLock { $0 = loops }
        // Hummingbird would log the address, which the caller announces itself.
        var quiet = logger
        if quiet.logLevel == .info { quiet.logLevel = .notice }
        let server = Server(
            childChannelSetup: ConnectionChannel(server: state, loops: loops),
            configuration: ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: configuration.backlog,
                availableConnectionsDelegate: .maximum(
                    configuration.maxConnections + Self.acceptMargin, logger: quiet)),
            onServerRunning: { channel in
                await acceptMore(on: channel)
                await onListening(channel.localAddress?.port ?? configuration.port)
            },
            eventLoopGroup: group, logger: quiet)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await server.run())
        } catch {
            outcome = .failure(error)
        }
        // After a cancellation the server may still be shutting down, and then it needs its event loops.
        do {
            try await server.shutdownGracefully()
        } catch {
            logger.warning("HTTP server did not shut down", metadata: ["error": "\(error)"])
        }
        await stop(loops, group)
        try outcome.get()
    }

    private func acceptMore(on channel: any Channel) async {
        do {
            try await channel.setOption(.maxMessagesPerRead, value: Self.acceptsPerTick).get()
        } catch {
            logger.warning("the listening socket has no such option", metadata: ["error": "\(error)"])
        }
    }

    /// A quarter of the shortest timeout, and at most a second.
    private var timerInterval: Duration {
        let shortest = min(state.configuration.requestTimeout, state.configuration.idleTimeout)
        return max(.milliseconds(5), min(.seconds(1), shortest / 4))
    }

    /// Ends the threads, unless a cancelled task still runs on them after two seconds: then they end with the process.
    private func stop(_ loops: EventLoopContexts, _ group: MultiThreadedEventLoopGroup) async {
        loops.stopTimers()
        state.loops.withLock { $0 = nil }
        var checksLeft = 200
        while state.hasRunningTasks, checksLeft > 0 {
            checksLeft -= 1
            // A cancelled shutdown does not wait.
            do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
        }
        guard !state.hasRunningTasks else { return }
        do {
            try await group.shutdownGracefully()
        } catch {
            logger.warning("event loops did not end", metadata: ["error": "\(error)"])
        }
    }

    /// Raises the process's limit of open descriptors as far as its privileges allow. The usual limit of 1,024 exists
    /// for programs that use `select`.
    /// - Returns: the limit that now applies.
    private static func raiseDescriptorLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
