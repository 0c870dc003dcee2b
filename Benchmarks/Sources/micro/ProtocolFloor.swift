import CLibPQ

/// libpq itself, blocking and without anything around it: what the protocol costs at the least.
final class ProtocolFloor {
    private let connection: OpaquePointer

    init(_ connectionString: String) throws {
        guard let connection = PQconnectdb(connectionString), PQstatus(connection) == CONNECTION_OK else {
            throw Unreachable(connectionString: connectionString)
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

    /// One statement, one answer.
    func execute(_ name: String, _ parameter: String) -> OpaquePointer? {
        parameter.withCString { text in
            var values: [UnsafePointer<CChar>?] = [text]
            return PQexecPrepared(connection, name, 1, &values, nil, nil, 0)
        }
    }

    /// `parameters.count` statements behind each other with one Sync, then all their answers.
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

struct Unreachable: Error, CustomStringConvertible {
    let connectionString: String

    var description: String {
        "no Postgres at \"\(connectionString)\": set DATABASE_URL, or run script/bench --micro, which starts one"
    }
}
