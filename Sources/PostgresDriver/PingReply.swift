import CLibPQ

/// What a server says to an attempt to connect, whoever makes it: the four answers of libpq's `PQping`.
public enum PingReply: Sendable {
    /// It takes connections; whether it lets a given login in is another matter.
    case accepting
    /// It is there and takes none now: it starts, stops or recovers.
    case rejecting
    /// Nothing came back in time, or nobody listens at the address.
    case silent
    /// No attempt was made, because the connection string cannot be read; connecting says why.
    case unreadable
}

extension PostgresClient {
    /// Asks a server whether it takes connections, for at most two seconds: for a program that starts together with its
    /// server, and for health checks. No password is needed; one that is given is used, and a wrong one shows in the
    /// server's log.
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
    /// Blocks for that many seconds at most; libpq counts no finer, and no fewer than two.
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
