import CLibPQ
import Glibc
import Synchronization
import TestSupport
import Threads

/// A statement, or a transaction, that runs over a connection of this process and answers in the format of `psql -A -t`. It spares
/// the start of psql, which takes longer than most statements.
struct DirectStatement: Sendable {
    private let sql: String

    /// Nil for what only psql runs in the same way: several statements that are a transaction each, COPY, and commands of psql
    /// itself.
    init?(_ sql: String) {
        var text = sql[...]
        while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
        let isTransaction = text.hasPrefix("BEGIN;") && text.hasSuffix("COMMIT")
        guard isTransaction || !text.contains(";"), !text.contains("\\"), !text.uppercased().contains("COPY") else {
            return nil
        }
        self.sql = String(text)
    }

    /// The values of the rows: `|` between columns, a line feed after each row.
    ///
    /// - Parameter keepingSession: whether a statement that leaves nothing in its session may use that of another one, and leave it
    ///   to others.
    /// - Throws: `TestEnvironmentError` with Postgres' message.
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
        guard keepingSession, KeptSessions.suits(sql) else {
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
                guard PQstatus(kept) == CONNECTION_BAD, sql.hasPrefix("SELECT") else { throw error }
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
            KeptSessions.shared.giveBack(connection, at: connectionString)
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
        guard PQsendQuery(connection, sql) == 1 else { throw failure(connection) }
        var answer = ""
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
        return answer
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
