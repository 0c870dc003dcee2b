import ArgumentParser
import Auth
import EmbeddedPostgres
import FoundationEssentials
import FrontPages
import Glibc
import HTTPServer
import Logging
import Observability
import Outbox
import OutgoingHTTP
import RPCServer

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve JSON-RPC over HTTP.",
        discussion: """
            Prints one line when it is ready. On SIGTERM and SIGINT it accepts no new connections, finishes the calls in \
            progress and exits with status 0.
            """)

    @OptionGroup(title: "The server") var options: ServerOptions
    @OptionGroup(title: "The database") var database: DatabaseOptions
    @OptionGroup(title: "The database") var pools: PoolOptions
    @OptionGroup(title: "The database") var files: MigrationOptions
    @Flag(Settings.noMigrate) var noMigrate = false
    @Flag(Settings.demo) var demo = false
    @Option(Settings.jwtSecret) var jwtSecret: String?
    @Option(Settings.supabaseJWTSecret) var supabaseJWTSecret: String?
    @OptionGroup(title: "Mails") var mail: MailOptions
    @Option(Settings.outgoingHosts) var outgoingHosts: String?
    @OptionGroup(title: "Logs") var log: LogOptions
    @Option(Settings.logLevelFile) var logLevelFile: String?

    func run() async throws {
        try await CommandError.converting {
            let logs = try log.start()
            defer { logs.flush() }
            for name in EnvironmentNames.unknown() { logs.logger.warning("There is no setting \(name)") }
            let redirectPort = try options.tls.redirectPort()
            let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
            let levelFile = try Settings.logLevelFile.value(logLevelFile)
                .map { LogLevelFile(path: $0, fallback: logs.threshold.level) }
            if let levelFile { logs.threshold.level = try levelFile.level() }
            // A reload may come before the server handles it.
            if manager.isThere || levelFile != nil { signal(SIGHUP, SIG_IGN) }
            let front = try options.pages()
            let publicURL = try mail.publicAddress()
            let address = ServedAddress(try publicURL ?? options.url(), isPublic: publicURL != nil)
            let mailing = try mail.mailing(isEmbedded: database.url() == nil, serverURL: options.url())
            let server = try Server(
                http: options.http(), front: front, metricsAddress: options.metrics(), envelope: options.envelope(),
                limits: options.limits(), slowCall: options.slowCallTime(), clients: pools.clients(),
                domains: files.domains.served(), migrations: files.sources(),
                migrates: !Settings.noMigrate.value(noMigrate),
                hasDemo: Settings.demo.value(demo), givenSecrets: givenSecrets(),
                supabaseSecret: givenSupabaseSecret(),
                mailing: mailing, outgoing: OutgoingHosts(named: try Settings.outgoingHosts.value(outgoingHosts)),
                resets: mail.delivery(by: mailing, address: address, page: Server.signInPath(with: front)),
                publicURL: publicURL, isBehindProxy: options.tls.isBehindProxy,
                address: address,
                redirectPort: redirectPort, logLevelFile: levelFile, manager: manager)
            try server.checkListeners()
            if try options.tls.isBehindProxy, server.http.trustsNoProxy {
                logs.logger.warning(
                    "--behind-proxy without --trusted-proxies: all clients have the address of the proxy, and share its limits"
                )
            }
            if try options.tls.isBehindProxy, server.publicURL == nil {
                logs.logger.warning(
                    "--behind-proxy without --public-url: passkeys are for localhost alone, and no browser elsewhere can use one"
                )
            }
            // --reset-url is for new passwords alone; links to documents that people sign have the public address.
            if case .mail? = mailing.channel, server.publicURL == nil {
                logs.logger.warning("Mails link to the address on which this server listens: give --public-url")
            }
            // TLS ends at a proxy. What the evidence of a signature says about its network address would be the proxy's.
            if server.domains.haveSignatures, server.http.trustedProxies.isEmpty,
                server.publicURL?.lowercased().hasPrefix("https:") == true
            {
                logs.logger.warning(
                    "Signatures would name the address of the proxy before this server: give --trusted-proxies")
            }
            let shutdown = GracefulShutdown()
            let signals = TerminationSignals {
                manager.stopping()
                shutdown.request()
            }
            defer { extendLifetime(signals) }
            let serving = Task { try await run(server, until: shutdown, logs) }
            shutdown.cancelOnRequest(serving)
            do {
                try await serving.value
            } catch {
                guard shutdown.isRequested else { throw error }
                logs.logger.notice(
                    "Stopped during the start", metadata: error is CancellationError ? [:] : ["error": "\(error)"])
            }
        }
    }

    private func run(_ server: Server, until shutdown: GracefulShutdown, _ logs: Logs) async throws {
        let database = try await OpenDatabase.serve(database, logs.logger)
        try await withCleanUp {
            try await server.run(on: database, until: shutdown, logs)
        } cleanUp: {
            await database.close()
        }
    }

    private func givenSupabaseSecret() throws -> SigningSecret? {
        guard let text = try Settings.supabaseJWTSecret.value(supabaseJWTSecret) else { return nil }
        do throws(SigningSecretError) {
            return try SigningSecret(text)
        } catch {
            throw CommandError("SUPABASE_JWT_SECRET: \(error)")
        }
    }

    /// The secrets of JWT_SECRET; nil: the generated one is used.
    private func givenSecrets() throws -> [SigningSecret]? {
        if let text = try Settings.jwtSecret.value(jwtSecret) { return try SigningSecret.list(text) }
        guard try database.url() == nil else {
            throw CommandError(
                "JWT_SECRET is not set: with --database-url, give the secret that signs access tokens, 32 bytes or more "
                    + "(openssl rand -base64 48)")
        }
        return nil
    }
}
