import CLibPQ

/// A server's reply to `PostgresClient.ping`: the four results of libpq's `PQping`.
///
/// ```swift
/// while await PostgresClient.ping(serverAt: connectionString) != .accepting {
///     try await Task.sleep(for: .seconds(1))
/// }
/// ```
public enum PingReply: Sendable {
    /// The server accepts connections. Whether it accepts a given login is another matter.
    case accepting
    /// The server is there and accepts no connections now: it starts, stops or recovers.
    case rejecting
    /// No reply came in time, or no server listens at the address.
    case silent
    /// No attempt was made, because the connection string cannot be read. Connecting throws the reason.
    case unreadable
}

extension PostgresClient {
    /// Asks a server whether it accepts connections, for two seconds at most: for a program that starts together with
    /// its server, and for health checks.
    ///
    /// No password is needed. One that is given is used, and a wrong one is reported in the server's log.
    /// - Parameter connectionString: as in `Configuration`.
    public static func ping(serverAt connectionString: String) async -> PingReply {
        await withUnsafeContinuation { continuation in
            let configuration = Configuration(connectionString: connectionString)
            let hasStarted = BlockingThread.run(name: "pg-ping") {
                continuation.resume(returning: ConnectOptions.ping(configuration, within: 2))
            }
            if !hasStarted { continuation.resume(returning: .silent) }
        }
    }
}

extension ConnectOptions {
    /// Blocks.
    /// - Parameter seconds: at least two; libpq's timeout is no finer.
    static func ping(_ configuration: PostgresClient.Configuration, within seconds: Int) -> PingReply {
        guard case .success(var options) = Result(catching: { try ConnectOptions(configuration) }) else {
            return .unreadable
        }
        options.keywords.append(("connect_timeout", String(seconds)))
        return switch options.withPointers({ PQpingParams($0, $1, 0) }) {
        case PQPING_OK: .accepting
        case PQPING_REJECT: .rejecting
        case PQPING_NO_ATTEMPT: .unreadable
        default: .silent
        }
    }
}
