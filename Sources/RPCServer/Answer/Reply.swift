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
    /// An outcome for which there is no room becomes an error.
    /// - Returns: whether anything was written.
    mutating func write(_ reply: Reply, in room: inout AnswerRoom, _ context: CallContext) -> Bool {
        var clock = reply.clock
        var error = reply.error
        if let identifier = reply.identifier {
            writeStaticString("{\"jsonrpc\":\"2.0\",\"id\":")
            writeIdentifier(identifier)
            let start = writerIndex
            do throws(AnswerTooLarge) {
                try writeOutcome(reply.outcome, upTo: room.end(from: start), context)
            } catch _ {
                room.takeBack(writerIndex - start)
                moveWriterIndex(to: start)
                let refusal = room.refusal(isWritten: reply.isReadBack)
                writeStaticString(",\"error\":")
                // It holds no record, so it always fits.
                try? writeError(refusal, requestID: context.requestID, upTo: .max)
                error = refusal
            }
            writeStaticString("}")
            clock.lap(.write)
        }
        context.report(clock.report(of: error))
        return reply.identifier != nil
    }

    private mutating func writeOutcome(
        _ outcome: Reply.Outcome, upTo end: Int, _ context: CallContext
    ) throws(AnswerTooLarge) {
        switch outcome {
        case .answer(let answer):
            writeStaticString(",\"result\":")
            try writeAnswer(answer, upTo: end)
        case .error(let error):
            writeStaticString(",\"error\":")
            try writeError(error, requestID: context.requestID, upTo: end)
        }
    }
}

extension Reply {
    fileprivate var error: WireError? {
        if case .error(let error) = outcome { error } else { nil }
    }

    fileprivate var isReadBack: Bool {
        if case .answer(let answer) = outcome { answer.isReadBack } else { false }
    }
}
