import DomainKit
import RPCServer
import Synchronization

/// Holds mails back while the mail server takes none. Otherwise each of hundreds of waiting mails would be an attempt, and the mail
/// server might lock a login that it refuses so often.
///
/// After a failure that concerns every mail, one mail at a time tries: after a second, then after twice as long each time, up to
/// five minutes. The others are put off until it has left.
///
/// Some failures may concern one mail or all of them. Such a one closes the gate when a mail to another recipient meets it, too,
/// and none was taken in between. Until then it holds up its own mail only.
final class MailGate: Sendable {
    /// A failure that concerns every mail.
    struct Fault: Sendable {
        let cause: FailureCause
        let description: String
    }

    /// What a failure is that may concern one mail or all of them.
    enum Doubt: Sendable, Equatable {
        /// About this mail: another one was taken since it was first refused, or it alone was refused for long enough.
        case refused
        /// Not known yet: the mail is to be tried again.
        case unknown
        /// About every mail, which all wait for so long.
        case common(pause: Duration, isFirst: Bool)
    }

    private struct State: Sendable {
        /// Nil while mails leave.
        var fault: Fault?
        var failures = 0
        var closedUntil = ContinuousClock.now
        /// Whether a mail tries while the others wait.
        var isTried = false
        /// When the server last took a mail.
        var lastTaken: ContinuousClock.Instant?
        /// The recipients that met each failure, and since when.
        var suspicions: [String: [String: ContinuousClock.Instant]] = [:]

        mutating func open() {
            fault = nil
            failures = 0
            isTried = false
        }

        /// - Returns: how long mails wait, and whether this is the first failure.
        mutating func close(
            for fault: Fault, hasTried: Bool, at now: ContinuousClock.Instant
        ) -> (pause: Duration, isFirst: Bool) {
            let isFirst = self.fault == nil
            self.fault = fault
            // Mails that were under way together fail together: that is one failure.
            if isFirst || hasTried {
                let pause = min(.seconds(1) * (1 << min(failures, 10)), MailGate.longestPause)
                failures += 1
                closedUntil = now + pause
                isTried = false
            }
            return (max(closedUntil - now, .milliseconds(100)), isFirst)
        }
    }

    private static let longestPause: Duration = .seconds(300)
    /// A mail that alone meets a refusal for so long has met it for good.
    private static let doubtTime: Duration = .seconds(900)
    /// More recipients that meet the same refusal would say no more.
    private static let mostRecipients = 1_000
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

    /// The next mail tries at once.
    func knock() { state.withLock { $0.closedUntil = .now } }

    /// Notes that the server has taken a mail, or refused it alone.
    ///
    /// - Returns: whether it took none before.
    func open(hasTaken: Bool, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            defer {
                state.open()
                if hasTaken { state.lastTaken = now }
            }
            return state.fault != nil
        }
    }

    /// Notes a failure that may concern this mail or every mail.
    ///
    /// - Parameter fault: with the same description for the same failure.
    func doubt(
        _ fault: Fault, of recipient: String, hasTried: Bool, at now: ContinuousClock.Instant = .now
    ) -> Doubt {
        state.withLock { state in
            let isKnown = state.fault?.description == fault.description
            // The server has got further than with the failure before.
            if hasTried, !isKnown { state.open() }
            var met = state.suspicions[fault.description] ?? [:]
            defer { state.suspicions[fault.description] = met }
            let taken = state.lastTaken
            func isCurrent(_ time: ContinuousClock.Instant) -> Bool { taken.map { time > $0 } ?? true }
            if let since = met[recipient] {
                guard isCurrent(since), met.count > 1 || now - since < Self.doubtTime else {
                    met[recipient] = nil
                    return .refused
                }
            } else if met.count < Self.mostRecipients {
                met[recipient] = now
            }
            guard isKnown || met.contains(where: { $0.key != recipient && isCurrent($0.value) }) else {
                return .unknown
            }
            let (pause, isFirst) = state.close(for: fault, hasTried: hasTried, at: now)
            return .common(pause: pause, isFirst: isFirst)
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
        state.withLock { $0.close(for: fault, hasTried: hasTried, at: .now) }
    }
}
