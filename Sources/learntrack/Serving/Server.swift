import Auth
import DomainKit
import EmbeddedPostgres
import Glibc
import Logging
import Migrations
import Observability
import PostgresDriver
import QueryCompiler
import RPCServer
import ServiceLifecycle

/// A server with all its settings known: puts the pieces together and runs them.
struct ServerPlan: Sendable {
    let http: HTTPConfiguration
    let envelope: EnvelopeLimits
    let limits: Limits
    let clients: DatabaseClients.Configuration
    /// The folder of the migrations.
    let migrations: String
    let migrates: Bool
    let hasDemo: Bool
    /// Nil: the one that is kept with the embedded data.
    let givenSecrets: [SigningSecret]?
    /// Nil: tokens of Supabase Auth are not accepted.
    let supabaseSecret: SigningSecret?
    /// Nil: nobody who forgets a password can be helped.
    let resets: PasswordResetDelivery?

    /// Serves until it is told to stop.
    func run(on database: OpenDatabase, until stop: StopRequest, _ logs: Logs) async throws {
        let clients = DatabaseClients(database.connectionString, clients, logs.logger)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await run(on: database, clients, until: stop, logs))
        } catch {
            outcome = .failure(error)
        }
        await clients.shutdown()
        try outcome.get()
    }

    private func run(
        on database: OpenDatabase, _ clients: DatabaseClients, until stop: StopRequest, _ logs: Logs
    ) async throws {
        let logger = logs.logger
        try await database.waitUntilThere(logger)
        let migrator = try Migrator(folder: migrations, client: clients.owner)
        try checkSession()
        if migrates { try await migrator.up { progress in progress.log(to: logger) } }
        try await clients.verify()
        try await prepareAccounts(database, clients.owner, logger)

        let service = try await ServedService(
            clients, secrets: try secrets(database), supabaseSecret: supabaseSecret, resets: resets, limits: limits,
            envelope: envelope, logger)
        let setupToken = try await setupToken(of: service.identity, clients.owner)
        let host = http.host
        let metrics = PrometheusRegistry()
        metrics.addProcessMetrics()
        let server = HTTPServer(
            configuration: http, answering: service.rpc,
            endpoints: [
                .explorer,
                .openRPC(service.document),
                .live,
                .ready { await migrator.readiness() },
                .metrics { metrics.text() },
            ],
            observers: [RequestLog(logger: logger, writer: logs.writer), RequestMetrics(factory: metrics)],
            logger: logger,
            onListening: { port in
                let place = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
                printLine("LearnTrack ready on \(place)")
                // A group that does not run yet hears nothing.
                if stop.isMade { stop.make() }
                guard let setupToken else { return }
                printLine(
                    "No administrator yet: run 'learntrack user add --email E --role admin', or open the one-time link "
                        + "\(place)/#setup=\(setupToken)")
            })
        metrics.gauge("http_connections_open") { Double(server.load.connections) }
        metrics.gauge("http_bytes_held", [("kind", "request")]) { Double(server.load.bytesHeld) }
        metrics.gauge("http_bytes_held", [("kind", "answer")]) { Double(server.load.bytesUnsent) }
        clients.addReplicaMetrics(to: metrics)
        let group = group(
            [server, RevocationService(identity: service.identity)] + (service.resetQueue.map { [$0] } ?? []), logger)
        stop.drains { Task { await group.triggerGracefulShutdown() } }
        try Task.checkCancellation()
        do {
            try await group.run()
        } catch {
            let isTaken = "\(error)".contains("errno: \(EADDRINUSE)")
            throw Failure(
                "cannot serve on \(http.host):\(http.port): \(isTaken ? "another program does already" : "\(error)")")
        }
    }

    /// What lets whoever started the server make the first administrator; nil where there is one, or no schema.
    private func setupToken(of identity: AuthService, _ owner: PostgresClient) async throws -> String? {
        guard try await DemoData.hasAccounts(owner) else { return nil }
        return try await identity.offerSetup()
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
        guard let directory = database.directory else { throw Failure("JWT_SECRET is not set") }
        return [try SigningSecret(try directory.serverSecret())]
    }

    /// Migrations and demo data are scripts under a lock, which no transaction pooler can carry out.
    private func checkSession() throws {
        guard clients.pooling == .transaction, clients.directConnectionString == nil, migrates || hasDemo else {
            return
        }
        throw Failure(
            "--pooler=transaction: \(migrates ? "migrations need" : "--demo needs") a connection that leads past the "
                + "pooler: give --listen-url, or bring the schema up to date beforehand ('learntrack migrate up' with the "
                + "server's own address) and serve with --no-migrate")
    }

    /// Demo accounts open with a password that everyone knows: they are for demonstrations alone.
    private func prepareAccounts(
        _ database: OpenDatabase, _ owner: PostgresClient, _ logger: Logger
    ) async throws {
        if hasDemo {
            if try await DemoData.load(from: migrations, into: owner) { logger.info("Demo data loaded") }
            return
        }
        // Without its tables the database holds no accounts either.
        guard !database.isEmbedded, try await DemoData.hasAccounts(owner) else { return }
        let open = try await DemoData.openAccounts(owner)
        guard open.isEmpty else {
            throw Failure(
                "\(open.joined(separator: ", ")) can sign in with the password of the demo data: run 'learntrack user "
                    + "disable' or 'learntrack user password' for each, or serve with --demo")
        }
    }
}

/// Keeps up with the sign-ins that other instances end.
private struct RevocationService: Service {
    let identity: AuthService

    func run() async throws {
        await cancelWhenGracefulShutdown { await identity.feed.follow() }
    }
}

extension Migrator {
    /// Whether the database answers and its schema is the one these files describe.
    fileprivate func readiness() async -> Readiness {
        do {
            return try await status().isUpToDate ? .ready : .notReady("the schema is not up to date")
        } catch {
            return .notReady("the database does not answer")
        }
    }
}

extension Migrator.Progress {
    fileprivate func log(to logger: Logger) {
        switch self {
        case .waitingForLock: logger.notice("Waiting for another process that is migrating this database")
        case .applied(let name): logger.info("Applied a migration", metadata: ["file": "\(name)"])
        case .recorded(let name): logger.info("Recorded the checksum of a migration", metadata: ["file": "\(name)"])
        }
    }
}
