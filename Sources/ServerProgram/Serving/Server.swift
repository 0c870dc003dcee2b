import Auth
import DomainKit
import EmbeddedPostgres
import Explorer
import Glibc
import HTTPServer
import Logging
import Migrations
import Observability
import OutgoingHTTP
import PostgresDriver
import QueryCompiler
import RPCServer
import ServiceLifecycle

/// The server that the settings describe: connects to the database, migrates it, and serves until it is asked to stop.
struct Server: Sendable {
    let http: HTTPConfiguration
    /// nil: metrics are served beside the service, to programs on this machine.
    let metricsAddress: ListenerAddress?
    let envelope: EnvelopeLimits
    let limits: Limits
    let clients: DatabaseClients.Configuration
    let domains: ServedDomains
    let migrations: [MigrationSource]
    let migrates: Bool
    let hasDemo: Bool
    /// nil: the generated one of the data directory.
    let givenSecrets: [SigningSecret]?
    /// nil: tokens of Supabase Auth are not accepted.
    let supabaseSecret: SigningSecret?
    let mailing: Mailing
    /// Where requests may go.
    let outgoing: OutgoingHosts
    /// nil: forgotten passwords cannot be reset by mail.
    let resets: PasswordResetDelivery?
    /// For links to documents, without a slash at its end; nil: the links are paths.
    let publicURL: String?
    /// For links in mails, without a slash at its end.
    let mailURL: String
    /// The port on which plain HTTP is answered with the address over HTTPS; nil: none.
    let redirectPort: Int?
    let manager: ServiceManager

    /// Returns when the server has stopped.
    func run(on database: OpenDatabase, until shutdown: GracefulShutdown, _ logs: Logs) async throws {
        let clients = DatabaseClients(database.connectionString, roles: domains.all.roles, clients, logs.logger)
        try await withCleanUp {
            try await run(on: database, clients, until: shutdown, logs)
        } cleanUp: {
            await clients.shutdown()
        }
    }

    private func run(
        on database: OpenDatabase, _ clients: DatabaseClients, until shutdown: GracefulShutdown, _ logs: Logs
    ) async throws {
        let logger = logs.logger
        try await database.waitUntilAvailable(logger)
        let migrator = try Migrator(sources: migrations, client: clients.owner)
        try checkSession()
        if migrates { try await migrator.up { progress in progress.log(to: logger) } }
        try await clients.verify(withWorker: domains.all.contains { $0.needsWorker })
        try await clients.check(timeZone: self.clients.timeZone)
        try await clients.check(lockTimeout: self.clients.lockTimeout, logger)
        let schema = try await migrator.status()
        if !schema.later.isEmpty {
            logger.notice(
                "The schema is that of a later version, beside which this one may serve",
                metadata: ["version": "\(ServerProgram.version)", "later": "\(schema.later.joined(separator: ", "))"])
        }
        if schema.isUpToDate {
            try await SchemaConventions(domains.all).check(clients.owner)
            try await AccountAdministration(database: clients.owner).serve(domains.additionalRoles)
        }
        try await prepareAccounts(database, clients.owner, logger)

        let service = try await LearnTrackService(
            clients, domains: domains, secrets: try secrets(database), supabaseSecret: supabaseSecret, resets: resets,
            mailing: mailing, outgoing: outgoing, publicURL: publicURL, mailURL: mailURL, limits: limits,
            envelope: envelope, logger)
        let setupToken = try await setupToken(of: service.auth, clients.owner)
        let host = http.host
        let redirect = redirect()
        let metrics = PrometheusRegistry(descriptions: MetricDescriptions.all)
        metrics.addProcessMetrics()
        var metricsEndpoint = Endpoint.metrics {
            await clients.refreshMetrics()
            return metrics.text()
        }
        metricsEndpoint.isLocal = metricsAddress == nil
        let server = HTTPServer(
            configuration: http, handler: service.rpc,
            endpoints: [
                .explorer,
                .live,
                .ready { await migrator.readiness() },
            ] + (metricsAddress == nil ? [metricsEndpoint] : []) + service.rpc.endpoints,
            observers: [
                RequestLog(level: logger.logLevel, writer: logs.writer), CallErrorLog(logger: logger),
                RequestMetrics(factory: metrics), CallMetrics(factory: metrics),
            ],
            logger: logger,
            onListening: { port in
                redirect?.change(port: port)
                let scheme = http.certificate == nil ? "http" : "https"
                let url = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
                printLine("LearnTrack ready on \(url)")
                manager.ready("Serving on \(url)")
                // The group ignored a request that came before it ran.
                if shutdown.isRequested { shutdown.request() }
                guard let setupToken else { return }
                printLine(
                    "No administrator yet: run 'learntrack user add --email E --role admin', or open the one-time link "
                        + "\(url)/#setup=\(setupToken)")
            })
        addMetrics(of: server, service, to: metrics)
        clients.addPoolMetrics(to: metrics)
        clients.addReplicaMetrics(to: metrics)
        var services: [any Service] = [server, RevocationService(auth: service.auth)]
        // A server without either ends with the terminal that it was started in.
        if http.certificate != nil || manager.isThere {
            services.append(ReloadService(certificate: http.certificate, manager: manager, logger: logger))
        }
        if let redirect { services.append(redirectServer(redirect, service.rpc, logs)) }
        if let metricsAddress {
            services.append(
                MetricsListener(
                    address: metricsAddress, endpoint: metricsEndpoint, handler: service.rpc, logger: logger))
        }
        if let feed = service.rpc.feed { services.append(FeedService(feed: feed)) }
        if let files = service.rpc.files { services.append(FileUpkeepService(files: files)) }
        if let resetQueue = service.resetQueue { services.append(resetQueue) }
        if let outbox = service.rpc.outbox.map(OutboxService.init) {
            outbox.addMetrics(to: metrics)
            services.append(outbox)
        }
        if let interval = manager.watchdogInterval {
            services.append(WatchdogService(manager: manager, interval: interval, server: server))
        }
        let jobs = domains.all.flatMap(\.jobs)
        if !jobs.isEmpty {
            let service = JobService(runner: JobRunner(jobs, database: clients.worker, logger: logger))
            service.addMetrics(to: metrics)
            services.append(service)
        }
        let group = group(services, logger)
        shutdown.drainOnRequest { Task { await group.triggerGracefulShutdown() } }
        try Task.checkCancellation()
        do {
            try await group.run()
        } catch let error as CommandError {
            throw error
        } catch {
            let isTaken = "\(error)".contains("errno: \(EADDRINUSE)")
            let ports = "\(http.port)" + (redirectPort.map { " and \($0)" } ?? "")
            throw CommandError(
                "cannot serve on \(http.host):\(ports): \(isTaken ? "another program uses this port" : "\(error)")")
        }
    }

    private func redirect() -> HTTPSRedirect? {
        guard redirectPort != nil, let certificate = http.certificate else { return nil }
        return HTTPSRedirect(to: http.port, certificate: certificate, publicURL: publicURL)
    }

    /// The server that answers plain HTTP.
    private func redirectServer(_ redirect: HTTPSRedirect, _ handler: RPCService, _ logs: Logs) -> HTTPServer {
        var configuration = http
        configuration.port = redirectPort ?? 0
        configuration.certificate = nil
        configuration.redirect = redirect
        configuration.maxConnections = 512
        configuration.eventLoopThreads = 1
        return HTTPServer(
            configuration: configuration, handler: handler, endpoints: [],
            observers: [RequestLog(level: logs.logger.logLevel, writer: logs.writer)], logger: logs.logger,
            onListening: { port in printLine("Plain HTTP on port \(port) is redirected to HTTPS") })
    }

    private func addMetrics(of server: HTTPServer, _ service: LearnTrackService, to metrics: PrometheusRegistry) {
        metrics.gauge("learntrack_build_info", [("version", ServerProgram.version)]) { 1 }
        metrics.gauge("http_connections_open") { Double(server.load.connections) }
        metrics.gauge("http_bytes_held", [("kind", "request")]) { Double(server.load.bytesHeld) }
        metrics.gauge("http_bytes_held", [("kind", "answer")]) { Double(server.load.bytesUnsent) }
        metrics.gauge("http_bytes_held_max", [("kind", "request")]) { Double(server.load.maxBytesHeld) }
        metrics.gauge("http_bytes_held_max", [("kind", "answer")]) { Double(server.load.maxBytesUnsent) }
        metrics.counter("http_refused_total", [("reason", "memory")]) { Double(server.load.refusals.memory) }
        metrics.counter("http_refused_total", [("reason", "connections")]) {
            Double(server.load.refusals.connections)
        }
        metrics.gauge("work_waiting", [("kind", "computation")]) { Double(server.load.waitingOffLoop) }
        metrics.gauge("work_waiting", [("kind", "password")]) { Double(service.auth.hashingLoad.waiting) }
        if let documents = service.rpc.documents {
            metrics.gauge("work_waiting", [("kind", "document")]) { Double(documents.renderingLoad.waiting) }
        }
        guard let feed = service.rpc.feed else { return }
        metrics.gauge("event_listeners") { Double(feed.listenerCount) }
        metrics.gauge("event_lag_seconds") { feed.lag / .seconds(1) }
    }

    /// The one-time token for creating the first administrator; nil when there is one, or no schema.
    private func setupToken(of auth: AuthService, _ owner: PostgresClient) async throws -> String? {
        guard try await DemoData.hasAccountsTable(owner) else { return nil }
        return try await auth.makeSetupToken()
    }

    private func group(_ services: [any Service], _ logger: Logger) -> ServiceGroup {
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(9)
        return ServiceGroup(configuration: configuration)
    }

    private func secrets(_ database: OpenDatabase) throws -> [SigningSecret] {
        if let givenSecrets { return givenSecrets }
        guard let directory = database.directory else { throw CommandError("JWT_SECRET is not set") }
        return [try SigningSecret(try directory.serverSecret())]
    }

    /// Migrations and demo data need a session for their advisory lock, which a transaction pooler does not give.
    private func checkSession() throws {
        guard clients.pooling == .transaction, clients.directConnectionString == nil, migrates || hasDemo else {
            return
        }
        throw CommandError(
            "--pooler=transaction: \(migrates ? "migrations need" : "--demo needs") a connection that "
                + "bypasses the pooler: give --listen-url, or bring the schema up to date beforehand ('learntrack migrate "
                + "up' with the address of the database server) and serve with --no-migrate")
    }

    /// Loads the demo data if it is wanted. Otherwise throws when a demo account has its public password.
    private func prepareAccounts(
        _ database: OpenDatabase, _ owner: PostgresClient, _ logger: Logger
    ) async throws {
        if hasDemo {
            if try await DemoData.load(from: migrations, into: owner) { logger.info("Demo data loaded") }
            return
        }
        guard !database.isEmbedded, try await DemoData.hasAccountsTable(owner) else { return }
        let open = try await DemoData.openAccounts(owner)
        guard open.isEmpty else {
            throw CommandError(
                "\(open.joined(separator: ", ")) can sign in with the password of the demo data: run 'learntrack user "
                    + "disable' or 'learntrack user password' for each, or serve with --demo")
        }
    }
}

/// Receives the sign-ins that other instances of the server revoke.
private struct RevocationService: Service {
    let auth: AuthService

    func run() async throws {
        await cancelWhenGracefulShutdown { await auth.feed.follow() }
    }
}

/// Sends the changes of the database to those who listen.
private struct FeedService: Service {
    let feed: ChangeFeed

    func run() async throws {
        await cancelWhenGracefulShutdown { await feed.run() }
    }
}

/// Removes files that nothing refers to.
private struct FileUpkeepService: Service {
    let files: FileService

    func run() async throws {
        await cancelWhenGracefulShutdown { await files.prune() }
    }
}

extension Migrator {
    /// Whether the database answers and its schema is up to date with the files.
    fileprivate func readiness() async -> Readiness {
        do {
            let status = try await status()
            if let reason = status.breakingReason { return .notReady(reason) }
            return status.isUpToDate ? .ready : .notReady("the schema is not up to date")
        } catch {
            return .notReady("the database does not answer")
        }
    }
}

extension Migrator.Progress {
    fileprivate func log(to logger: Logger) {
        switch self {
        case .waitingForLock: logger.notice("Waiting for another process that is migrating this database")
        case .applied(let file): logger.info("Applied a migration", metadata: ["file": "\(file)"])
        case .recorded(let file): logger.info("Recorded the checksum of a migration", metadata: ["file": "\(file)"])
        }
    }
}
