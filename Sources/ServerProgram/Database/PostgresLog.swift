import Logging
import PostgresDriver
import Synchronization

/// Logs the events of a connection pool. While the server cannot be reached, only the first failed attempt is a warning,
/// and the next connection is a notice.
final class PostgresLog: Sendable {
    /// How often each event has happened.
    struct Counts: Sendable {
        var connected = 0
        var connectFailed = 0
        var connectionLost = 0
        var retried = 0
        var notices = 0
    }

    let pool: String
    private let logger: Logger
    private let isUnreachable = Mutex(false)
    private let events = Mutex(Counts())

    var counts: Counts { events.withLock { $0 } }

    /// - Parameter pool: the name of the pool, which every line carries.
    init(_ logger: Logger, pool: String) {
        var logger = logger
        logger[metadataKey: "pool"] = "\(pool)"
        self.logger = logger
        self.pool = pool
    }

    func note(_ event: PostgresEvent) {
        count(event)
        switch event {
        case .notice(let severity, let sqlState, let message):
            // A dry run ends with a ROLLBACK outside of a transaction block, of which Postgres warns with 25P01.
            logger.log(
                level: severity == "WARNING" && sqlState != "25P01" ? .warning : .debug, "\(message)",
                metadata: ["sqlstate": "\(sqlState)"])
        case .connected(let version):
            let wasUnreachable = isUnreachable.withLock { isUnreachable in
                defer { isUnreachable = false }
                return isUnreachable
            }
            logger.log(
                level: wasUnreachable ? .notice : .debug, "Connected to Postgres", metadata: ["version": "\(version)"])
        case .connectFailed(let cause, let pause):
            let isFirst = isUnreachable.withLock { isUnreachable in
                defer { isUnreachable = true }
                return !isUnreachable
            }
            logger.log(
                level: isFirst ? .warning : .debug, "Cannot connect to Postgres: \(cause)",
                metadata: ["retry_in": "\(pause)"])
        case .connectionLost(let cause):
            logger.warning("Lost a connection to Postgres: \(cause)")
        case .retried(let cause):
            logger.info("Ran a statement again: \(cause)")
        }
    }

    private func count(_ event: PostgresEvent) {
        events.withLock { counts in
            switch event {
            case .notice: counts.notices += 1
            case .connected: counts.connected += 1
            case .connectFailed: counts.connectFailed += 1
            case .connectionLost: counts.connectionLost += 1
            case .retried: counts.retried += 1
            }
        }
    }
}
