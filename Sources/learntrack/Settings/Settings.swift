import Logging
import Observability
import PostgresDriver
import RPCServer

/// Every setting of the program: its flag, its environment variable and its default.
enum Settings {
    // MARK: - The database

    static let databaseURL = Setting.optional(
        "database-url", "DATABASE_URL",
        "The database, as any libpq URL or key=value string. Without one: a private Postgres, run from the installed programs."
    )
    static let authDatabaseURL = Setting.optional(
        "auth-database-url", "LEARNTRACK_AUTH_DATABASE_URL",
        "The same database under a login of its own for passwords and sign-ins.")
    static let pooler = Setting<Pooling>(
        name: "pooler", variable: "LEARNTRACK_POOLER",
        summary: "What the database's address leads through: session (nothing, or a pooler of sessions) or transaction "
            + "(PgBouncer and its like, with pool_mode = transaction).",
        fallback: .session, shownFallback: "session", expected: "session or transaction",
        read: { ["session": Pooling.session, "transaction": .transaction][$0] })
    static let listenURL = Setting.optional(
        "listen-url", "LEARNTRACK_LISTEN_URL",
        "The same database without the pooler, for what needs a session: migrations and LISTEN.")
    static let replicaURLs = Setting<[String]>(
        name: "replica-url", variable: "LEARNTRACK_REPLICA_URL",
        summary: "Replicas that reads may go to, separated by commas.", fallback: [], shownFallback: nil,
        expected: "a list separated by commas", read: { ReplicaURLs.list($0) })
    static let replicaMaxLag = Setting.seconds(
        "replica-max-lag", "LEARNTRACK_REPLICA_MAX_LAG", default: 1,
        "Seconds that a replica may be behind and still be read from.")
    static let dataDirectory = Setting.optional(
        "data-dir", "LEARNTRACK_DATA_DIR",
        "Where the private Postgres and the generated secret live; default: .learntrack, for root /var/lib/learntrack.")
    static let migrations = Setting.optional(
        "migrations", "LEARNTRACK_MIGRATIONS",
        "The folder of the SQL files; found from the program's place or the working directory by default.")
    static let noMigrate = Setting.toggle(
        "no-migrate", "LEARNTRACK_NO_MIGRATE", "Do not bring the schema up to date on start.")
    static let poolSize = Setting.number(
        "pool-size", "LEARNTRACK_POOL_SIZE", default: 4, in: 1...100, "Connections for each role, user and admin.")
    static let authPoolSize = Setting.number(
        "auth-pool-size", "LEARNTRACK_AUTH_POOL_SIZE", default: 2, in: 1...100,
        "Connections for passwords and sign-ins.")
    static let acquireTimeout = Setting.seconds(
        "acquire-timeout", "LEARNTRACK_ACQUIRE_TIMEOUT", default: 4.5, "Seconds a call waits for a connection.")
    static let timeZone = Setting.text(
        "time-zone", "LEARNTRACK_TIME_ZONE", default: "Europe/Paris",
        "Where sessions take place: what their clock shows.")
    static let demo = Setting.toggle(
        "demo", "LEARNTRACK_DEMO", "Load demo data into an empty database, and let demo accounts sign in.")

    // MARK: - The server

    static let host = Setting.text("host", "LEARNTRACK_HOST", default: "127.0.0.1", "The address to listen on.")
    static let port = Setting.number(
        "port", "LEARNTRACK_PORT", default: 8080, in: 0...65535,
        "The port to listen on; 0: any free one, which is printed.")
    static let maxBody = Setting.number(
        "max-body", "LEARNTRACK_MAX_BODY", default: 1 << 20, in: 1024...(1 << 30), "Bytes of a request's body.")
    static let maxJSONDepth = Setting.number(
        "max-json-depth", "LEARNTRACK_MAX_JSON_DEPTH", default: 64, in: 8...512, "Levels of nesting in a body.")
    static let maxBatch = Setting.number(
        "max-batch", "LEARNTRACK_MAX_BATCH", default: 50, in: 1...10_000, "Calls in a batch.")
    static let maxSelectionDepth = Setting.number(
        "max-selection-depth", "LEARNTRACK_MAX_SELECTION_DEPTH", default: 6, in: 1...32, "Relations in each other.")
    static let maxCost = Setting.number(
        "max-cost", "LEARNTRACK_MAX_COST", default: 50_000, in: 1...100_000_000, "Rows a selection may return at most.")
    static let maxFirst = Setting.number(
        "max-first", "LEARNTRACK_MAX_FIRST", default: 500, in: 1...1_000_000, "The largest 'first' of a list.")
    static let requestTimeout = Setting.seconds(
        "request-timeout", "LEARNTRACK_REQUEST_TIMEOUT", default: 10, "Seconds a request may take.")
    static let corsOrigins = Setting.list(
        "cors-origins", "LEARNTRACK_CORS_ORIGINS", "Origins that browsers may call from, separated by commas.")
    static let trustedProxies = Setting<TrustedProxies>(
        name: "trusted-proxies", variable: "LEARNTRACK_TRUSTED_PROXIES",
        summary: "Proxies whose X-Forwarded-For is believed: addresses and networks, separated by commas.",
        fallback: TrustedProxies(), shownFallback: "none",
        expected: "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8,fd00::/8",
        read: { text in
            TrustedProxies(text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
        })

    // MARK: - Mails

    static let smtpURL = Setting.optional(
        "smtp-url", "SMTP_URL",
        "Where mails are handed in: smtp://user:password@host:port or smtps://…. Better not as a flag.")
    static let mailFrom = Setting.optional(
        "mail-from", "LEARNTRACK_MAIL_FROM", "Who mails come from, such as 'LearnTrack <bonjour@exemple.fr>'.")
    static let publicURL = Setting.optional(
        "public-url", "LEARNTRACK_PUBLIC_URL", "Where people reach this server, for links in mails.")
    static let resetURL = Setting.optional(
        "reset-url", "LEARNTRACK_RESET_URL",
        "The page that a mail about a forgotten password links to, with {token} in the token's place; "
            + "default: the public URL and /#reset={token}.")

    // MARK: - Secrets and logs

    static let jwtSecret = Setting.optional(
        "jwt-secret", "JWT_SECRET",
        "What signs access tokens: 32 bytes or more; of several, separated by commas, the first signs and all verify. "
            + "Better not as a flag, which other processes can read.")
    static let supabaseJWTSecret = Setting.optional(
        "supabase-jwt-secret", "SUPABASE_JWT_SECRET",
        "The JWT secret of a Supabase project, whose tokens are then accepted for the users linked to its accounts. "
            + "Better not as a flag.")
    static let logFormat = Setting<LogFormat>(
        name: "log-format", variable: "LEARNTRACK_LOG_FORMAT", summary: "Log lines as text or as json.",
        fallback: .text,
        shownFallback: "text", expected: "text or json", read: { LogFormat(rawValue: $0) })
    static let logLevel = Setting<Logger.Level>(
        name: "log-level", variable: "LEARNTRACK_LOG_LEVEL",
        summary: "The least that is logged: trace, debug, info, notice, warning, error or critical.", fallback: .info,
        shownFallback: "info", expected: "trace, debug, info, notice, warning, error or critical",
        read: { Logger.Level(rawValue: $0) })
}
