/// What the driver's thread looks after beside pools: a socket of its own, and things to do in time.
@Reactor
protocol Attended: AnyObject {
    var id: UInt64 { get }
    /// When `attend` has something to do.
    var due: ContinuousClock.Instant? { get }
    func attend(_ now: ContinuousClock.Instant)
    func isReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant)
}
