package import HTTPServer
import JSON
import Logging
package import Observability
package import PostgresDriver
import Synchronization

/// Logs the calls that take longer than a limit, and notes their statements in the database, where `learntrack explain` finds
/// them by the hash in the log. Of calls with the same method and statements, five are written in ten seconds, and then how
/// many more there were.
package final class SlowCalls: RequestObserver {
    private struct Kind: Hashable {
        let method: String
        let hash: String?
    }

    private struct Note: Sendable {
        let method: String
        let hash: String
        let statements: CallStatements
    }

    /// A noted call is noted again after this time, so that it stays among those that are kept.
    private static let noteInterval = Duration.seconds(3_600)
    private static let maxKnown = 1_024
    private static let maxWaiting = 64

    private let limit: Int64
    private let writer: LogWriter
    private let database: PostgresClient
    private let rate: LineRate<Kind>
    private let notes: AsyncStream<Note>
    private let queue: AsyncStream<Note>.Continuation
    private let known = Mutex<[String: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - limit: a call that takes longer is slow.
    ///   - database: connections of the workers' role.
    package init(limit: Duration, writer: LogWriter, database: PostgresClient) {
        self.limit = limit.nanoseconds
        self.writer = writer
        self.database = database
        (notes, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maxWaiting))
        rate = LineRate(
            seconds: 10, limit: { _ in 5 },
            report: { kind, count in
                writer.write(.notice, "Slow call, more of the last ten seconds") { line in
                    line.add("count", count)
                    line.add("method", kind.method)
                    if let hash = kind.hash { line.add("sql", hash) }
                }
            })
    }

    package func observe(_ event: RequestEvent) {
        for call in event.calls where call.total > limit { note(call, of: event) }
    }

    private func note(_ call: CallReport, of event: RequestEvent) {
        let method = call.method ?? "-"
        let hash = call.statements?.hash
        if let hash, let statements = call.statements, !isKnown(hash) {
            queue.yield(Note(method: method, hash: hash, statements: statements))
        }
        guard writer.logLevel <= .notice, rate.admits(Kind(method: method, hash: hash)) else { return }
        writer.write(.notice, "Slow call") { line in
            if let account = event.record?.account { line.add("account", Int(account)) }
            line.add("code", call.code ?? 0)
            line.add("method", method)
            line.add("ms", nanoseconds: call.total)
            line.add("request_id", event.requestID)
            if let trace = event.trace { line.add("span_id", trace.spanID) }
            if let hash { line.add("sql", hash) }
            line.add("stage", "\(call.longestStage)")
            if let trace = event.trace { line.add("trace_id", trace.traceID) }
        }
    }

    private func isKnown(_ hash: String) -> Bool {
        known.withLock { known in known[hash].map { $0 + Self.noteInterval > .now } ?? false }
    }

    /// Notes slow calls in the database until the task is cancelled.
    package func run() async {
        var hasFailed = false
        for await note in notes where !isKnown(note.hash) {
            do throws(PostgresError) {
                try await store(note)
                hasFailed = false
            } catch {
                // It is not known now, so the next slow call of this kind tries again.
                if !hasFailed { report(error, of: note) }
                hasFailed = true
                continue
            }
            known.withLock { known in
                if known.count >= Self.maxKnown { known = [:] }
                known[note.hash] = .now
            }
        }
    }

    private func store(_ note: Note) async throws(PostgresError) {
        let parameters: [Parameter] = [
            .text(note.hash), .text(note.method), .text(note.statements.databaseRole),
            .text(note.statements.json.jsonText),
        ]
        _ = try await database.transaction([Step(Self.note, parameters)], deadline: .now + .seconds(10))
    }

    private func report(_ error: PostgresError, of note: Note) {
        guard writer.logLevel <= .warning else { return }
        writer.write(.warning, "The statements of slow calls cannot be noted for 'explain'") { line in
            line.add("reason", "\(error)")
            line.add("sql", note.hash)
        }
    }

    private static let note = Statement(
        "SELECT kernel.note_slow_call($1::text, $2::text, $3::text, $4::jsonb)")
}

extension Duration {
    /// At most 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
