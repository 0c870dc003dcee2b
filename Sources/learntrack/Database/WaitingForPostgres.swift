import Logging
import PostgresDriver

extension OpenDatabase {
    private static let pause = Duration.milliseconds(250)

    /// Waits for a given database's server until it takes connections: containers start in any order.
    ///
    /// One that takes them and refuses this login or database is no reason to wait; connecting tells.
    func waitUntilThere(_ logger: Logger) async throws {
        guard !isEmbedded else { return }
        var hasWaited = false
        while true {
            let reply = await PostgresClient.ping(serverAt: connectionString)
            guard reply == .silent || reply == .rejecting else { break }
            try Task.checkCancellation()
            if !hasWaited {
                let reason = reply == .silent ? "it does not answer" : "it does not take connections yet"
                logger.warning("Waiting for Postgres: \(reason)")
                hasWaited = true
            }
            try await Task.sleep(for: Self.pause)
        }
        if hasWaited { logger.notice("Postgres is there") }
    }
}
