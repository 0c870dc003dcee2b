package import HTTPServer
import JSON
package import Logging
import Observability
import Synchronization

/// The outcome of one call, for log and metrics.
package struct CallReport: Sendable {
    /// The stages of a call that are timed.
    package enum Stage: Int, Sendable, CaseIterable {
        case decode, authenticate, authorise, plan, execute, write
    }

    /// The method's name as the registry has it; nil when there is no such method or the call could not be read, so
    /// that no text of a client becomes a label.
    package var method: String?
    /// The methods of the calls of a transaction, which is one call for the metrics.
    package var innerMethods: [String] = []
    /// The JSON-RPC error's code; nil when the call succeeded.
    package var code: Int?
    /// The internal cause of an error, for the log only; names no parameter, token or password.
    package var cause: String?
    /// What a result lacks, for the log only.
    package var warnings: [String] = []
    /// What a call has run; nil if slow calls are not logged.
    var statements: CallStatements?
    private var nanoseconds = InlineArray<6, Int64>(repeating: 0)

    package init(method: String? = nil, code: Int? = nil, cause: String? = nil) {
        self.method = method
        self.code = code
        self.cause = cause
    }

    /// The time spent in a stage, in nanoseconds; zero where the call did not get that far.
    package subscript(stage: Stage) -> Int64 {
        get { nanoseconds[stage.rawValue] }
        set { nanoseconds[stage.rawValue] = newValue }
    }

    /// The time of all stages, in nanoseconds.
    var total: Int64 { Stage.allCases.reduce(0) { $0 + self[$1] } }

    var longestStage: Stage { Stage.allCases.max { self[$0] < self[$1] } ?? .execute }
}

/// Collects the reports of one request's calls. The members of a batch may report from several threads.
package final class CallRecord: RequestRecord {
    private let reports = Mutex<[CallReport]>([])
    private let caller = Mutex<(account: Int64, isAdministrator: Bool)?>(nil)
    private let setCookie = Mutex<String?>(nil)

    package init() {}

    package var account: Int64? { caller.withLock { $0?.account } }

    /// Whether an administrator makes the calls.
    var isOfAdministrator: Bool { caller.withLock { $0?.isAdministrator ?? false } }

    func note(account: Int64, isAdministrator: Bool) { caller.withLock { $0 = (account, isAdministrator) } }

    /// The value of the response's `Set-Cookie` header. It contains a secret: no log has it.
    var cookie: String? { setCookie.withLock { $0 } }

    func set(cookie header: String) { setCookie.withLock { $0 = header } }

    package func add(_ report: CallReport) {
        reports.withLock { $0.append(report) }
    }

    package var calls: [CallReport] { reports.withLock { $0 } }

    package var loggedCalls: [LoggedCall] {
        calls.map { LoggedCall(method: $0.summary, code: $0.code ?? 0, nanoseconds: $0.total) }
    }
}

extension CallReport {
    /// The method's name; a transaction's with those of its calls: `transaction.run(shelves.create+books.create*12)`.
    fileprivate var summary: String {
        let name = method ?? "-"
        return innerMethods.isEmpty ? name : "\(name)(\(runs.joined(separator: "+")))"
    }

    /// The inner methods, with their number where one follows itself.
    private var runs: [String] {
        var runs: [(method: String, count: Int)] = []
        for method in innerMethods {
            if let last = runs.last, last.method == method {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((method, 1))
            }
        }
        return runs.map { $0.count == 1 ? $0.method : "\($0.method)*\($0.count)" }
    }
}

extension RequestEvent {
    /// The calls in the request's body, as far as they were reported.
    var calls: [CallReport] { (record as? CallRecord)?.calls ?? [] }
}

/// Logs the causes of internal errors and what results lack, which the response does not name. Of equal causes, five are
/// written in ten seconds, and then how many more there were.
package struct CallErrorLog: RequestObserver {
    private struct Kind: Hashable {
        let method: String
        let text: String
    }

    private let logger: Logger
    private let rate: LineRate<Kind>

    package init(logger: Logger) {
        self.logger = logger
        rate = LineRate(
            seconds: 10, limit: { _ in 5 },
            report: { kind, count in
                logger.error(
                    "\(kind.text)", metadata: ["method": "\(kind.method)", "count": .stringConvertible(count)])
            })
    }

    package func observe(_ event: RequestEvent) {
        for call in event.calls where call.cause != nil || !call.warnings.isEmpty {
            let method = call.method ?? "-"
            var metadata: Logger.Metadata = ["request_id": .string(event.requestID), "method": .string(method)]
            if let account = event.record?.account { metadata["account"] = .stringConvertible(account) }
            if let trace = event.trace { metadata["trace_id"] = "\(trace.traceID)" }
            for warning in call.warnings where rate.admits(Kind(method: method, text: warning)) {
                logger.warning("\(warning)", metadata: metadata)
            }
            if let cause = call.cause, rate.admits(Kind(method: method, text: cause)) {
                logger.error("\(cause)", metadata: metadata)
            }
        }
    }
}
