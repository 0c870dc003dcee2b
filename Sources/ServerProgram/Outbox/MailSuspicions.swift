/// Which recipients have met which failures, to tell whether a failure concerns one mail or every mail.
///
/// A failure concerns every mail when two recipients meet it and no mail was taken in between. It concerns the mail of a recipient
/// that meets it again after another mail was taken, or that alone meets it for a quarter of an hour. For some hours such a
/// recipient says nothing about others: otherwise two bad addresses would stop all mails again and again.
struct MailSuspicions: Sendable {
    enum Finding: Sendable, Equatable {
        case message
        case unknown
        /// - Parameter recipients: how many have met it.
        case common(recipients: Int)
    }

    /// The recipients that have met a failure, and when.
    private struct Failure: Sendable {
        var first: [String: ContinuousClock.Instant] = [:]
        var alone: [String: ContinuousClock.Instant] = [:]
    }

    /// A mail that alone meets a failure for so long has met it for good.
    private static let doubtTime: Duration = .seconds(900)
    private static let memory: Duration = .seconds(6 * 3_600)
    /// More would say no more.
    private static let mostRecipients = 1_000
    private static let mostFailures = 100

    /// When the server last took a mail.
    var lastTaken: ContinuousClock.Instant?
    private var failures: [String: Failure] = [:]

    /// Whether the recipient has met the failure.
    func knows(_ recipient: String, _ description: String) -> Bool {
        failures[description].map { $0.first[recipient] != nil || $0.alone[recipient] != nil } ?? false
    }

    /// Notes that a recipient has met a failure.
    ///
    /// - Parameter isCommon: whether mails wait because of the same failure.
    mutating func note(
        _ description: String, of recipient: String, isCommon: Bool, at now: ContinuousClock.Instant
    ) -> Finding {
        if failures.count >= Self.mostFailures, failures[description] == nil { failures = [:] }
        var failure = failures[description] ?? Failure()
        defer { failures[description] = failure }
        let taken = lastTaken
        func isCurrent(_ time: ContinuousClock.Instant) -> Bool { taken.map { time > $0 } ?? true }

        if let last = failure.alone[recipient], now - last < Self.memory {
            failure.alone[recipient] = now
            guard isCommon else { return .message }
        } else if let first = failure.first[recipient] {
            guard isCurrent(first), failure.first.count > 1 || now - first < Self.doubtTime else {
                failure.first[recipient] = nil
                failure.alone[recipient] = now
                return .message
            }
        } else if failure.first.count < Self.mostRecipients {
            failure.first[recipient] = now
        }
        let others = failure.first.count { $0.key != recipient && isCurrent($0.value) }
        return isCommon || others > 0 ? .common(recipients: others + 1) : .unknown
    }
}
