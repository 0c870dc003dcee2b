/// What the driver's thread looks after beside pools: a socket of its own, and things to do in time.
@Reactor
protocol EventSource: AnyObject {
    var id: UInt64 { get }
    /// When `onTimer` has something to do.
    var timerDeadline: ContinuousClock.Instant? { get }
    func onTimer(_ now: ContinuousClock.Instant)
    func onReady(readable: Bool, writable: Bool, _ now: ContinuousClock.Instant)
}
