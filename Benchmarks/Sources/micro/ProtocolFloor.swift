import CLibPQ

/// libpq alone, with blocking calls: the minimum cost of the protocol.
final class ProtocolFloor {
    private let connection: OpaquePointer

    init(_ connectionString: String) throws {
        guard let connection = PQconnectdb(connectionString), PQstatus(connection) == CONNECTION_OK else {
            throw UnreachableError(connectionString: connectionString)
        }
        self.connection = connection
    }

    deinit { PQfinish(connection) }

    func run(_ sql: String) {
        PQclear(PQexec(connection, sql))
    }

    func prepare(_ name: String, _ sql: String) {
        PQclear(PQprepare(connection, name, sql, 0, nil))
    }

    /// Runs one statement and waits for its result.
    func execute(_ name: String, _ parameter: String) -> OpaquePointer? {
        parameter.withCString { text in
            var values: [UnsafePointer<CChar>?] = [text]
            return PQexecPrepared(connection, name, 1, &values, nil, nil, 0)
        }
    }

    /// Sends one statement for each parameter with a single Sync, then reads all results.
    func pipeline(_ name: String, _ parameters: [String]) {
        PQenterPipelineMode(connection)
        for parameter in parameters {
            parameter.withCString { text in
                var values: [UnsafePointer<CChar>?] = [text]
                _ = PQsendQueryPrepared(connection, name, 1, &values, nil, nil, 0)
            }
        }
        PQpipelineSync(connection)
        for _ in parameters {
            PQclear(PQgetResult(connection))
            _ = PQgetResult(connection)
        }
        PQclear(PQgetResult(connection))
        PQexitPipelineMode(connection)
    }
}

struct UnreachableError: Error, CustomStringConvertible {
    let connectionString: String

    var description: String {
        "cannot connect to Postgres at \"\(connectionString)\": set DATABASE_URL, or run script/bench --micro, which starts one"
    }
}
