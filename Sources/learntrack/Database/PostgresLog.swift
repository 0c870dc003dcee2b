import Logging
import PostgresDriver
import Synchronization

/// Tells in the log how a pool's connections fare: once when the server is away and once when it is back, not at every
/// attempt.
final class PostgresLog: Sendable {
    private let logger: Logger
    private let isAway = Mutex(false)

    /// - Parameter pool: whose connections.
    init(_ logger: Logger, pool: String) {
        var logger = logger
        logger[metadataKey: "pool"] = "\(pool)"
        self.logger = logger
    }

    func note(_ event: PostgresEvent) {
        switch event {
        case .notice(let severity, let sqlState, let message):
            logger.log(
                level: severity == "WARNING" ? .warning : .debug, "\(message)", metadata: ["sqlstate": "\(sqlState)"])
        case .connected(let version):
            let wasAway = isAway.withLock { isAway in
                defer { isAway = false }
                return isAway
            }
            logger.log(level: wasAway ? .notice : .debug, "Connected to Postgres", metadata: ["version": "\(version)"])
        case .connectFailed(let cause, let pause):
            let isNews = isAway.withLock { isAway in
                defer { isAway = true }
                return !isAway
            }
            logger.log(
                level: isNews ? .warning : .debug, "Cannot connect to Postgres: \(cause)",
                metadata: ["retry_in": "\(pause)"])
        case .connectionLost(let cause):
            logger.warning("Lost a connection to Postgres: \(cause)")
        case .retried(let cause):
            logger.info("Ran a statement again: \(cause)")
        }
    }
}
