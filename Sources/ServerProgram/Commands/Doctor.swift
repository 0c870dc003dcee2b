import ArgumentParser
import Auth
import DomainKit
import EmbeddedPostgres
import FoundationEssentials
import Glibc
import HTTPServer
import JSON
import Logging
import PostgresDriver

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Examine what the server needs, and say what is wrong and what to do about it.",
        discussion: """
            Takes the settings of 'serve', so run it with the same environment. Exits with status 0 only if all is well. \
            It changes nothing.
            """)

    @Flag(name: .customLong("json"), help: "Print one JSON object.") var printsJSON = false
    @OptionGroup(title: "The server") var options: ServerOptions
    @OptionGroup(title: "The database") var database: DatabaseOptions
    @OptionGroup(title: "The database") var pools: PoolOptions
    @OptionGroup(title: "The database") var files: MigrationOptions
    @Option(Settings.jwtSecret) var jwtSecret: String?
    @OptionGroup(title: "Mails") var mail: MailOptions
    @OptionGroup(title: "Logs") var log: LogOptions

    private static let leastFreeBytes: UInt64 = 1 << 30

    func run() async throws {
        let logs = try log.start(quiet: true)
        defer { logs.flush() }
        let https = HTTPSExamination(
            tls: options.tls, host: try Settings.host.value(options.host), publicURL: try mail.publicAddress())
        let listeners = try await listeners()
        let findings =
            try await databaseFindings(logs.logger, isServing: listeners.isServing) + https.findings()
            + [environment(), secret(), await smtp(), proxy(), passkeys()].compactMap(\.self) + listeners.findings
        let isWell = !findings.contains { $0.state == .fault }
        if printsJSON {
            printLine((["ok": .bool(isWell), "findings": .array(findings.map(\.json))] as JSONValue).jsonText)
        } else {
            for finding in findings { printLine(finding.text) }
        }
        guard isWell else { throw ExitCode(1) }
    }

    // MARK: The database

    private func databaseFindings(_ logger: Logger, isServing: Bool) async throws -> [Finding] {
        let sources = try files.sources()
        let clients = try pools.clients()
        let domains = try files.domains.served()
        if let url = try database.url(), let failure = await PostgresClient.connectFailure(serverAt: url) {
            // A server that speaks another language than English gets the general remedy.
            let lacksPlace = ["too many c", "remaining connection slots", "no more connections"].contains(
                where: failure.contains)
            return [
                .fault(
                    "postgres", failure,
                    remedy: lacksPlace
                        ? "end connections that are not needed, or raise max_connections or the connection limit of the "
                            + "login or the database; 'learntrack serve' waits for a place"
                        : "start Postgres, or correct the host, port, login or password of --database-url")
            ]
        }
        if try database.url() == nil, case let directory = try database.directory(), !directory.mayHaveDatabase {
            return [
                .fault(
                    "postgres", "there is no database in \(directory.path)",
                    remedy: "give the --data-dir of the server, or start 'learntrack serve', which creates one")
            ]
        }
        let open: OpenDatabase
        do {
            open = try await OpenDatabase.forCommand(database, creating: false, logger)
        } catch {
            return [
                .fault(
                    "postgres", "the private Postgres does not start: \(CommandError.text(of: error))",
                    remedy: "install Postgres 15 or later, and let this user write to --data-dir")
            ]
        }
        let owner = open.owner()
        let examination = DatabaseExamination(
            owner: owner, sources: sources, domains: domains, settings: clients, isEmbedded: open.isEmbedded,
            isServing: isServing)
        let findings = await examination.findings() + [await disk(open, owner)]
        await owner.shutdown()
        await open.close()
        return findings
    }

    private func disk(_ open: OpenDatabase, _ owner: PostgresClient) async -> Finding {
        guard let directory = open.directory else {
            return .unknown("disk", "the database's free disk cannot be seen from here: look on its machine")
        }
        var status = statvfs()
        guard statvfs(directory.path, &status) == 0 else {
            return .fault("disk", "\(directory.path) cannot be read", remedy: "let this user read it")
        }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let detail = "\(free >> 20) MB free for \(directory.path)"
        guard free >= Self.leastFreeBytes else {
            return .fault("disk", detail, remedy: "make room: Postgres stops writing when the disk is full")
        }
        return .ok("disk", detail)
    }

    // MARK: Settings

    private func secret() throws -> Finding? {
        guard let text = try Settings.jwtSecret.value(jwtSecret) else {
            guard try database.url() != nil else { return .ok("secret", "the generated one of --data-dir") }
            return .fault(
                "secret", "JWT_SECRET is not set", remedy: "set it to the output of 'openssl rand -base64 48'")
        }
        do {
            let count = try SigningSecret.list(text).count
            return .ok("secret", "JWT_SECRET has \(count == 1 ? "one secret" : "\(count) secrets")")
        } catch {
            return .fault("secret", "JWT_SECRET: \(error)", remedy: "take the output of 'openssl rand -base64 48'")
        }
    }

    private func environment() -> Finding? {
        let unknown = EnvironmentNames.unknown()
        guard !unknown.isEmpty else { return nil }
        return .fault(
            "environment", "no setting reads \(unknown.map(\.description).joined(separator: ", "))",
            remedy: "correct the names, or remove them: docs/configuration.md has all")
    }

    private func smtp() async throws -> Finding? {
        guard let url = try Settings.smtpURL.value(mail.smtpURL) else {
            return .unknown(
                "smtp", "SMTP_URL is not set: the server sends no mails, and new accounts are not invited")
        }
        let mailing: Mailing
        do {
            mailing = try mail.mailing(isEmbedded: false, serverURL: options.url())
        } catch {
            return .fault("smtp", CommandError.text(of: error), remedy: "correct SMTP_URL and --mail-from")
        }
        guard case .mail(let server)? = mailing.channel else { return nil }
        return await MailExamination(server: server, url: url, sender: mailing.from).finding()
    }

    /// The addresses that the server listens on. One that is in use may be that of the server itself.
    private func listeners() async throws -> (findings: [Finding], isServing: Bool) {
        let host = try Settings.host.value(options.host)
        let scheme = try options.tls.isSecure ? "https" : "http"
        var examinations = [
            ListenerExamination(
                probe: ListenerProbe(host: host, port: try Settings.port.value(options.port)), use: .service(scheme))
        ]
        // 'https' says what is wrong with the port.
        if let port = try Settings.httpRedirectPort.value(options.tls.httpRedirectPort) {
            examinations.append(
                ListenerExamination(
                    probe: ListenerProbe(host: host, port: port, portSetting: "--http-redirect-port"), use: .redirect))
        }
        if let address = try options.metrics() {
            examinations.append(ListenerExamination(probe: address.probe, use: .metrics))
        }
        var findings: [Finding] = []
        var isServing = false
        for (index, examination) in examinations.enumerated() {
            let probe = examination.probe
            if let other = examinations[..<index].first(where: { $0.probe.overlaps(probe) }) {
                findings.append(
                    .fault(
                        "listening",
                        "\(probe.portSetting): port \(probe.port) of \(probe.host) is given twice, the other time for "
                            + "\(other.probe.host)",
                        remedy: "give each listener a port of its own"))
                continue
            }
            guard let finding = await examination.finding() else { continue }
            findings.append(finding)
            if case .service = examination.use, finding.state == .ok { isServing = true }
        }
        return (findings, isServing)
    }

    /// Behind a proxy nothing but the public address says which site passkeys belong to.
    private func passkeys() throws -> Finding? {
        guard try options.tls.isBehindProxy else { return nil }
        guard let url = try mail.publicAddress() else {
            return .fault(
                "passkeys", "--behind-proxy is given without --public-url: passkeys are for localhost alone",
                remedy: "give --public-url, the address that people open, such as https://learntrack.exemple.fr")
        }
        return .ok("passkeys", "they belong to the host of \(url)")
    }

    /// A server that only this machine reaches, without TLS, and that has a public address by https is behind a proxy.
    private func proxy() throws -> Finding? {
        let proxies = try Settings.trustedProxies.value(options.trustedProxies)
        let host = try Settings.host.value(options.host)
        let isPublic = try mail.publicAddress()?.lowercased().hasPrefix("https:") ?? false
        guard proxies.isEmpty else { return .ok("proxy", "X-Forwarded-For of --trusted-proxies counts") }
        let isProxied = try options.tls.isBehindProxy
        let needsProxy = try TLSOptions.isLoopback(host) && isPublic && !options.tls.isSecure
        guard isProxied || needsProxy else { return nil }
        let reason = isProxied ? "--behind-proxy is given" : "--public-url is https"
        return .fault(
            "proxy", "\(reason), but no proxy is trusted: all clients have the proxy's address",
            remedy: "give the proxy's address, such as --trusted-proxies 127.0.0.1, and have it set X-Forwarded-For")
    }
}
