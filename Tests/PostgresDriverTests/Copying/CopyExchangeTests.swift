import Testing

@testable import PostgresDriver

struct CopyExchangeTests {
    private let bad = PostgresError(.server, server: ServerFields(severity: "ERROR", sqlState: "22P02", message: "bad"))
    private let ended = ServerFields(severity: "FATAL", sqlState: "57P01", message: "ended")

    private func transferring(
        _ direction: CopyExchange.Direction, isInTransaction: Bool = false
    ) -> CopyExchange {
        var exchange = CopyExchange(direction, isInTransaction: isInTransaction)
        _ = exchange.receive(direction == .into ? .readyForData : .dataFollow)
        return exchange
    }

    private func failure(_ action: CopyExchange.Action) -> PostgresError? {
        if case .finished(let error) = action { error } else { nil }
    }

    @Test func `a COPY FROM ends with the row count after its data`() {
        var exchange = transferring(.into)
        #expect(exchange.phase == .transferring)
        exchange.dataEnded(isComplete: true)
        _ = exchange.receive(.complete(rows: 7))
        let end = exchange.receive(.end)
        guard case .finished(nil) = end else { return #expect(Bool(false), "\(end)") }
        #expect(exchange.rows == 7)
        #expect(exchange.phase == .over)
    }

    @Test func `the first error is reported, be it before, during or after the data`() {
        var before = CopyExchange(.into, isInTransaction: false)
        _ = before.receive(.failure(bad))
        #expect(failure(before.receive(.end))?.sqlState == "22P02")
        var amid = transferring(.out)
        _ = amid.receive(.failure(bad))
        #expect(failure(amid.receive(.end))?.sqlState == "22P02")
        var after = transferring(.into)
        after.dataEnded(isComplete: true)
        _ = after.receive(.complete(rows: 7))
        _ = after.receive(.failure(bad))
        #expect(failure(after.receive(.end))?.sqlState == "22P02", "a deferred constraint fails at the end")
    }

    @Test func `a COPY in the other direction, or with a server file, fails whatever follows`() {
        var into = CopyExchange(.out, isInTransaction: false)
        guard case .abort = into.receive(.readyForData) else { return #expect(Bool(false), "the COPY was not aborted") }
        _ = into.receive(.failure(bad))
        #expect(failure(into.receive(.end))?.kind == .protocolViolation)
        var out = CopyExchange(.into, isInTransaction: false)
        guard case .discard = out.receive(.dataFollow) else {
            return #expect(Bool(false), "the data were not discarded")
        }
        out.dataEnded()
        _ = out.receive(.complete(rows: 3))
        #expect(failure(out.receive(.end))?.kind == .protocolViolation)
        var none = CopyExchange(.into, isInTransaction: false)
        _ = none.receive(.complete(rows: 0))
        #expect(failure(none.receive(.end))?.kind == .protocolViolation)
    }

    @Test func `the outcome of a lost COPY FROM is unknown only after all data were sent`() {
        let early = transferring(.into).loss("x", serverFields: nil, cancelReason: nil)
        #expect(early.kind == .connectionLost && early.isRetrySafe)
        var complete = transferring(.into)
        complete.dataEnded(isComplete: true)
        #expect(complete.loss("x", serverFields: nil, cancelReason: nil).kind == .outcomeUnknown)
        #expect(complete.loss("x", serverFields: nil, cancelReason: .timeout).kind == .outcomeUnknown)
        #expect(
            complete.loss("x", serverFields: ended, cancelReason: nil).isRetrySafe,
            "the server failed before the commit")
        _ = complete.receive(.complete(rows: 7))
        #expect(complete.loss("x", serverFields: ended, cancelReason: nil).kind == .outcomeUnknown)
        var aborted = transferring(.into)
        aborted.dataEnded()
        #expect(aborted.loss("x", serverFields: nil, cancelReason: .cancelled).kind == .cancelled)
        var inTransaction = transferring(.into, isInTransaction: true)
        inTransaction.dataEnded(isComplete: true)
        #expect(
            inTransaction.loss("x", serverFields: nil, cancelReason: nil).isRetrySafe,
            "the transaction was not committed")
        let out = transferring(.out).loss("x", serverFields: nil, cancelReason: nil)
        #expect(out.kind == .connectionLost && !out.isRetrySafe)
    }
}
