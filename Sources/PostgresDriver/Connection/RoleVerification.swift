import CLibPQ
import Glibc

/// Role and settings travel in the first packet. A server obeys or refuses; a pooler may take note of neither, and
/// everything would run as the login itself. So the role is asked back, once for each connection.
extension Connecting {
    static func verifyRole(
        _ configuration: PostgresClient.Configuration, on connection: OpaquePointer,
        _ deadline: ContinuousClock.Instant
    ) throws(Failure) {
        // "none" stands for the login itself.
        guard let role = configuration.role, role != "none" else { return }
        let current = try ask("SELECT current_user", on: connection, deadline)
        guard current == role else {
            throw Failure(
                cause: "statements would run as '\(current)' and not as '\(role)', as they would through a connection "
                    + "pooler that ignores startup options: through one, use \(configuration.poolingRemedy)")
        }
    }

    /// The one value that `sql` answers, within the time that is left to connect.
    private static func ask(
        _ sql: String, on connection: OpaquePointer, _ deadline: ContinuousClock.Instant
    ) throws(Failure) -> String {
        guard PQsendQuery(connection, sql) == 1 else { throw Failure(connection) }
        var unsent = PQflush(connection)
        while unsent == 1 {
            try wait(for: POLLOUT, on: connection, deadline)
            unsent = PQflush(connection)
        }
        guard unsent == 0 else { throw Failure(connection) }
        var answer: String?
        while true {
            while PQisBusy(connection) == 1 {
                try wait(for: POLLIN, on: connection, deadline)
                guard PQconsumeInput(connection) == 1 else { throw Failure(connection) }
            }
            guard let result = PQgetResult(connection) else { break }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK, PQntuples(result) == 1, let value = PQgetvalue(result, 0, 0) {
                answer = String(cString: value)
            }
        }
        guard let answer else { throw Failure(connection) }
        return answer
    }
}

extension Connecting.Failure {
    /// With the remedy, where a pooler has refused the startup options itself.
    func explained(_ configuration: PostgresClient.Configuration) -> Self {
        guard configuration.pooling == .session, cause.contains("unsupported startup parameter") else { return self }
        return Self(cause: "\(cause) (through a connection pooler, use \(configuration.poolingRemedy))")
    }
}
