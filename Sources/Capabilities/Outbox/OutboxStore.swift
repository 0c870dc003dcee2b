import DomainKit
import HTTPServer
import JSON
import Logging
import PostgresDriver
import RPCServer

/// A message of the outbox that this worker has claimed.
struct OutboxClaim: Sendable {
    /// The company whose record the message is about, and in which everything about it is done.
    let company: Company
    let id: Int64
    let kind: String
    let record: String
    let key: String
    /// The part of the message ids that all attempts have in common.
    let messageID: String
    /// Which claim of the row this is, counted from 1.
    let attempt: Int
    /// How many earlier attempts have failed.
    let failures: Int
    /// Since the first claim.
    let secondsTried: Int
    /// Whether an earlier attempt may have sent the next message.
    let mayRepeat: Bool
    /// Whether the domain knows that the row does not leave.
    let isTold: Bool
    /// What the receivers of those messages of the row have answered that have left.
    var answers: [JSONValue]
    /// Nil while messages of the row are to be sent.
    let pendingCall: PendingCall?
    /// Why the last attempt has failed.
    let lastError: String
    /// The trace of the call that has entered the row.
    let trace: TraceContext?

    /// The function of the notice that is still to be called when nothing is sent any more.
    enum PendingCall: String, Sendable {
        case sent
        case failed
    }
}

/// The outbox of the database.
struct OutboxStore: Sendable {
    /// Why an attempt has failed.
    struct Failure: Sendable {
        /// Nil for the cause that the row has.
        let cause: FailureCause?
        let description: String

        init(_ cause: FailureCause?, _ description: String) {
            self.cause = cause
            self.description = description
        }
    }

    /// How an attempt goes on or has ended.
    enum Outcome: Sendable {
        /// A message may leave from now on, and takes at most so long: its receiver is ready.
        case sending(Duration)
        /// A message has left, others of the row follow.
        case delivered(JSONValue)
        /// All messages have left; the answer is that of the last one, nil if there was none to send.
        case sent(JSONValue?, error: String? = nil)
        /// All messages have left, and the function `sent` is still to be called.
        case awaitsSent(JSONValue?, String, retryAfter: Duration)
        case failed(Failure, retryAfter: Duration, isUnclear: Bool, tells: Bool)
        /// The failure is one that other messages have met.
        case deferred(Duration, Failure?)
        case gaveUp(Failure, isUnclear: Bool, tells: Bool)
        /// Nothing is sent any more, and the function `failed` is still to be called.
        case awaitsFailed(Failure, isUnclear: Bool, retryAfter: Duration)
    }

    /// Connections of the workers' role.
    let database: PostgresClient

    /// How long a claim lasts: longer than an attempt to send one message.
    static let lease: Duration = .seconds(60)

    func claim(_ kinds: [String], atMost count: Int) async throws(PostgresError) -> [OutboxClaim] {
        let list = "{" + kinds.map { "\"\($0)\"" }.joined(separator: ",") + "}"
        let rows = try await database.transaction(
            [Step(Self.claim, [.text(list), .text(String(count)), Self.seconds(Self.lease)])], deadline: Self.deadline)
        return rows.first.map { rows in (0..<rows.count).compactMap { OutboxClaim(rows, $0) } } ?? []
    }

    /// - Parameter further: a further step of the same transaction.
    /// - Throws: an error with ``isLostClaim`` if another worker has claimed the row since.
    func note(_ outcome: Outcome, of claim: OutboxClaim, and further: Step? = nil) async throws(PostgresError) {
        let author = Step(
            Self.author,
            [.text("outbox:\(claim.kind)"), .text("outbox:\(claim.id)"), .text(String(claim.company.id))])
        let note = Step(Self.note, [.text(String(claim.id)), .text(String(claim.attempt))] + Self.parameters(outcome))
        let cause = outcome.cause.map { Step(Self.cause, [.text(String(claim.id)), .text($0.rawValue)]) }
        _ = try await database.transaction(
            [author, cause, note, further].compactMap(\.self), deadline: Self.deadline)
    }

    /// What the rows of all instances are like.
    struct Summary: Sendable {
        /// How many wait, and since how many seconds the oldest of them does.
        var waiting = 0
        var secondsWaiting = 0
        /// How many of them wait after a failure, by what it concerned.
        var blocked: [FailureCause: Int] = [:]
        /// How many were given up and are still there.
        var givenUp = 0
    }

    func summary() async throws(PostgresError) -> Summary {
        let rows = try await database.query(Self.summary, deadline: Self.deadline)
        var summary = Summary()
        for row in 0..<rows.count {
            func number(_ column: Int) -> Int { rows.text(row, column).flatMap { Int($0) } ?? 0 }
            summary.waiting += number(1)
            summary.givenUp += number(2)
            summary.secondsWaiting = max(summary.secondsWaiting, number(3))
            if let cause = rows.text(row, 0).flatMap(FailureCause.init) { summary.blocked[cause] = number(1) }
        }
        return summary
    }

    /// What a function of a domain returns for the record.
    ///
    /// - Parameter function: a statement of ``text(of:)``.
    func text(of function: Statement, for claim: OutboxClaim) async throws(PostgresError) -> String? {
        let setting = Step(Self.repetition, [.text(String(claim.mayRepeat)), .text(String(claim.company.id))])
        let results = try await database.transaction(
            [setting, Step(function, [.text(claim.record)])], deadline: Self.deadline)
        return results.last?.text(0, 0)
    }

    /// Removes messages that left, or were given up, before the retention.
    func prune(keeping retention: Duration, atMost count: Int) async throws(PostgresError) {
        _ = try await database.transaction(
            [Step(Self.pruning, [Self.seconds(retention), .text(String(count))])], deadline: Self.deadline)
    }

    /// Calls a function of a domain with a record.
    static func text(of function: String) -> Statement { Statement("SELECT \(function)($1::bigint)::text") }

    /// Calls a function of a domain with a record and a JSON value.
    static func call(_ function: String) -> Statement { Statement("SELECT \(function)($1::bigint, $2::jsonb)") }

    /// The step that calls a function of a domain.
    ///
    /// - Parameter function: a statement of ``call(_:)``.
    static func step(_ function: Statement, record: String, _ value: JSONValue) -> Step {
        Step(function, [.text(record), .text(value.jsonText)])
    }

    private static var deadline: ContinuousClock.Instant { .now + .seconds(10) }

    private static func seconds(_ time: Duration) -> Parameter { .text(String(time / .seconds(1))) }

    /// From the outcome on.
    private static func parameters(_ outcome: Outcome) -> [Parameter] {
        func list(
            _ name: String, answer: JSONValue? = nil, error: String? = nil, delay: Duration? = nil,
            isUnclear: Bool = false, tells: Bool = false
        ) -> [Parameter] {
            [
                .text(name), answer.map { .text($0.jsonText) } ?? .null, error.map { .text($0) } ?? .null,
                delay.map(seconds) ?? .null, .text(String(isUnclear)), .text(String(tells)),
            ]
        }
        return switch outcome {
        case .sending(let lease): list("sending", delay: lease)
        case .delivered(let answer): list("delivered", answer: answer, delay: lease)
        case .sent(let answer, let error): list("sent", answer: answer, error: error)
        case .awaitsSent(let answer, let error, let delay):
            list("awaits_sent", answer: answer, error: error, delay: delay)
        case .failed(let error, let delay, let isUnclear, let tells):
            list("failed", error: error.description, delay: delay, isUnclear: isUnclear, tells: tells)
        case .deferred(let delay, let error): list("deferred", error: error?.description, delay: delay)
        case .gaveUp(let error, let isUnclear, let tells):
            list("gave_up", error: error.description, isUnclear: isUnclear, tells: tells)
        case .awaitsFailed(let error, let isUnclear, let delay):
            list("awaits_failed", error: error.description, delay: delay, isUnclear: isUnclear)
        }
    }

    private static let claim = Statement(
        """
        SELECT id::text, kind, record_id::text, key, message_id::text, attempts::text, failures::text,
            seconds_tried::text, may_repeat::text, is_told::text, answers::text, pending_call, last_error, trace,
            company_id::text
        FROM kernel.outbox_take($1::text[], $2::integer, make_interval(secs => $3::double precision))
        """)
    private static let author = Statement(
        """
        SELECT set_config('learntrack.author', $1::text, true), set_config('learntrack.request', $2::text, true),
            set_config('learntrack.company', $3::text, true)
        """)
    private static let repetition = Statement(
        "SELECT set_config('learntrack.may_repeat', $1::text, true), set_config('learntrack.company', $2::text, true)")
    private static let note = Statement(
        """
        SELECT kernel.outbox_note($1::bigint, $2::integer, $3::text, $4::jsonb, $5::text,
            make_interval(secs => $6::double precision), $7::boolean, $8::boolean)
        """)
    private static let cause = Statement("SELECT kernel.outbox_cause($1::bigint, $2::text)")
    private static let summary = Statement(
        "SELECT cause, waiting::text, given_up::text, seconds::text FROM kernel.outbox_summary()")
    private static let pruning = Statement(
        "SELECT kernel.outbox_prune(make_interval(secs => $1::double precision), $2::integer)")
}

extension OutboxStore.Outcome {
    fileprivate var cause: FailureCause? {
        switch self {
        case .failed(let failure, _, _, _), .gaveUp(let failure, _, _), .awaitsFailed(let failure, _, _): failure.cause
        case .deferred(_, let failure): failure?.cause
        case .sending, .delivered, .sent, .awaitsSent: nil
        }
    }
}

extension OutboxClaim {
    /// For the lines of the log about the row.
    var metadata: Logger.Metadata { metadata(of: "\(messageID)") }

    /// For the lines of the log about one of its messages.
    func metadata(of id: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["message_id": "\(id)", "kind": "\(kind)"]
        if let trace { metadata["trace_id"] = "\(trace.traceID)" }
        return metadata
    }

    fileprivate init?(_ rows: Rows, _ row: Int) {
        guard let id = rows.text(row, 0).flatMap({ Int64($0) }), let kind = rows.text(row, 1),
            let record = rows.text(row, 2), let attempt = rows.text(row, 5).flatMap({ Int($0) }),
            let company = rows.text(row, 14).flatMap({ Int64($0) })
        else { return nil }
        self.company = Company(id: company)
        self.id = id
        self.kind = kind
        self.record = record
        self.attempt = attempt
        key = rows.text(row, 3) ?? ""
        messageID = rows.text(row, 4) ?? ""
        failures = rows.text(row, 6).flatMap { Int($0) } ?? 0
        secondsTried = rows.text(row, 7).flatMap { Int($0) } ?? 0
        mayRepeat = rows.text(row, 8) == "true"
        isTold = rows.text(row, 9) == "true"
        answers = Self.array(rows.text(row, 10) ?? "[]")
        pendingCall = rows.text(row, 11).flatMap(PendingCall.init)
        lastError = rows.text(row, 12) ?? ""
        trace = rows.text(row, 13).flatMap(TraceContext.init)
    }

    private static func array(_ text: String) -> [JSONValue] {
        do throws(JSONError) {
            if case .array(let elements) = try JSONReader.read(text).value { return elements }
            return []
        } catch {
            // Postgres writes jsonb as JSON.
            return []
        }
    }
}

extension PostgresError {
    /// Whether another worker has claimed the message since.
    var isLostClaim: Bool { server?.constraint == "kernel_outbox_claim" }
}
