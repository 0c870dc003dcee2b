import CLibPQ
import Glibc

/// Questions on a connection that is open and not in pipeline mode yet. They block, within the time there is.
extension Connector {
    enum Answer {
        case rows([[String?]])
        /// The server's complaint; the connection is of use all the same.
        case refused(String)
    }

    /// - Throws: when the connection is of no use any more, or the time is over.
    static func ask(
        _ sql: String, on connection: OpaquePointer, _ deadline: ContinuousClock.Instant
    ) throws(ConnectError) -> Answer {
        guard PQsendQuery(connection, sql) == 1 else { throw ConnectError(connection) }
        var unsent = PQflush(connection)
        while unsent == 1 {
            try wait(for: POLLOUT, on: connection, deadline)
            unsent = PQflush(connection)
        }
        guard unsent == 0 else { throw ConnectError(connection) }
        var answer = Answer.rows([])
        while true {
            while PQisBusy(connection) == 1 {
                try wait(for: POLLIN, on: connection, deadline)
                guard PQconsumeInput(connection) == 1 else { throw ConnectError(connection) }
            }
            guard let result = PQgetResult(connection) else { break }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_TUPLES_OK {
                answer = .rows(rows(of: result))
            } else {
                answer = .refused(ConnectError(connection).cause)
            }
        }
        guard PQstatus(connection) == CONNECTION_OK else { throw ConnectError(connection) }
        return answer
    }

    private static func rows(of result: OpaquePointer) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0 else { return nil }
                return PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }
}
