import NIOCore

/// The response to one request, not yet written.
struct Reply: Sendable {
    /// Nil for a notification: nothing is written.
    let identifier: Identifier?
    let outcome: Outcome
    let clock: StageClock

    enum Outcome: Sendable {
        case answer(Answer)
        case error(WireError)
    }

    init(answer: Answer, identifier: Identifier?, _ clock: StageClock) {
        outcome = .answer(answer)
        self.identifier = identifier
        self.clock = clock
    }

    init(failure: CallFailure, identifier: Identifier?, _ clock: StageClock) {
        outcome = .error(WireError(failure))
        self.identifier = identifier
        self.clock = clock
    }

    /// About how many bytes it will take, so that the buffer need not grow often.
    var estimatedSize: Int {
        switch outcome {
        case .answer(let answer): 64 + answer.estimatedSize
        case .error: 512
        }
    }
}

extension ByteBuffer {
    /// Writes a whole response object, or nothing for a notification, and reports the call.
    /// - Returns: whether anything was written.
    mutating func write(_ reply: Reply, _ context: CallContext) -> Bool {
        var clock = reply.clock
        if let identifier = reply.identifier {
            writeStaticString("{\"jsonrpc\":\"2.0\",\"id\":")
            writeIdentifier(identifier)
            switch reply.outcome {
            case .answer(let answer):
                writeStaticString(",\"result\":")
                writeAnswer(answer)
            case .error(let error):
                writeStaticString(",\"error\":")
                writeError(error, requestID: context.requestID)
            }
            writeStaticString("}")
            clock.lap(.write)
        }
        context.report(clock.report(of: reply.error))
        return reply.identifier != nil
    }
}

extension Reply {
    fileprivate var error: WireError? {
        if case .error(let error) = outcome { error } else { nil }
    }
}
