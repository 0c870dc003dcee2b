import FoundationEssentials
import HTTPServer
import Logging
import Observability
import PostgresDriver
import RPCServer
import TextEncodings

/// Every setting of the program: its flag, its environment variable and its default.
enum Settings {
    // MARK: - The database

    static let databaseURL = Setting.optional(
        "database-url", "DATABASE_URL",
        "The database, as a libpq URL or key=value string. Default: an embedded Postgres, run from the installed programs."
    )
    static let authDatabaseURL = Setting.optional(
        "auth-database-url", "LEARNTRACK_AUTH_DATABASE_URL",
        "The same database with a separate login for passwords and sign-ins.")
    static let pooler = Setting<Pooling>(
        name: "pooler", variable: "LEARNTRACK_POOLER",
        summary: "The pooler in front of the database: session (none, or one with pool_mode = session) or transaction "
            + "(PgBouncer with pool_mode = transaction).",
        fallback: .session, shownFallback: "session", expected: "session or transaction",
        read: { ["session": Pooling.session, "transaction": .transaction][$0] })
    static let listenURL = Setting.optional(
        "listen-url", "LEARNTRACK_LISTEN_URL",
        "The same database without the pooler, for migrations and LISTEN, which need a session.")
    static let replicaURLs = Setting<[String]>(
        name: "replica-url", variable: "LEARNTRACK_REPLICA_URL",
        summary: "Replicas that reads may use, separated by commas.", fallback: [], shownFallback: nil,
        expected: "a list separated by commas", read: { ReplicaURLs.list($0) })
    static let replicaMaxLag = Setting.seconds(
        "replica-max-lag", "LEARNTRACK_REPLICA_MAX_LAG", default: 1,
        "The largest lag, in seconds, of a replica that reads may use.")
    static let dataDirectory = Setting.optional(
        "data-dir", "LEARNTRACK_DATA_DIR",
        "The directory of the embedded Postgres and the generated secret; default: .learntrack, for root /var/lib/learntrack."
    )
    static let migrations = Setting.optional(
        "migrations", "LEARNTRACK_MIGRATIONS",
        "The folder of the SQL files; default: found above the program or in the working directory.")
    static var domains: Setting<[String]> {
        let fallback = ServerProgram.current.defaultDomains
        return Setting<[String]>(
            name: "domains", variable: "LEARNTRACK_DOMAINS", summary: "The domains to serve, separated by commas.",
            fallback: fallback, shownFallback: fallback.joined(separator: ","), expected: "names separated by commas",
            read: { text in
                text.split(separator: ",").map { $0.trimmingWhitespace }.filter { !$0.isEmpty }
            })
    }
    static let noMigrate = Setting.toggle(
        "no-migrate", "LEARNTRACK_NO_MIGRATE", "Do not apply migrations on start.")
    static let poolSize = Setting.number(
        "pool-size", "LEARNTRACK_POOL_SIZE", default: 8, in: 1...100, "Connections for each role, user and admin.")
    static let authPoolSize = Setting.number(
        "auth-pool-size", "LEARNTRACK_AUTH_POOL_SIZE", default: 2, in: 1...100,
        "Connections for passwords and sign-ins.")
    static let acquireTimeout = Setting.seconds(
        "acquire-timeout", "LEARNTRACK_ACQUIRE_TIMEOUT", default: 4.5, "Seconds that a call waits for a connection.")
    static let lockTimeout = Setting.seconds(
        "lock-timeout", "LEARNTRACK_LOCK_TIMEOUT", default: 1.5,
        "Seconds that a statement waits for a record that another change has locked; longer than deadlock_timeout of Postgres."
    )
    static let timeZone = Setting.text(
        "time-zone", "LEARNTRACK_TIME_ZONE", default: "Europe/Paris",
        "The time zone of local dates and times in the data.")
    static let demo = Setting.toggle(
        "demo", "LEARNTRACK_DEMO", "Load demo data into an empty database, and allow demo accounts to sign in.")

    // MARK: - The server

    static let host = Setting.text(
        "host", "LEARNTRACK_HOST", default: "127.0.0.1",
        "The address to listen on; one that other machines reach needs a certificate or --behind-proxy.")
    static let port = Setting.number(
        "port", "LEARNTRACK_PORT", default: 8080, in: 0...65535,
        "The port to listen on; 0: any free port, which is printed.")
    static let metricsAddress = Setting<ListenerAddress?>(
        name: "metrics-address", variable: "LEARNTRACK_METRICS_ADDRESS",
        summary: "An address, as host:port, that answers /metrics and no other path; port 0: any free port, which is "
            + "printed. Default: /metrics is answered beside the service, to programs on this machine.",
        fallback: nil, shownFallback: nil, expected: "host:port, such as 127.0.0.1:9100 or [::1]:9100",
        read: { text in ListenerAddress(text).map(Optional.some) })
    static let front = Setting.optional(
        "front", "LEARNTRACK_FRONT",
        "The folder of the pages that script/front builds, or none; default: found above the program or in the working "
            + "directory, and without one the server has no pages.")
    static let maxBody = Setting.number(
        "max-body", "LEARNTRACK_MAX_BODY", default: 1 << 20, in: 1024...(1 << 30), "The largest request body, in bytes."
    )
    static let maxJSONDepth = Setting.number(
        "max-json-depth", "LEARNTRACK_MAX_JSON_DEPTH", default: 64, in: 8...512, "Levels of nesting in a JSON body.")
    static let maxBatch = Setting.number(
        "max-batch", "LEARNTRACK_MAX_BATCH", default: 50, in: 1...10_000, "Calls in a batch.")
    static let maxSelectionDepth = Setting.number(
        "max-selection-depth", "LEARNTRACK_MAX_SELECTION_DEPTH", default: 6, in: 1...32,
        "Levels of nested relations in a selection.")
    static let maxCost = Setting.number(
        "max-cost", "LEARNTRACK_MAX_COST", default: 50_000, in: 1...100_000_000,
        "Rows that a selection may return at most.")
    static let maxFirst = Setting.number(
        "max-first", "LEARNTRACK_MAX_FIRST", default: 500, in: 1...1_000_000, "The largest 'first' of a list.")
    static let requestTimeout = Setting.seconds(
        "request-timeout", "LEARNTRACK_REQUEST_TIMEOUT", default: 10, "Seconds that a request may take.")
    static let slowCall = Setting.number(
        "slow-call-ms", "LEARNTRACK_SLOW_CALL_MS", default: 1_000, in: 0...3_600_000,
        "Milliseconds after which a call is logged as slow, with the hash of its SQL for 'explain'; 0: none is.")
    static let corsOrigins = Setting.list(
        "cors-origins", "LEARNTRACK_CORS_ORIGINS",
        of: "origins as browsers write them, such as https://app.exemple.fr, without a slash at the end",
        "Origins of web pages that may call the server, separated by commas."
    ) { origin in
        origin == "*" || origin.wholeMatch(of: /https?:\/\/[^\/?#@A-Z\s]+/) != nil
    }
    static let trustedProxies = Setting<TrustedProxies>(
        name: "trusted-proxies", variable: "LEARNTRACK_TRUSTED_PROXIES",
        summary: "Proxies that may set the header X-Forwarded-For: addresses and networks, separated by commas.",
        fallback: TrustedProxies(), shownFallback: "none",
        expected: "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8,fd00::/8",
        read: { text in
            TrustedProxies(text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
        })

    // MARK: - HTTPS

    static let tlsCertificate = Setting.optional(
        "tls-certificate", "LEARNTRACK_TLS_CERTIFICATE",
        "The certificate for HTTPS and those between it and the root, a PEM file that is read again when it has changed."
    )
    static let tlsKey = Setting.optional(
        "tls-key", "LEARNTRACK_TLS_KEY", "The private key of the certificate, a PEM file without a passphrase.")
    static let behindProxy = Setting.toggle(
        "behind-proxy", "LEARNTRACK_BEHIND_PROXY",
        "A proxy in front of the server does TLS: plain HTTP is allowed on every --host.")
    static let httpRedirectPort = Setting<Int?>(
        name: "http-redirect-port", variable: "LEARNTRACK_HTTP_REDIRECT_PORT",
        summary: "A port on which plain HTTP is answered with 308 to HTTPS; 0: any free port, which is printed.",
        fallback: nil, shownFallback: nil, expected: "a number from 0 to 65535",
        read: { text in Int(text).flatMap { (0...65535).contains($0) ? .some($0) : nil } })

    // MARK: - Mails

    static let smtpURL = Setting.optional(
        "smtp-url", "SMTP_URL",
        "The mail server: smtp://user:password@host:port or smtps://…. Prefer the variable: other processes can read flags."
    )
    static let mailFrom = Setting.optional(
        "mail-from", "LEARNTRACK_MAIL_FROM", "The sender of mails, such as 'LearnTrack <bonjour@exemple.fr>'.")
    static let publicURL = Setting.optional(
        "public-url", "LEARNTRACK_PUBLIC_URL", "The public address of this server, for links in mails and to documents."
    )
    static let resetURL = Setting.optional(
        "reset-url", "LEARNTRACK_RESET_URL",
        "The page for a new password that mails link to, with {token} in the place of the token; "
            + "default: the public URL and /#reset={token}, or /explorer#reset={token} without a front.")

    static let outgoingHosts = Setting.list(
        "outgoing-hosts", "LEARNTRACK_OUTGOING_HOSTS",
        of: "hosts such as 10.0.0.5 or hooks.exemple.lan:8443, without http://",
        "Hosts, with or without a port, that requests may go to although their addresses are not public, and by http."
    ) { host in
        host.wholeMatch(of: /([^\/?#@:\s]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/) != nil
    }

    // MARK: - Secrets and logs

    static let jwtSecret = Setting.optional(
        "jwt-secret", "JWT_SECRET",
        "The secret that signs access tokens, 32 bytes or more. Of several, separated by commas, the first signs and all "
            + "verify. Prefer the variable: other processes can read flags.")
    static let supabaseJWTSecret = Setting.optional(
        "supabase-jwt-secret", "SUPABASE_JWT_SECRET",
        "The JWT secret of a Supabase project. Its tokens are then accepted for the users linked to its accounts. "
            + "Prefer the variable: other processes can read flags.")
    static let logFormat = Setting<LogFormat>(
        name: "log-format", variable: "LEARNTRACK_LOG_FORMAT", summary: "The format of log lines: text or json.",
        fallback: .text,
        shownFallback: "text", expected: "text or json", read: { LogFormat(rawValue: $0) })
    static let logLevel = Setting<Logger.Level>(
        name: "log-level", variable: "LEARNTRACK_LOG_LEVEL",
        summary: "The lowest level that is logged: trace, debug, info, notice, warning, error or critical.",
        fallback: .info,
        shownFallback: "info", expected: "trace, debug, info, notice, warning, error or critical",
        read: { Logger.Level(rawValue: $0) })
    static let logLevelFile = Setting.optional(
        "log-level-file", "LEARNTRACK_LOG_LEVEL_FILE",
        "A file with a level that takes precedence over --log-level, read at the start and on SIGHUP; without the file, and "
            + "while it is empty, --log-level counts.")

    // MARK: - All of them

    /// The environment variables that are read.
    static var variables: Set<String> {
        [
            databaseURL.variable, authDatabaseURL.variable, pooler.variable, listenURL.variable, replicaURLs.variable,
            replicaMaxLag.variable, dataDirectory.variable, migrations.variable, domains.variable, noMigrate.variable,
            poolSize.variable, authPoolSize.variable, acquireTimeout.variable, lockTimeout.variable,
            timeZone.variable, demo.variable, host.variable, port.variable, metricsAddress.variable, front.variable,
            maxBody.variable, maxJSONDepth.variable, maxBatch.variable, maxSelectionDepth.variable, maxCost.variable,
            maxFirst.variable, requestTimeout.variable, slowCall.variable, corsOrigins.variable,
            trustedProxies.variable, tlsCertificate.variable, tlsKey.variable, behindProxy.variable,
            httpRedirectPort.variable, smtpURL.variable, mailFrom.variable, publicURL.variable, resetURL.variable,
            outgoingHosts.variable, jwtSecret.variable, supabaseJWTSecret.variable, logFormat.variable,
            logLevel.variable, logLevelFile.variable,
        ]
    }
}
