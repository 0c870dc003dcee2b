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
}

/// Collects the reports of one request's calls. The members of a batch may report from several threads.
package final class CallRecord: RequestRecord {
    private let reports = Mutex<[CallReport]>([])
    private let caller = Mutex<Int64?>(nil)

    package init() {}

    package var account: Int64? { caller.withLock { $0 } }

    func note(account: Int64) { caller.withLock { $0 = account } }

    package var code: Int? {
        let calls = calls
        return calls.isEmpty ? nil : calls.lazy.compactMap(\.code).first ?? 0
    }

    package func add(_ report: CallReport) {
        reports.withLock { $0.append(report) }
    }

    package var calls: [CallReport] { reports.withLock { $0 } }

    /// The methods' names; a failed call's with the error's code: `books.list,books.get=404`. A transaction's with those
    /// of its calls: `transaction.run(shelves.create+books.create*12)`.
    package var summary: String? {
        let calls = calls
        guard let first = calls.first else { return nil }
        return calls.count == 1 ? first.summary : calls.map(\.summary).joined(separator: ",")
    }
}

extension CallReport {
    fileprivate var summary: String {
        var name = method ?? "-"
        if !innerMethods.isEmpty { name += "(\(runs.joined(separator: "+")))" }
        return if let code { "\(name)=\(code)" } else { name }
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
        for call in event.calls {
            let method = call.method ?? "-"
            var metadata: Logger.Metadata = ["request_id": .string(event.requestID), "method": .string(method)]
            if let account = event.record?.account { metadata["account"] = .stringConvertible(account) }
            for warning in call.warnings where rate.admits(Kind(method: method, text: warning)) {
                logger.warning("\(warning)", metadata: metadata)
            }
            if let cause = call.cause, rate.admits(Kind(method: method, text: cause)) {
                logger.error("\(cause)", metadata: metadata)
            }
        }
    }
}
