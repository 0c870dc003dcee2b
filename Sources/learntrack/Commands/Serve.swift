import ArgumentParser
import Auth
import EmbeddedPostgres
import Logging

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve JSON-RPC over HTTP.",
        discussion: """
            Prints one line when it is ready. SIGTERM and SIGINT end it: it accepts nothing more, finishes what runs and \
            exits with 0.
            """)

    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup(title: "The database") var database: DatabaseOptions
    @OptionGroup(title: "The database") var pools: PoolOptions
    @OptionGroup(title: "The database") var files: MigrationOptions
    @Flag(name: Settings.noMigrate.flag, help: Settings.noMigrate.help) var noMigrate = false
    @Flag(name: Settings.demo.flag, help: Settings.demo.help) var demo = false
    @Option(name: Settings.jwtSecret.flag, help: Settings.jwtSecret.help) var jwtSecret: String?
    @Option(name: Settings.supabaseJWTSecret.flag, help: Settings.supabaseJWTSecret.help)
    var supabaseJWTSecret: String?
    @OptionGroup(title: "Mails") var mail: MailOptions
    @OptionGroup(title: "Logs") var log: LogOptions

    func run() async throws {
        try await Failure.translating {
            let logs = try log.start()
            defer { logs.flush() }
            let plan = try ServerPlan(
                http: server.http(), envelope: server.envelope(), limits: server.limits(), clients: pools.clients(),
                migrations: files.folder(), migrates: !Settings.noMigrate.value(noMigrate),
                hasDemo: Settings.demo.value(demo), givenSecrets: givenSecrets(),
                supabaseSecret: givenSupabaseSecret(),
                resets: mail.delivery(isEmbedded: database.url() == nil, place: server.place()))
            if case .mail? = plan.resets?.way, try mail.linksToPlace() {
                let place = try server.place()
                logs.logger.warning("Mails link to \(place): give --public-url or --reset-url")
            }
            let stop = StopRequest()
            let signals = StopSignals { stop.make() }
            defer { extendLifetime(signals) }
            let serving = Task { try await run(plan, until: stop, logs) }
            stop.cancels(serving)
            do {
                try await serving.value
            } catch {
                guard stop.isMade else { throw error }
                logs.logger.notice("Stopped", metadata: ["amid": "\(error)"])
            }
        }
    }

    private func run(_ plan: ServerPlan, until stop: StopRequest, _ logs: Logs) async throws {
        let database = try await OpenDatabase.serve(database, logs.logger)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await plan.run(on: database, until: stop, logs))
        } catch {
            outcome = .failure(error)
        }
        await database.close()
        try outcome.get()
    }

    private func givenSupabaseSecret() throws -> SigningSecret? {
        guard let text = try Settings.supabaseJWTSecret.value(supabaseJWTSecret) else { return nil }
        do throws(SigningSecretError) {
            return try SigningSecret(text)
        } catch {
            throw Failure("SUPABASE_JWT_SECRET: \(error)")
        }
    }

    /// The secrets of JWT_SECRET; nil when they are to be the generated one.
    private func givenSecrets() throws -> [SigningSecret]? {
        if let text = try Settings.jwtSecret.value(jwtSecret) { return try SigningSecret.list(text) }
        guard try database.url() == nil else {
            throw Failure(
                "JWT_SECRET is not set: with a --database-url, give the secret that signs access tokens, 32 bytes or more "
                    + "(openssl rand -base64 48)")
        }
        return nil
    }
}
