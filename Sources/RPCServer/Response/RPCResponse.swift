import NIOCore

/// The response to one request, before it is written.
struct RPCResponse: Sendable {
    /// Nil for a notification: its response is not written.
    let identifier: RPCIdentifier?
    let outcome: Outcome
    let clock: StageClock

    enum Outcome: Sendable {
        case result(CallResult)
        case error(RPCErrorObject)
    }

    init(_ result: CallResult, identifier: RPCIdentifier?, _ clock: StageClock) {
        outcome = .result(result)
        self.identifier = identifier
        self.clock = clock
    }

    init(_ error: CallError, identifier: RPCIdentifier?, _ clock: StageClock) {
        outcome = .error(RPCErrorObject(error))
        self.identifier = identifier
        self.clock = clock
    }

    /// An estimate of the bytes to write, so that the buffer seldom grows.
    var estimatedSize: Int {
        switch outcome {
        case .result(let result): 64 + result.estimatedSize
        case .error: 512
        }
    }

    /// After how many seconds the call may be sent again, if it was refused for now.
    var retryAfter: Int? {
        for case .number("retry_after", let seconds) in error?.details ?? [] { return seconds }
        return nil
    }

    /// Where the company of the call has moved to, if that is why it was refused.
    var place: String? { error?.place }

    fileprivate var error: RPCErrorObject? {
        if case .error(let error) = outcome { error } else { nil }
    }

    fileprivate var isReadBack: Bool {
        if case .result(let result) = outcome { result.isReadBack } else { false }
    }
}

extension ByteBuffer {
    /// Writes the whole response object, unless it is that of a notification, and reports the call to `context`.
    ///
    /// A result that exceeds `budget` is replaced by an error.
    /// - Returns: whether a response was written.
    mutating func write(
        _ response: RPCResponse, within budget: inout ResponseSizeBudget, _ context: CallContext
    ) -> Bool {
        var clock = response.clock
        var error = response.error
        if let identifier = response.identifier {
            writeStaticString("{\"jsonrpc\":\"2.0\",\"id\":")
            writeIdentifier(identifier)
            let start = writerIndex
            do throws(ResponseBufferFullError) {
                try writeOutcome(response.outcome, upTo: budget.end(from: start), context)
            } catch _ {
                budget.discard(writerIndex - start)
                moveWriterIndex(to: start)
                let sizeError = RPCErrorObject(budget.error(isWritten: response.isReadBack))
                writeStaticString(",\"error\":")
                writeErrorWithoutRecord(sizeError, requestID: context.requestID)
                error = sizeError
            }
            writeStaticString("}")
            clock.lap(.write)
        }
        context.report(clock.report(of: error))
        return response.identifier != nil
    }

    private mutating func writeOutcome(
        _ outcome: RPCResponse.Outcome, upTo end: Int, _ context: CallContext
    ) throws(ResponseBufferFullError) {
        switch outcome {
        case .result(let result):
            writeStaticString(",\"result\":")
            try writeResult(result, upTo: end)
        case .error(let error):
            writeStaticString(",\"error\":")
            try writeError(error, requestID: context.requestID, upTo: end)
        }
    }
}

/// Measures the stages of one call, each from the end of the previous one.
package struct StageClock: Sendable {
    /// The measurements so far.
    private(set) var report = CallReport()
    private var last = NIODeadline.now()

    package init() {}

    /// The method's name, once the method is found.
    package var method: String? {
        get { report.method }
        set { report.method = newValue }
    }

    /// The methods of the calls of a transaction.
    var innerMethods: [String] {
        get { report.innerMethods }
        set { report.innerMethods = newValue }
    }

    /// The statements of the call, for the case that it is slow.
    package var statements: CallStatements? {
        get { report.statements }
        set { report.statements = newValue }
    }

    /// Ends `stage`.
    package mutating func lap(_ stage: CallReport.Stage) {
        let now = NIODeadline.now()
        report[stage] = (now - last).nanoseconds
        last = now
    }

    /// The report of a call that ended with `error`, or succeeded if that is nil.
    package func report(of error: RPCErrorObject?) -> CallReport {
        var report = report
        report.code = error?.kind.code
        report.cause = error?.cause
        return report
    }
}

/// The bytes that the results in one HTTP response may take, those of a batch together. Error objects are small and do
/// not count.
struct ResponseSizeBudget: Sendable {
    private let max: Int
    /// Bytes that were written and discarded because the result did not fit.
    private var discardedBytes = 0

    init(max: Int) {
        self.max = max
    }

    /// The writer index that a result which begins at `start` must not exceed.
    ///
    /// Once the discarded results have cost as much work as a whole response, each further result gets a small part of
    /// the budget only. Otherwise a batch of oversized results would block the event loop for long.
    func end(from start: Int) -> Int {
        discardedBytes < max ? max : min(max, start + max / 64)
    }

    mutating func discard(_ bytes: Int) {
        discardedBytes += bytes
    }

    /// - Parameter isWritten: whether the call has changed the record that its result would show.
    func error(isWritten: Bool) -> ResponseSizeError {
        ResponseSizeError(max: max, isWritten: isWritten)
    }
}

/// A result exceeds the size of a response.
package struct ResponseSizeError: Error, Sendable, Hashable {
    /// The budget of the response in bytes.
    let max: Int
    /// Whether the call has changed the record that its result would have shown.
    let isWritten: Bool
}
