import DomainKit
import Outbox
import RPCServer
import Synchronization

/// Holds mails back while the mail server takes none. Otherwise each of hundreds of waiting mails would be an attempt, and the mail
/// server might lock a login that it refuses so often.
///
/// After a failure that concerns every mail, one mail at a time tries: after a second, then after twice as long each time, up to
/// five minutes. The others are put off until it has left.
///
/// Some failures may concern one mail or all of them: ``MailSuspicions`` tells. While the gate is closed for such a one, a recipient
/// that has not met it tries at once, so that two bad addresses hold up nobody. Each further recipient that meets it makes the next
/// one wait for twice as long.
final class MailGate: Sendable {
    /// A failure that concerns every mail.
    struct Fault: Sendable {
        let cause: FailureCause
        /// The same for the same failure.
        let description: String
    }

    /// The right to one attempt, which ends with ``leave(_:_:_:at:)``.
    struct Pass: Sendable, Equatable {
        fileprivate let number: Int
        /// Nil while mails leave.
        fileprivate let trial: Int?
    }

    /// How an attempt has ended.
    enum Outcome: Sendable {
        /// The server has taken the mail.
        case taken
        /// The server refuses this mail for what it is, and takes others.
        case refused
        /// It says nothing about the server.
        case interrupted
        case common(Fault)
        /// A failure of this mail or of every mail.
        case doubtful(Fault)
    }

    /// What an outcome says about this mail and the others.
    enum Verdict: Sendable, Equatable {
        /// Mails leave.
        ///
        /// - Parameter hasOpened: whether they did not before.
        case open(hasOpened: Bool)
        /// The failure is about this mail.
        case message
        /// Not known yet: the mail is to be tried again.
        case unknown
        /// All mails wait for so long.
        case closed(pause: Duration, isFirst: Bool)
    }

    private struct State: Sendable {
        /// Nil while mails leave.
        var fault: Fault?
        /// Of mails that tried, one after the other.
        var failures = 0
        var closedUntil = ContinuousClock.now
        /// When a recipient may try that has not met the fault; nil if the fault is one of every mail.
        var newcomersFrom: ContinuousClock.Instant?
        /// The mail that tries while the others wait.
        var trial: (number: Int, start: ContinuousClock.Instant)?
        var trials = 0
        var suspicions = MailSuspicions()
        /// When each mail that is under way got its pass.
        var underWay: [Int: ContinuousClock.Instant] = [:]
        var passes = 0

        mutating func pass(trial: Int?, at now: ContinuousClock.Instant) -> Pass {
            passes += 1
            underWay[passes] = now
            return Pass(number: passes, trial: trial)
        }

        mutating func open() -> Verdict {
            defer { (fault, failures, newcomersFrom) = (nil, 0, nil) }
            return .open(hasOpened: fault != nil)
        }

        mutating func close(
            for fault: Fault, newcomersAfter delay: Duration? = nil, wasTrial: Bool, at now: ContinuousClock.Instant
        ) -> Verdict {
            let isFirst = self.fault == nil
            self.fault = fault
            newcomersFrom = delay.map { now + $0 }
            // Mails that were under way together fail together: that is one failure.
            if isFirst || wasTrial {
                closedUntil = now + MailGate.pause(after: failures)
                failures += 1
            }
            return .closed(pause: max(closedUntil - now, .milliseconds(100)), isFirst: isFirst)
        }
    }

    private static let longestPause: Duration = .seconds(300)
    /// A mail that tries for longer holds up no other. It is longer than an attempt, but for one whose content the server examines.
    private static let longestTrial: Duration = .seconds(180)
    /// How many mails are slow at the same time. Other messages have places beside them, also while a mail server takes minutes
    /// for each.
    private static let mostSlow = 6
    private static let slow: Duration = .seconds(30)
    private let state = Mutex(State())

    private static func pause(after failures: Int) -> Duration {
        min(.seconds(1) * (1 << min(failures, 10)), longestPause)
    }

    /// - Throws: a deferral if mails wait for another one, or for a place.
    func enter(_ recipient: String, at now: ContinuousClock.Instant = .now) throws(DeliveryError) -> Pass {
        let outcome: Result<Pass, DeliveryError> = state.withLock { state in
            guard state.underWay.values.count(where: { now - $0 > Self.slow }) < Self.mostSlow else {
                let delay: Duration = .seconds(Double.random(in: 5...10))
                return .failure(DeliveryError(.deferred(delay), nil, "the mail server has no place for a further mail"))
            }
            guard let fault = state.fault else { return .success(state.pass(trial: nil, at: now)) }
            var opening = state.closedUntil
            if let newcomersFrom = state.newcomersFrom, !state.suspicions.knows(recipient, fault.description) {
                opening = min(opening, newcomersFrom)
            }
            let isTried = state.trial.map { now - $0.start < Self.longestTrial } ?? false
            guard isTried || now < opening else {
                state.trials += 1
                state.trial = (state.trials, now)
                return .success(state.pass(trial: state.trials, at: now))
            }
            // Spread, so that the mails that wait do not all come at once.
            let delay = max(opening - now, .seconds(1)) * Double.random(in: 1...1.25)
            return .failure(DeliveryError(.deferred(delay), fault.cause, fault.description))
        }
        return try outcome.get()
    }

    func leave(
        _ pass: Pass, _ recipient: String, _ outcome: Outcome, at now: ContinuousClock.Instant = .now
    ) -> Verdict {
        state.withLock { state in
            state.underWay[pass.number] = nil
            let wasTrial = pass.trial != nil && pass.trial == state.trial?.number
            if wasTrial { state.trial = nil }
            switch outcome {
            case .taken:
                state.suspicions.lastTaken = now
                return state.open()
            case .refused: return state.open()
            case .interrupted: return .unknown
            case .common(let fault): return state.close(for: fault, wasTrial: wasTrial, at: now)
            case .doubtful(let fault):
                let isKnown = state.fault?.description == fault.description
                // The server has got further than with the failure before.
                if wasTrial, !isKnown { _ = state.open() }
                let finding = state.suspicions.note(fault.description, of: recipient, isCommon: isKnown, at: now)
                switch finding {
                case .message: return .message
                case .unknown: return .unknown
                case .common(let count):
                    let delay: Duration = count > 2 ? Self.pause(after: count - 3) : .zero
                    return state.close(for: fault, newcomersAfter: delay, wasTrial: wasTrial, at: now)
                }
            }
        }
    }

    /// The next mail tries at once, also while another one does.
    func knock() {
        state.withLock { state in
            state.closedUntil = .now
            state.trial = nil
        }
    }
}
