/// How many bytes the results in one HTTP answer may take, all members of a batch together. Error objects are small and
/// come on top.
struct AnswerRoom: Sendable {
    private let max: Int
    /// Bytes written and taken back, since they became too many.
    private var wasted = 0

    init(max: Int) {
        self.max = max
    }

    /// The index in the answer's buffer that a result begun at `start` does not pass.
    ///
    /// Once results that had to be taken back have cost as much as a whole answer, each further one gets a small part
    /// of the room only: a batch of such would hold everybody up.
    func end(from start: Int) -> Int {
        wasted < max ? max : min(max, start + max / 64)
    }

    /// What a result that does not fit is told.
    func refusal(isWritten: Bool) -> WireError {
        let remedy = "demandez moins de lignes ou de champs"
        let excess = "la réponse dépasserait \(max >> 20)\u{A0}Mio"
        let message =
            isWritten
            ? "L'enregistrement a été fait, mais \(excess)\u{A0}: \(remedy)."
            : "La réponse dépasserait \(max >> 20)\u{A0}Mio\u{A0}: \(remedy)."
        return WireError(.limitExceeded, message, .text("limit", "cost"), .number("max", max))
    }

    mutating func takeBack(_ bytes: Int) {
        wasted += bytes
    }
}
