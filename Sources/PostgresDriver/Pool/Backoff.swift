/// Delays between attempts to connect to a server that does not answer: exponential, bounded, with jitter, so that clients
/// do not connect in step.
struct Backoff {
    /// In milliseconds.
    static let first = 50
    /// In milliseconds.
    static let longest = 500

    private var attempt = 0

    /// - Parameter chance: a random number from 0 up to 1, which picks a delay between half and all of the current one.
    mutating func failed(chance: Double) -> Duration {
        let full = min(Self.longest, Self.first << min(attempt, 10))
        attempt += 1
        return .milliseconds(full / 2 + Int(chance * Double(full - full / 2)))
    }

    mutating func succeeded() {
        attempt = 0
    }
}
