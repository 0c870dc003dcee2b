import DomainKit
import HTTPServer
import JSON
import Logging
import PostgresDriver
import RPCServer
import Synchronization

/// One attempt to send the messages of a row.
extension Outbox {
    private static let longestPause: Duration = .seconds(3_600)
    /// After this time the domain is told that a message has not left.
    private static let secondsToTell = 86_400
    private static let secondsToGiveUp = 3 * 86_400
    /// After this time a function of the domain that cannot be run is not called again: a day after the last message.
    private static let secondsToCall = 4 * 86_400
    /// The pause before an attempt to note an outcome in the database is repeated.
    private static let notePause: Duration = .seconds(1)

    func deliver(_ claim: OutboxClaim) async {
        guard let notice = notices[claim.kind] else { return }
        switch claim.pendingCall {
        case .sent:
            await note(.sent(nil), of: claim, and: Self.sentStep(notice, claim))
            return
        case .failed:
            let reason = claim.lastError
            await note(
                .gaveUp(OutboxStore.Failure(nil, reason), isUnclear: false, tells: true), of: claim,
                and: Self.failedStep(notice, claim, reason, givesUp: true, mayHaveLeft: claim.mayRepeat))
            return
        case nil: break
        }
        let loaded: [JSONValue]
        do throws(ExecutionError) {
            loaded = try await notice.load(claim, by: executor, store)
        } catch {
            if case .notFound = error {
                await fail(claim, notice, DeliveryError(.permanent, .record, "its record is gone"))
            } else {
                await fail(claim, notice, DeliveryError(.transient, .record, "its record cannot be read: \(error)"))
            }
            return
        }
        await deliver(notice.notice.phrase(loaded), of: notice, claim)
    }

    private func deliver(_ messages: [Message], of notice: PlannedNotice, _ claim: OutboxClaim) async {
        var claim = claim
        guard claim.answers.count < messages.count else {
            var doubt: String?
            if claim.mayRepeat {
                doubt = "an attempt without an answer may have sent it, and there is nothing more to send"
                logger.warning(
                    "A message may have been sent, and its record has nothing more to say",
                    metadata: claim.metadata)
                state.withLock { $0.counts.unconfirmed += 1 }
            }
            await note(
                .sent(nil, error: doubt), of: claim, and: claim.answers.isEmpty ? nil : Self.sentStep(notice, claim))
            return
        }
        let first = claim.answers.count
        for index in first..<messages.count {
            let id = "\(claim.messageID).\(index)"
            let departure = Departure()
            let lease = OutboxStore.lease + transport.extraTime(for: messages[index])
            let answer: JSONValue
            do throws(DeliveryError) {
                answer = try await transport.send(messages[index], id: id, trace: claim.trace?.header) {
                    [claim] in
                    await departure.noteOutcome {
                        await self.depart(claim, id, for: lease, mayRepeat: claim.mayRepeat && index == first)
                    }
                }
            } catch {
                guard !departure.isRefused else { return }
                await fail(claim, notice, error)
                return
            }
            claim.answers.append(answer)
            logger.info("Sent a message", metadata: claim.metadata(of: id))
            state.withLock { $0.counts.sent += 1 }
            let isLast = claim.answers.count == messages.count
            let outcome = isLast ? OutboxStore.Outcome.sent(answer) : .delivered(answer)
            guard await note(outcome, of: claim, and: isLast ? Self.sentStep(notice, claim) : nil) else { return }
        }
    }

    /// Notes that the message may leave from now on.
    ///
    /// - Returns: whether it may: not when another worker has claimed it since.
    private func depart(_ claim: OutboxClaim, _ id: String, for lease: Duration, mayRepeat: Bool) async -> Bool {
        guard await note(.sending(lease), of: claim) else { return false }
        if mayRepeat {
            logger.warning(
                "Sending a message again that may have been sent already", metadata: claim.metadata(of: id))
            state.withLock { $0.counts.repeated += 1 }
        }
        return true
    }

    private static func sentStep(_ notice: PlannedNotice, _ claim: OutboxClaim) -> Step? {
        notice.sent.map { OutboxStore.step($0, record: claim.record, .array(claim.answers)) }
    }

    private static func failedStep(
        _ notice: PlannedNotice, _ claim: OutboxClaim, _ reason: String, givesUp: Bool, mayHaveLeft: Bool
    ) -> Step? {
        notice.failed.map { function in
            OutboxStore.step(
                function, record: claim.record,
                ["error": .string(reason), "gave_up": .bool(givesUp), "may_have_left": .bool(mayHaveLeft)])
        }
    }

    // MARK: Failures

    private func fail(_ claim: OutboxClaim, _ notice: PlannedNotice, _ error: DeliveryError) async {
        let isLate = claim.secondsTried >= Self.secondsToTell
        if case .deferred(let delay) = error.kind, !isLate {
            await note(.deferred(delay, error.cause.map { OutboxStore.Failure($0, error.description) }), of: claim)
            wake(after: delay)
            return
        }
        let givesUp = error.kind == .permanent || claim.secondsTried >= Self.secondsToGiveUp
        let step =
            givesUp || isLate && !claim.isTold
            ? Self.failedStep(
                notice, claim, error.description, givesUp: givesUp, mayHaveLeft: claim.mayRepeat || error.isUnclear)
            : nil
        state.withLock { state in
            state.counts.failed += 1
            if givesUp { state.counts.gaveUp += 1 }
        }
        var metadata = claim.metadata
        if givesUp {
            logger.error("Gave up a message: \(error)", metadata: metadata)
            await note(
                .gaveUp(OutboxStore.Failure(error), isUnclear: error.isUnclear, tells: step != nil), of: claim,
                and: step)
            return
        }
        let pause = Self.pause(after: claim, error)
        metadata["retry_in"] = "\(pause)"
        logger.warning("Could not send a message: \(error)", metadata: metadata)
        await note(
            .failed(OutboxStore.Failure(error), retryAfter: pause, isUnclear: error.isUnclear, tells: step != nil),
            of: claim,
            and: step)
        wake(after: pause)
    }

    /// From a second to an hour, twice as long after each failure.
    private static func pause(after claim: OutboxClaim, _ error: DeliveryError) -> Duration {
        switch error.kind {
        case .deferred(let delay), .blocked(let delay): delay
        case .suspected(let delay): max(delay, pause(after: claim.failures))
        case .transient, .permanent: pause(after: claim.failures)
        }
    }

    private static func pause(after failures: Int) -> Duration {
        // Spread, so that messages that have failed together are not repeated together.
        let spread = Double.random(in: 1...1.25)
        return min(.seconds(1) * (1 << min(failures, 12)), longestPause) * spread
    }

    // MARK: Notes

    /// Notes an outcome, as often as it takes while the database is away.
    ///
    /// - Returns: whether this worker still has the claim.
    @discardableResult
    private func note(
        _ outcome: OutboxStore.Outcome, of claim: OutboxClaim, and further: Step? = nil
    ) async -> Bool {
        var outcome = outcome
        var further = further
        var isUnknown = false
        // Until the function of the domain is called again.
        var pause: Duration?
        while true {
            do throws(PostgresError) {
                try await store.note(outcome, of: claim, and: further)
                if let pause { wake(after: pause) }
                return true
            } catch {
                if error.isLostClaim {
                    if !isUnknown {
                        logger.warning(
                            "Another instance has claimed a message after its lease",
                            metadata: claim.metadata)
                    }
                    return false
                }
                if further != nil, error.isDelay {
                    // The function of the domain waits for a lock, or takes long. The lease would end meanwhile. What the
                    // receivers have answered is noted without it, so that the next attempt calls the function and does not
                    // send again what has left or was refused for good.
                    logger.warning(
                        "Could not note yet what became of a message: \(error)",
                        metadata: claim.metadata)
                    let isLast = claim.secondsTried >= Self.secondsToCall
                    pause = isLast ? nil : Self.pause(after: claim.failures)
                    outcome = outcome.without(further: "\(error)", retryAfter: pause)
                    further = nil
                    continue
                }
                if error.isRefusal {
                    // The function of the domain fails, or the answer cannot be stored. The message has left or has failed
                    // all the same, and must not be sent again for that.
                    logger.error(
                        "Could not note what became of a message: \(error)",
                        metadata: claim.metadata)
                    guard let plain = outcome.withoutAnswer("\(error)"), further != nil || outcome.hasAnswer else {
                        return false
                    }
                    outcome = plain
                    further = nil
                    continue
                }
                isUnknown = isUnknown || error.kind == .outcomeUnknown
                let isStopping = state.withLock { $0.isStopping }
                guard !isStopping, await Self.sleep(for: Self.notePause) else { return false }
            }
        }
    }
}

/// What became of the question whether a message may leave.
private final class Departure: Sendable {
    private let refused = Atomic(false)

    var isRefused: Bool { refused.load(ordering: .acquiring) }

    func noteOutcome(_ ask: () async -> Bool) async -> Bool {
        let isAllowed = await ask()
        if !isAllowed { refused.store(true, ordering: .releasing) }
        return isAllowed
    }
}

extension OutboxStore.Failure {
    fileprivate init(_ error: DeliveryError) { self.init(error.cause, error.description) }
}

extension OutboxStore.Outcome {
    fileprivate var hasAnswer: Bool {
        switch self {
        case .delivered, .sent(.some, _), .awaitsSent(.some, _, _): true
        default: false
        }
    }

    /// The same outcome, with the error in the place of the answer.
    fileprivate func withoutAnswer(_ error: String) -> Self? {
        switch self {
        case .sending: nil
        case .delivered: .delivered(.null)
        case .sent: .sent(nil, error: error)
        case .failed(let reason, let pause, let isUnclear, _):
            .failed(reason, retryAfter: pause, isUnclear: isUnclear, tells: true)
        case .awaitsSent: .sent(nil, error: error)
        case .deferred: nil
        case .gaveUp(let reason, let isUnclear, _), .awaitsFailed(let reason, let isUnclear, _):
            .gaveUp(reason, isUnclear: isUnclear, tells: true)
        }
    }

    /// What is noted when the function of the domain is not called for this outcome.
    ///
    /// - Parameter pause: the time until the function is called again; nil: it never is.
    fileprivate func without(further error: String, retryAfter pause: Duration?) -> Self {
        switch (self, pause) {
        case (.sent(let answer, _), let pause?): .awaitsSent(answer, error, retryAfter: pause)
        case (.sent(let answer, _), nil): .sent(answer, error: error)
        case (.failed(let reason, _, let isUnclear, _), let pause?):
            .failed(reason, retryAfter: pause, isUnclear: isUnclear, tells: false)
        case (.gaveUp(let reason, let isUnclear, _), let pause?):
            .awaitsFailed(reason, isUnclear: isUnclear, retryAfter: pause)
        default: self
        }
    }
}

extension PostgresError {
    /// Whether the transaction took too long, or waited for a lock for too long.
    fileprivate var isDelay: Bool { kind == .timeout || sqlState == "55P03" || sqlState == "57014" }

    /// Whether Postgres refuses the transaction for what it contains, so that the same one would be refused again.
    fileprivate var isRefusal: Bool {
        if kind == .invalidParameter { return true }
        guard kind == .server, let sqlState else { return false }
        return !["08", "53", "57", "40", "55", "25"].contains(String(sqlState.prefix(2)))
    }
}
