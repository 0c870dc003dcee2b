import Synchronization

/// The connections of one client and the calls that wait for them: carries out what `Pool` decides.
@Reactor
final class ConnectionPool {
    enum Life {
        case fresh
        case open
        case closing(until: ContinuousClock.Instant)
        case closed
    }

    nonisolated let configuration: PostgresClient.Configuration
    nonisolated let mailbox: Mailbox
    /// The connection where quick reads gather has all it may have under way: what is submitted now could not be sent
    /// at once, and the reply that makes room wakes the driver's thread anyway.
    nonisolated let isFull = Atomic<Bool>(false)

    /// Something happened that may let a call go on.
    var isDirty = false
    /// When something is to be done without anything having happened.
    var due: ContinuousClock.Instant?

    var decisions: Pool
    var links: [Link?]
    /// What the better runs of all statements take: on a machine with too much to do, long.
    var usual = BetterRuns()
    /// One queue per demand.
    var waiting = [FIFO<Call>](repeating: FIFO(), count: Pool.Demand.allCases.count)
    /// Transactions that yielded to another and try again a little later.
    var delayed: [(due: ContinuousClock.Instant, call: Call)] = []
    /// Not later than the first deadline of all calls.
    var nextExpiry: ContinuousClock.Instant?
    /// Cancel requests that have not returned, also of connections that are gone.
    var cancelsUnderWay = 0
    /// A thread is asking the server for a sign of life.
    var isAskingForLife = false
    var lastQuestion: ContinuousClock.Instant?
    /// Why there was no connection the last time.
    var lastFailure: String?
    var lastMove: ContinuousClock.Instant?
    var life = Life.fresh
    var closers: [UnsafeContinuation<Void, Never>] = []
    /// By the identity of their outlets.
    var listeners: [ObjectIdentifier: Listener] = [:]

    nonisolated init(_ configuration: PostgresClient.Configuration) {
        self.configuration = configuration
        mailbox = Reactor.mailbox
        let size = max(1, configuration.poolSize)
        decisions = Pool(size: size)
        links = Array(repeating: nil, count: size)
    }

    var loop: EventLoop { EventLoop.shared }

    func report(_ event: PostgresEvent) {
        configuration.onEvent?(event)
    }

    // MARK: Calls come and go

    func submit(_ call: Call, _ now: ContinuousClock.Instant) {
        if case .fresh = life {
            life = .open
            loop.add(self)
        }
        call.isSubmitted = true
        isDirty = true
        if case .release(let lease) = call.kind { return release(lease, call) }
        if let kind = call.stopped { return loop.finish(call, .failed(PostgresError(kind))) }
        if let deadline = call.deadline, deadline <= now {
            return loop.finish(call, .failed(PostgresError(.timeout, cause: "its deadline had passed before it began")))
        }
        if let lease = call.lease { return submit(call, on: lease) }
        guard case .open = life else { return loop.finish(call, .failed(.shutDown)) }
        call.patience = now + configuration.acquireTimeout
        noteExpiry(of: call)
        enqueue(call)
    }

    private func submit(_ call: Call, on lease: Lease) {
        guard !lease.hasEnded else {
            return loop.finish(call, .failed(PostgresError(.closed, cause: "the connection was given back")))
        }
        guard !lease.link.isLost else {
            return loop.finish(call, .failed(PostgresError(.connectionLost, isRetrySafe: true)))
        }
        noteExpiry(of: call)
        call.place = .placed
        call.link = lease.link
        lease.link.backlog.append(call)
    }

    /// Puts a call in line for a connection.
    func enqueue(_ call: Call, atFront: Bool = false) {
        isDirty = true
        call.place = .waiting
        call.link = nil
        call.waitingSince = loop.now
        (call.demand, call.cost) = call.estimate(usual)
        if atFront {
            waiting[call.demand.rawValue].prepend(call)
        } else {
            waiting[call.demand.rawValue].append(call)
        }
    }

    func noteExpiry(of call: Call) {
        if let expiry = call.expiry { nextExpiry = nextExpiry.map { min($0, expiry) } ?? expiry }
    }

    /// Takes back what a connection was given and has not sent.
    func reclaim(_ link: Link) {
        for call in link.backlog.drain().reversed() {
            unplace(call, from: link)
            enqueue(call, atFront: true)
        }
    }

    func unplace(_ call: Call, from link: Link) {
        if call.lease == nil { decisions.left(link.slot, demand: call.demand, cost: call.cost) }
        call.leave()
    }
}

extension PostgresError {
    static let shutDown = PostgresError(.closed, cause: "the client was shut down")
}
