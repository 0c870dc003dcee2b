/// How long to leave a server alone that does not answer: doubling, bounded, and never in step with other clients.
struct Backoff {
    static let first = 50
    static let longest = 500

    private var attempt = 0

    /// - Parameter chance: from 0 up to 1, where between the half and the whole of the delay to land.
    mutating func failed(chance: Double) -> Duration {
        let full = min(Self.longest, Self.first << min(attempt, 10))
        attempt += 1
        return .milliseconds(full / 2 + Int(chance * Double(full - full / 2)))
    }

    mutating func succeeded() {
        attempt = 0
    }
}
