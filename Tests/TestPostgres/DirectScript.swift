import CLibPQ
import Glibc
import Synchronization
import TestSupport
import Threads

/// A script that runs over a connection of this process and answers as `psql -A -t` does. It spares the start of psql, which takes
/// longer than most statements.
struct DirectScript: Sendable {
    private let statements: [String]
    private let use: KeptSessions.Use

    /// Nil for what only psql reads in the same way.
    init?(_ sql: String) {
        guard let script = SQLScript(sql) else { return nil }
        statements = script.statements.map(String.init)
        use = KeptSessions.use(of: sql, statements)
    }

    /// The values of the rows of all statements: `|` between columns, a line feed after each row.
    ///
    /// - Parameter keepingSession: whether a script may use the session of another one, and leave it to others.
    /// - Throws: `TestEnvironmentError` with Postgres' message for the first statement that fails; the later ones are not run.
    func run(at connectionString: String, keepingSession: Bool) async throws -> String {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            let noThread: any Error = TestEnvironmentError("psql: the system has no thread left")
            return try await BlockingThread.value(name: "psql", orThrow: noThread) {
                try answer(at: connectionString, keepingSession, cancellation)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func answer(
        at connectionString: String, _ keepingSession: Bool, _ cancellation: Cancellation
    ) throws -> String {
        guard keepingSession, use != .none else {
            let connection = try Self.connect(to: connectionString)
            defer { PQfinish(connection) }
            return try answer(on: connection, cancellation)
        }
        if let kept = KeptSessions.shared.take(at: connectionString) {
            defer { end(kept, at: connectionString, cancellation) }
            do {
                return try answer(on: kept, cancellation)
            } catch {
                // The session was ended before the statement or with it, as a test may do to all of a database: nothing was
                // committed, unless it was lost between the commit and the answer.
                guard PQstatus(kept) == CONNECTION_BAD, statements.count == 1, statements[0].hasPrefix("SELECT") else {
                    throw error
                }
            }
        }
        let connection = try Self.connect(to: connectionString)
        defer { end(connection, at: connectionString, cancellation) }
        return try answer(on: connection, cancellation)
    }

    /// Keeps the session. A request to cancel may arrive after the statement has ended, and would hit the next one.
    private func end(_ connection: OpaquePointer, at connectionString: String, _ cancellation: Cancellation) {
        if cancellation.isCancelled {
            PQfinish(connection)
        } else {
            KeptSessions.shared.giveBack(connection, at: connectionString, after: use)
        }
    }

    private static func connect(to connectionString: String) throws -> OpaquePointer {
        let names = ["dbname", "fallback_application_name"]
        let values = [connectionString, "psql"]
        let connection = names.withCStrings { names in
            values.withCStrings { PQconnectdbParams(names, $0, 1) }
        }
        guard let connection else { throw TestEnvironmentError("psql: no memory") }
        guard PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            throw TestEnvironmentError("psql: \(String(cString: PQerrorMessage(connection)))")
        }
        return connection
    }

    private func answer(on connection: OpaquePointer, _ cancellation: Cancellation) throws -> String {
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        cancellation.begin(on: connection)
        defer { cancellation.end() }
        var answer = ""
        for statement in statements {
            guard !cancellation.isCancelled else { throw CancellationError() }
            try add(to: &answer, statement, on: connection)
        }
        return answer
    }

    private func add(to answer: inout String, _ statement: String, on connection: OpaquePointer) throws {
        guard PQsendQuery(connection, statement) == 1 else { throw failure(connection) }
        var failed: (any Error)?
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY].contains(PQresultStatus(result)) else {
                failed = failed ?? failure(connection)
                continue
            }
            for row in 0..<PQntuples(result) {
                answer += (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }.joined(
                    separator: "|")
                answer += "\n"
            }
        }
        if let failed { throw failed }
    }

    private func failure(_ connection: OpaquePointer) -> any Error {
        TestEnvironmentError("psql: \(String(cString: PQerrorMessage(connection)))")
    }

    /// Ends the statement when its task is cancelled, as psql ends when it is killed.
    private final class Cancellation: Sendable {
        private struct State: @unchecked Sendable {
            // A PGcancel may be used by any thread.
            var handle: OpaquePointer?
            var isCancelled = false
        }

        private let state = Mutex(State())

        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func begin(on connection: OpaquePointer?) {
            state.withLock { state in
                state.handle = PQgetCancel(connection)
                if state.isCancelled { Self.send(state.handle) }
            }
        }

        func end() {
            state.withLock { state in
                PQfreeCancel(state.handle)
                state.handle = nil
            }
        }

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                if state.handle != nil { Self.send(state.handle) }
            }
        }

        private static func send(_ handle: OpaquePointer?) {
            var reason = [CChar](repeating: 0, count: 256)
            // A request that does not arrive finds a server that is gone, and the statement ends with its connection.
            _ = PQcancel(handle, &reason, Int32(reason.count))
        }
    }
}

extension [String] {
    /// The strings as a C array that ends with a null pointer, for the time of `body`.
    fileprivate func withCStrings<R>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R) -> R {
        let copies = map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
