import DomainKit
import RPCServer
import Synchronization

/// Holds mails back while the mail server takes none. Otherwise each of hundreds of waiting mails would be an attempt, and the mail
/// server might lock a login that it refuses so often.
///
/// After a failure that concerns every mail, one mail at a time tries: after a second, then after twice as long each time, up to
/// five minutes. The others are put off until it has left.
final class MailGate: Sendable {
    /// A failure that concerns every mail.
    struct Fault: Sendable {
        let cause: FailureCause
        let description: String
    }

    private struct State: Sendable {
        /// Nil while mails leave.
        var fault: Fault?
        var failures = 0
        var closedUntil = ContinuousClock.now
        /// Whether a mail tries while the others wait.
        var isTried = false
    }

    private static let longestPause: Duration = .seconds(300)
    private let state = Mutex(State())

    /// - Returns: whether this is the mail that tries.
    /// - Throws: a deferral if mails wait for another one.
    func enter() throws(DeliveryError) -> Bool {
        let outcome: Result<Bool, DeliveryError> = state.withLock { state in
            guard let fault = state.fault else { return .success(false) }
            let pause = state.closedUntil - .now
            guard pause > .zero || state.isTried else {
                state.isTried = true
                return .success(true)
            }
            // Spread, so that the mails that wait do not all come at once.
            let delay = max(pause, .seconds(1)) * Double.random(in: 1...1.25)
            return .failure(DeliveryError(.deferred(delay), fault.cause, fault.description))
        }
        return try outcome.get()
    }

    /// Notes that the server has taken a mail, or refused it alone.
    ///
    /// - Returns: whether it took none before.
    func open() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.fault != nil
        }
    }

    /// Notes that the mail that tried has ended without showing whether the server takes mails.
    func leave(hasTried: Bool) {
        guard hasTried else { return }
        state.withLock { $0.isTried = false }
    }

    /// Notes a failure that concerns every mail.
    ///
    /// - Returns: how long mails wait, and whether this is the first failure.
    func close(for fault: Fault, hasTried: Bool) -> (pause: Duration, isFirst: Bool) {
        state.withLock { state in
            let isFirst = state.fault == nil
            state.fault = fault
            // Mails that were under way together fail together: that is one failure.
            if isFirst || hasTried {
                let pause = min(.seconds(1) * (1 << min(state.failures, 10)), Self.longestPause)
                state.failures += 1
                state.closedUntil = .now + pause
                state.isTried = false
            }
            return (max(state.closedUntil - .now, .milliseconds(100)), isFirst)
        }
    }
}
