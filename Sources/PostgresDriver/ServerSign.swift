import CLibPQ

/// What a server says to an attempt to connect, whoever makes it.
public enum ServerSign: Sendable {
    /// It takes connections; whether it lets a given login in is another matter.
    case accepting
    /// It is there and takes none now: it starts, stops or recovers.
    case refusing
    /// Nothing came back.
    case silent
    /// The connection string leads nowhere; connecting says why.
    case unreadable
}

extension PostgresClient {
    /// Asks the server for a sign of life, for at most two seconds. No password is needed.
    public static func sign(ofServerAt connectionString: String) async -> ServerSign {
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
    static func ping(_ configuration: PostgresClient.Configuration, within seconds: Int) -> ServerSign {
        guard case .success(var options) = Result(catching: { try ConnectOptions(configuration) }) else {
            return .unreadable
        }
        options.keywords.append(("connect_timeout", String(seconds)))
        return switch options.withPointers({ PQpingParams($0, $1, 0) }) {
        case PQPING_OK: .accepting
        case PQPING_REJECT: .refusing
        case PQPING_NO_ATTEMPT: .unreadable
        default: .silent
        }
    }
}
