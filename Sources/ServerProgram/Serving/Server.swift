import Accounts
import Auth
import Documents
import DomainKit
import EmbeddedPostgres
import Explorer
import Feed
import Files
import FrontPages
import HTTPServer
import Jobs
import Logging
import Migrations
import Observability
import Outbox
import OutgoingHTTP
import PostgresDriver
import QueryCompiler
import RPCServer
import ServiceLifecycle

/// The server that the settings describe: connects to the database, migrates it, and serves until it is asked to stop.
struct Server: Sendable {
    let http: HTTPConfiguration
    /// nil: the server has no pages for people but the explorer.
    let front: Front?
    /// nil: metrics are served beside the service, to programs on this machine.
    let metricsAddress: ListenerAddress?
    let envelope: EnvelopeLimits
    let limits: CallLimits
    /// After how long a call is logged as slow; nil: none is.
    let slowCall: Duration?
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
    /// Whether a proxy in front of the server does TLS.
    let isBehindProxy: Bool
    /// For links in mails.
    let address: ServedAddress
    /// The port on which plain HTTP is answered with the address over HTTPS; nil: none.
    let redirectPort: Int?
    /// nil: the level of the log does not change.
    let logLevelFile: LogLevelFile?
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
        try await database.whenThereIsPlace(logger) {
            if migrates { try await migrator.up { progress in progress.log(to: logger) } }
            try await clients.verify()
        }
        try await clients.check(timeZone: self.clients.timeZone)
        try await clients.check(lockTimeout: self.clients.lockTimeout, logger)
        let schema = try await migrator.status()
        if !schema.later.isEmpty {
            logger.notice(
                "The schema is that of a later version, beside which this one may serve",
                metadata: ["version": "\(ServerProgram.version)", "later": "\(schema.later.joined(separator: ", "))"])
        }
        if schema.isUpToDate {
            let errors = try await SchemaConventions(domains.all).errors(clients.owner)
            // The migrations of a later version may have changed what this one declares, and leave it able to serve.
            let fatal = schema.later.isEmpty ? errors.filter(\.isCertain) : []
            guard fatal.isEmpty else { throw ConventionErrors(errors: fatal) }
            for error in errors {
                logger.warning("The database is not as the domains declare it", metadata: ["error": "\(error)"])
            }
            try await AccountAdministration(database: clients.owner).serve(domains.additionalRoles)
        }
        let demo = try await prepareAccounts(database, clients.owner, logger)

        let service = try await LearnTrackService(
            clients, domains: domains, secrets: try secrets(database), supabaseSecret: supabaseSecret, resets: resets,
            mailing: mailing, outgoing: outgoing, publicURL: publicURL, site: site, address: address,
            limits: limits, envelope: envelope, slowCall: slowCall, logger)
        await service.installation.ask()
        let slowCalls = slowCall.map { SlowCalls(limit: $0, writer: logs.writer, database: clients.worker) }
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
        metricsEndpoint.hosts = metricsHosts
        let server = HTTPServer(
            configuration: http, handler: service.rpc,
            endpoints: [
                .explorer(demo: demo),
                .live,
                .ready { await migrator.readiness() },
            ] + (metricsAddress == nil ? [metricsEndpoint] : []) + service.rpc.endpoints
                + (front.map { $0.endpoints + $0.pages(at: domains.pagePaths) } ?? [.missingFront]),
            observers: [
                RequestLog(writer: logs.writer), CallErrorLog(logger: logger),
                RequestMetrics(factory: metrics), CallMetrics(factory: metrics),
            ] + [slowCalls].compactMap(\.self),
            logger: logger,
            onListening: { port in
                redirect?.change(port: port)
                let scheme = http.certificate == nil ? "http" : "https"
                let url = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
                address.listens(at: url)
                printLine("LearnTrack ready on \(url)")
                manager.ready("Serving on \(url)")
                // The group ignored a request that came before it ran.
                if shutdown.isRequested { shutdown.request() }
                guard let setupToken else { return }
                printLine(
                    "No administrator yet: run 'learntrack user add --email E --role admin', or open the one-time link "
                        + "\(url)\(Self.signInPath(with: front))#setup=\(setupToken)")
            })
        addMetrics(of: server, service, to: metrics)
        clients.addPoolMetrics(to: metrics)
        clients.addReplicaMetrics(to: metrics)
        // They end in the opposite order: what the last calls count is written when all have been answered.
        var services: [any Service] = [
            DocumentCountService(auth: service.auth), server, RevocationService(auth: service.auth),
        ]
        // A server without any of them ends with the terminal that it was started in.
        if http.certificate != nil || logLevelFile != nil || manager.isThere {
            services.append(
                ReloadService(
                    certificate: http.certificate, logLevelFile: logLevelFile, manager: manager, logs: logs))
        }
        if let redirect { services.append(redirectServer(redirect, service.rpc, logs)) }
        if let metricsAddress {
            services.append(
                MetricsListener(
                    address: metricsAddress, endpoint: metricsEndpoint, handler: service.rpc, logger: logger))
        }
        services +=
            [
                FeedService(feed: service.feed), FileUpkeepService(files: service.files),
                InstallationService(installation: service.installation),
            ] as [any Service]
        if let slowCalls { services.append(SlowCallService(calls: slowCalls)) }
        if let resetQueue = service.resetQueue { services.append(resetQueue) }
        if let outbox = service.outbox.map(OutboxService.init) {
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
            // The address may have been taken since the start.
            try checkListeners()
            throw CommandError("cannot serve on \(http.host), port \(http.port): \(error)")
        }
    }

    /// Throws the reason if the server cannot listen on one of its addresses.
    func checkListeners() throws {
        try ListenerProbe(host: http.host, port: http.port).check()
        if let redirectPort {
            try ListenerProbe(host: http.host, port: redirectPort, portSetting: "--http-redirect-port").check()
        }
        try metricsAddress?.probe.check()
    }

    /// The hosts of requests for metrics, unless browsers see by the certificate that a page is of another site, or the
    /// metrics are meant for other machines, which may name this one in many ways.
    private var metricsHosts: LocalHosts? {
        guard let metricsAddress else { return http.certificate == nil ? LocalHosts([http.host]) : nil }
        return TLSOptions.isLoopback(metricsAddress.host) ? LocalHosts() : nil
    }

    /// The page that opens one-time links.
    static func signInPath(with front: Front?) -> String { front == nil ? "/explorer" : "/" }

    /// The web site that the pages of the service are on.
    private var site: ServedSite {
        ServedSite(publicURL: publicURL, isBehindProxy: isBehindProxy) { [certificate = http.certificate] host in
            certificate?.covers(host) ?? false
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
            observers: [RequestLog(writer: logs.writer)], logger: logs.logger,
            onListening: { port in printLine("Plain HTTP on port \(port) is redirected to HTTPS") })
    }

    private func addMetrics(of server: HTTPServer, _ service: LearnTrackService, to metrics: PrometheusRegistry) {
        metrics.gauge("learntrack_build_info", [("version", ServerProgram.version)]) { 1 }
        if let certificate = http.certificate {
            metrics.gauge("tls_certificate_end_timestamp_seconds") { Double(certificate.term.ends) }
        }
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
        metrics.gauge("work_waiting", [("kind", "document")]) { Double(service.documents.renderingLoad.waiting) }
        metrics.gauge("event_listeners") { Double(service.feed.listenerCount) }
        metrics.gauge("event_lag_seconds") { service.feed.lag / .seconds(1) }
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
            services: services.map { .init(service: NamedService($0)) }, logger: quiet)
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
    ///
    /// - Returns: the demo accounts that have it; nil if the server does not serve demo data.
    private func prepareAccounts(
        _ database: OpenDatabase, _ owner: PostgresClient, _ logger: Logger
    ) async throws -> DemoAccounts? {
        if hasDemo {
            if try await DemoData.load(from: migrations, into: owner) { logger.info("Demo data loaded") }
            guard try await DemoData.hasAccountsTable(owner) else { return nil }
            return DemoAccounts(emails: try await DemoData.openAccounts(owner), password: DemoData.password)
        }
        guard !database.isEmbedded, try await DemoData.hasAccountsTable(owner) else { return nil }
        let open = try await DemoData.openAccounts(owner)
        guard open.isEmpty else {
            throw CommandError(
                "\(open.joined(separator: ", ")) can sign in with the password of the demo data: run 'learntrack user "
                    + "disable' or 'learntrack user password' for each, or serve with --demo")
        }
        return nil
    }
}

/// A service that the messages of the group call by its type. Otherwise the group describes all that the service holds, which takes
/// a fifth of the start.
private struct NamedService: Service, CustomStringConvertible {
    private let service: any Service
    let description: String

    init(_ service: any Service) {
        self.service = service
        description = String(describing: type(of: service))
    }

    func run() async throws { try await service.run() }
}

/// Receives the sign-ins that other instances of the server revoke.
private struct RevocationService: Service {
    let auth: AuthService

    func run() async throws {
        await cancelWhenGracefulShutdown { await auth.feed.follow() }
    }
}

/// Writes how many documents links have opened.
private struct DocumentCountService: Service {
    let auth: AuthService

    func run() async throws {
        await cancelWhenGracefulShutdown { await auth.followDocuments() }
    }
}

/// Sends the changes of the database to those who listen.
private struct FeedService: Service {
    let feed: ChangeFeed

    func run() async throws {
        await cancelWhenGracefulShutdown { await feed.run() }
    }
}

/// Learns when the installation serves several companies.
private struct InstallationService: Service {
    let installation: Installation

    func run() async throws {
        await cancelWhenGracefulShutdown { await installation.follow() }
    }
}

/// Notes the statements of slow calls.
private struct SlowCallService: Service {
    let calls: SlowCalls

    func run() async throws {
        await cancelWhenGracefulShutdown { await calls.run() }
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
