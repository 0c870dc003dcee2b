import Testing

@testable import PostgresDriver

@Suite("The course of a COPY")
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

    @Test("in: data, their end, the count, the end")
    func into() {
        var exchange = transferring(.into)
        #expect(exchange.phase == .transferring)
        exchange.dataEnded(isComplete: true)
        _ = exchange.receive(.complete(rows: 7))
        let end = exchange.receive(.end)
        guard case .finished(nil) = end else { return #expect(Bool(false), "\(end)") }
        #expect(exchange.rows == 7)
        #expect(exchange.phase == .over)
    }

    @Test("a failure before, amid or after the data is the one that is told")
    func failures() {
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
        #expect(failure(after.receive(.end))?.sqlState == "22P02", "a deferred constraint speaks last")
    }

    @Test("one of the other direction, or none through the connection, is a failure whatever follows")
    func direction() {
        var into = CopyExchange(.out, isInTransaction: false)
        guard case .refuse = into.receive(.readyForData) else { return #expect(Bool(false), "not refused") }
        _ = into.receive(.failure(bad))
        #expect(failure(into.receive(.end))?.kind == .protocolViolation)
        var out = CopyExchange(.into, isInTransaction: false)
        guard case .discard = out.receive(.dataFollow) else { return #expect(Bool(false), "not discarded") }
        out.dataEnded()
        _ = out.receive(.complete(rows: 3))
        #expect(failure(out.receive(.end))?.kind == .protocolViolation)
        var none = CopyExchange(.into, isInTransaction: false)
        _ = none.receive(.complete(rows: 0))
        #expect(failure(none.receive(.end))?.kind == .protocolViolation)
    }

    @Test("the outcome of a lost COPY in is unknown only from the end of the data on")
    func losses() {
        let early = transferring(.into).loss("x", serverFields: nil, cancelReason: nil)
        #expect(early.kind == .connectionLost && early.isRetrySafe)
        var complete = transferring(.into)
        complete.dataEnded(isComplete: true)
        #expect(complete.loss("x", serverFields: nil, cancelReason: nil).kind == .outcomeUnknown)
        #expect(complete.loss("x", serverFields: nil, cancelReason: .timeout).kind == .outcomeUnknown)
        #expect(complete.loss("x", serverFields: ended, cancelReason: nil).isRetrySafe, "the server had not done it")
        _ = complete.receive(.complete(rows: 7))
        #expect(complete.loss("x", serverFields: ended, cancelReason: nil).kind == .outcomeUnknown)
        var abandoned = transferring(.into)
        abandoned.dataEnded()
        #expect(abandoned.loss("x", serverFields: nil, cancelReason: .cancelled).kind == .cancelled)
        var inTransaction = transferring(.into, isInTransaction: true)
        inTransaction.dataEnded(isComplete: true)
        #expect(inTransaction.loss("x", serverFields: nil, cancelReason: nil).isRetrySafe, "nothing was committed")
        let out = transferring(.out).loss("x", serverFields: nil, cancelReason: nil)
        #expect(out.kind == .connectionLost && !out.isRetrySafe)
    }
}
