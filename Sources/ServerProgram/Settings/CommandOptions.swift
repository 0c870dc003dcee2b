package import ArgumentParser
import EmbeddedPostgres
import FoundationEssentials
import FrontPages
import HTTPServer
import Logging
import Mail
package import Migrations
import Observability
import Outbox
import QueryCompiler
import RPCServer
import TextEncodings

/// The settings of the HTTP server and its limits.
struct ServerOptions: ParsableArguments {
    @Option(Settings.host) var host: String?
    @Option(Settings.port) var port: String?
    @Option(Settings.metricsAddress) var metricsAddress: String?
    @Option(Settings.requestTimeout) var requestTimeout: String?
    @Option(Settings.slowCall) var slowCallMS: String?
    @Option(Settings.maxBody) var maxBody: String?
    @Option(Settings.maxJSONDepth) var maxJSONDepth: String?
    @Option(Settings.maxBatch) var maxBatch: String?
    @Option(Settings.maxSelectionDepth) var maxSelectionDepth: String?
    @Option(Settings.maxCost) var maxCost: String?
    @Option(Settings.maxFirst) var maxFirst: String?
    @Option(Settings.corsOrigins) var corsOrigins: String?
    @Option(Settings.trustedProxies) var trustedProxies: String?
    @Option(Settings.front) var front: String?
    @OptionGroup(title: "HTTPS") var tls: TLSOptions

    func http() throws -> HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.host = try Settings.host.value(host)
        try tls.check(host: configuration.host)
        configuration.certificate = try tls.certificate()
        configuration.port = try Settings.port.value(port)
        configuration.maxBodyBytes = try Settings.maxBody.value(maxBody)
        configuration.requestDeadline = try Settings.requestTimeout.value(requestTimeout)
        configuration.allowedOrigins = try Settings.corsOrigins.value(corsOrigins)
        configuration.trustedProxies = try Settings.trustedProxies.value(trustedProxies)
        configuration.isBehindProxy = try tls.isBehindProxy
        return configuration
    }

    /// The address of the metrics; nil: they are served beside the service.
    func metrics() throws -> ListenerAddress? { try Settings.metricsAddress.value(metricsAddress) }

    /// The address of the server as the settings give it; port 0 is not resolved.
    func url() throws -> String {
        let host = try Settings.host.value(host)
        let scheme = try tls.isSecure ? "https" : "http"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(try Settings.port.value(port))"
    }

    /// The pages to serve; nil: there are none.
    func pages() throws -> Front? { try ServedFront.find(try Settings.front.value(front)) }

    /// After how long a call is slow; nil: none is.
    func slowCallTime() throws -> Duration? {
        let milliseconds = try Settings.slowCall.value(slowCallMS)
        return milliseconds > 0 ? .milliseconds(milliseconds) : nil
    }

    func envelope() throws -> EnvelopeLimits {
        EnvelopeLimits(
            depth: try Settings.maxJSONDepth.value(maxJSONDepth), batch: try Settings.maxBatch.value(maxBatch))
    }

    func limits() throws -> CallLimits {
        let maxFirst = try Settings.maxFirst.value(maxFirst)
        // Larger than the values of any body, even when each variable is used several times.
        let values = 4 * min(try Settings.maxBody.value(maxBody), 1 << 40)
        return CallLimits(
            selectionDepth: try Settings.maxSelectionDepth.value(maxSelectionDepth),
            cost: try Settings.maxCost.value(maxCost), defaultFirst: min(CallLimits().defaultFirst, maxFirst),
            maxFirst: maxFirst, parameterBytes: max(CallLimits().parameterBytes, values))
    }
}

/// The settings that choose the database.
package struct DatabaseOptions: ParsableArguments {
    @Option(Settings.databaseURL) var databaseURL: String?
    @Option(Settings.dataDirectory) var dataDirectory: String?

    package init() {}

    /// The address of the database; nil: the embedded one.
    func url() throws -> String? { try Settings.databaseURL.value(databaseURL) }

    func directory() throws -> DataDirectory {
        try DataDirectory(try Settings.dataDirectory.value(dataDirectory))
    }
}

/// The setting of the domains.
package struct DomainOptions: ParsableArguments {
    @Option(Settings.domains) var domains: String?

    package init() {}

    package func served() throws -> ServedDomains {
        try ServedDomains(try Settings.domains.value(domains), of: ServerProgram.current.knownDomains)
    }
}

/// The settings of the migrations.
package struct MigrationOptions: ParsableArguments {
    @Option(Settings.migrations) var migrations: String?
    @OptionGroup package var domains: DomainOptions

    package init() {}

    package func sources() throws -> [MigrationSource] {
        try domains.served().migrations(in: try MigrationsFolder.find(try Settings.migrations.value(migrations)))
    }
}

/// Finds the folder of the migrations.
enum MigrationsFolder {
    /// - Parameter given: the setting; nil: looks in the folders above the program, then in the working directory.
    static func find(_ given: String?) throws -> String {
        if let given {
            guard containsMigrations(given) else { throw CommandError("there are no migrations in \(given)") }
            return given
        }
        guard let found = InstalledFolders.named("migrations").first(where: containsMigrations) else {
            throw CommandError("no migrations found beside the program or in the working directory: give --migrations")
        }
        return found
    }

    private static func containsMigrations(_ folder: String) -> Bool {
        var isDirectory = false
        let kernel = folder + "/" + MigrationSource.kernel
        guard FileManager.default.fileExists(atPath: kernel, isDirectory: &isDirectory), isDirectory else {
            return false
        }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: kernel)
                .contains { $0.hasPrefix("0001_") && $0.hasSuffix(".sql") }
        } catch {
            return false
        }
    }
}

/// The settings of the connection pools.
struct PoolOptions: ParsableArguments {
    @Option(Settings.authDatabaseURL) var authDatabaseURL: String?
    @Option(Settings.pooler) var pooler: String?
    @Option(Settings.listenURL) var listenURL: String?
    @Option(Settings.replicaURLs) var replicaURL: String?
    @Option(Settings.replicaMaxLag) var replicaMaxLag: String?
    @Option(Settings.poolSize) var poolSize: String?
    @Option(Settings.authPoolSize) var authPoolSize: String?
    @Option(Settings.acquireTimeout) var acquireTimeout: String?
    @Option(Settings.lockTimeout) var lockTimeout: String?
    @Option(Settings.timeZone) var timeZone: String?

    func clients() throws -> DatabaseClients.Configuration {
        DatabaseClients.Configuration(
            authConnectionString: try Settings.authDatabaseURL.value(authDatabaseURL),
            directConnectionString: try Settings.listenURL.value(listenURL),
            pooling: try Settings.pooler.value(pooler),
            replicas: try Settings.replicaURLs.value(replicaURL),
            replicaMaxLag: try Settings.replicaMaxLag.value(replicaMaxLag),
            poolSize: try Settings.poolSize.value(poolSize),
            authPoolSize: try Settings.authPoolSize.value(authPoolSize),
            acquireTimeout: try Settings.acquireTimeout.value(acquireTimeout),
            lockTimeout: try Settings.lockTimeout.value(lockTimeout),
            timeZone: try Settings.timeZone.value(timeZone))
    }
}

/// Parses several addresses in one setting. Commas separate them, and also the hosts within one address, so an address
/// begins at a scheme or at a `key=`.
enum ReplicaURLs {
    static func list(_ text: String) -> [String] {
        var addresses: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if addresses.isEmpty || begins(part) {
                addresses.append(String(part))
            } else {
                addresses[addresses.count - 1] += ",\(part)"
            }
        }
        return addresses.map { $0.trimmingWhitespace }.filter { !$0.isEmpty }
    }

    private static func begins(_ part: Substring) -> Bool {
        let part = part.drop(while: \.isWhitespace)
        if part.hasPrefix("postgres://") || part.hasPrefix("postgresql://") { return true }
        let key = part.prefix { $0.isLetter || $0 == "_" }
        return !key.isEmpty && part[key.endIndex...].hasPrefix("=")
    }
}

/// The settings of the log, which is written to standard error.
package struct LogOptions: ParsableArguments {
    @Option(Settings.logFormat) var logFormat: String?
    @Option(Settings.logLevel) var logLevel: String?

    package init() {}
}

extension LogOptions {
    /// Sets up logging. Must be called once for the process.
    ///
    /// - Parameter quiet: logs warnings only, unless a flag gives a level: for commands that print their result.
    func start(quiet: Bool = false) throws -> Logs {
        let format = try Settings.logFormat.value(logFormat)
        var level = try Settings.logLevel.value(logLevel)
        if quiet && logLevel == nil { level = max(level, .warning) }
        let sink = LogSink()
        let threshold = LogThreshold(level)
        @Sendable func writer(_ label: String) -> LogWriter {
            LogWriter(label: label, format: format, level: .trace, threshold: threshold, sink: sink)
        }
        LoggingSystem.bootstrap(writer)
        return Logs(
            logger: Logger(label: "learntrack"), writer: writer("learntrack"), threshold: threshold, sink: sink)
    }
}

/// The loggers of the process.
struct Logs: Sendable {
    let logger: Logger
    /// For lines that are written without a logger.
    let writer: LogWriter
    /// The level of both.
    let threshold: LogThreshold
    fileprivate let sink: LogSink

    /// Writes the lines that are still buffered. To be called before the process ends.
    func flush() { sink.flush() }
}

/// The settings of mails.
struct MailOptions: ParsableArguments {
    @Option(Settings.smtpURL) var smtpURL: String?
    @Option(Settings.mailFrom) var mailFrom: String?
    @Option(Settings.publicURL) var publicURL: String?
    @Option(Settings.resetURL) var resetURL: String?

    /// How mails are sent.
    ///
    /// - Parameters:
    ///   - isEmbedded: whether the database is the embedded one; without a mail server, mails are then logged.
    ///   - serverURL: the address of the server when the settings give no public one.
    func mailing(isEmbedded: Bool, serverURL: String) throws -> Mailing {
        let channel: Mailing.Channel?
        if let url = try Settings.smtpURL.value(smtpURL) {
            do throws(SMTPServerError) {
                channel = .mail(try SMTPServer(url))
            } catch {
                // The error does not repeat the setting, which contains a password.
                throw CommandError("SMTP_URL: \(error)")
            }
        } else {
            channel = isEmbedded ? .log : nil
        }
        let host = URLComponents(string: try publicAddress() ?? Self.trimmed(serverURL))?.host ?? "localhost"
        // An IPv6 address cannot be the domain of a mail address.
        let domain = host.hasPrefix("[") ? "localhost" : host
        guard let from = MailAddress(try Settings.mailFrom.value(mailFrom) ?? "LearnTrack <learntrack@\(domain)>")
        else {
            throw CommandError("--mail-from: an address such as 'LearnTrack <bonjour@exemple.fr>' is expected")
        }
        return Mailing(channel: channel, from: from)
    }

    /// How links to a new password are delivered; nil: they cannot be delivered.
    /// - Parameters:
    ///   - address: of the server.
    ///   - page: the path of the page on which a new password is chosen. That of the application, `/`, has one for each company.
    func delivery(by mailing: Mailing, address: ServedAddress, page: String) throws -> PasswordResetDelivery? {
        let template = try Settings.resetURL.value(resetURL).map { try web($0, "--reset-url") }
        if let template, !template.contains(PasswordResetDelivery.placeholder) {
            throw CommandError("--reset-url: \(PasswordResetDelivery.placeholder) must stand in the place of the token")
        }
        guard let channel = mailing.channel else { return nil }
        return PasswordResetDelivery(
            channel: channel, from: mailing.from,
            linkTemplate: { beginning in
                template ?? address.url + (page == "/" ? beginning : "") + page + "#reset="
                    + PasswordResetDelivery.placeholder
            })
    }

    /// The public address of the server, without a slash at its end; nil if the settings give none.
    func publicAddress() throws -> String? {
        try Settings.publicURL.value(publicURL).map { Self.trimmed(try web($0, "--public-url")) }
    }

    private static func trimmed(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    private func web(_ text: String, _ source: String) throws -> String {
        guard
            let scheme = URLComponents(
                string: text.replacing(PasswordResetDelivery.placeholder, with: "t"))?
                .scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw CommandError("\(source): http:// or https:// is expected, not '\(text)'") }
        return text
    }
}
