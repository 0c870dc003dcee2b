/// Whether a connection on which nothing moves is dead, though its server lives: a pure machine.
///
/// One look proves nothing, because something may be on its way. Two do, between which nothing has moved: the session
/// waits for its client, which waits for it; or the other end's host owes an acknowledgement and is not heard of.
struct Stillness {
    typealias Instant = ContinuousClock.Instant

    /// What must not have changed from one look to the next.
    struct Marks: Equatable {
        /// When something came the last time, or the first was sent.
        var progress: Instant
        /// How often the socket has taken something it had no room for before.
        var drains = 0
        /// Bytes the kernel holds of what was sent.
        var held = 0
    }

    /// How far apart two looks must be. Whatever is delayed for longer than this is taken for lost.
    static let proof: Duration = .seconds(2)
    /// A session that works is looked at again when it has been silent for half as long again, within these bounds.
    private static let again: ClosedRange<Duration> = .milliseconds(1_500)...(.seconds(30))

    private var marks: Marks?
    private var awaitingSince: Instant?
    private var owingSince: Instant?
    private var nextLook: Instant?

    /// Whether another look may prove it dead: soon is better than late.
    var isSuspect: Bool { awaitingSince != nil || owingSince != nil }

    /// Whether a look may tell something new.
    func isDue(_ marks: Marks, _ now: Instant) -> Bool {
        guard marks.progress == self.marks?.progress, let nextLook else { return true }
        return now >= nextLook
    }

    /// Takes note of a look.
    /// - Parameter unheardSince: see `Outgoing`.
    /// - Returns: whether it is dead.
    mutating func look(
        _ session: ServerSession.State, _ marks: Marks, unheardSince: Instant?, _ now: Instant
    ) -> Bool {
        if self.marks != marks { awaitingSince = nil }
        self.marks = marks
        switch session {
        case .awaitingClient: awaitingSince = awaitingSince ?? now
        case .working: awaitingSince = nil
        // A server that could not be asked has not taken anything back.
        case .unknown: break
        }
        if let owing = owingSince, let unheardSince, unheardSince <= owing {
        } else {
            owingSince = unheardSince == nil ? nil : now
        }
        let pause = (now - marks.progress) / 2
        nextLook = isSuspect ? now : now + min(max(pause, Self.again.lowerBound), Self.again.upperBound)
        // What was seen once may be over by the time when the server cannot be asked.
        let lastWord = session == .awaitingClient ? awaitingSince : nil
        return [lastWord, owingSince].contains { $0.map { now - $0 >= Self.proof } ?? false }
    }
}
