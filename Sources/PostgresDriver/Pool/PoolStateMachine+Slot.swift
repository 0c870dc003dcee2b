extension PoolStateMachine {
    /// What the pool knows of one connection, or of the place for one.
    struct Slot: Equatable {
        enum Phase: Equatable {
            case empty
            case connecting
            case ready
            case leased
            /// Gets no more requests and is closed once it is idle.
            case retiring
        }

        var phase: Phase
        private(set) var requests = 0
        private(set) var slowRequests = 0
        private(set) var writes = 0
        private(set) var cost = 0
        /// The share of its slow read.
        private(set) var slowShare: Share?
        /// Since when no statement has been answered of those under way.
        var silentSince: ContinuousClock.Instant?
        /// The share of the request that the server is working on.
        var headShare: Share?
        /// A statement is being cancelled. The cancel request could hit a request that is placed here.
        var isCancelling = false
        /// It is kept free for a lease.
        var isReserved = false

        var acceptsRequests: Bool { phase == .ready && !isCancelling && !isReserved }
        var isIdle: Bool { acceptsRequests && requests == 0 && silentSince == nil }

        init(phase: Phase = .empty) {
            self.phase = phase
        }

        mutating func add(_ demand: Demand, of share: Share?, cost: Int) {
            requests += 1
            self.cost += cost
            switch demand {
            case .slow, .unknown:
                slowRequests += 1
                if let share { slowShare = share }
            case .write: writes += 1
            case .quick, .lease: break
            }
        }

        mutating func remove(_ demand: Demand, cost: Int) {
            requests -= 1
            self.cost -= cost
            switch demand {
            case .slow, .unknown:
                slowRequests -= 1
                if slowRequests == 0 { slowShare = nil }
            case .write: writes -= 1
            case .quick, .lease: break
            }
        }
    }

    /// Whose requests one connection has.
    struct SlotShares {
        private(set) var ofWrites: [Share] = []
        private(set) var ofAll = ShareCounts()

        mutating func add(_ demand: Demand, of share: Share) {
            ofAll.add(share)
            if demand == .write { ofWrites.append(share) }
        }

        mutating func remove(_ demand: Demand, of share: Share) {
            ofAll.remove(share)
            if demand == .write, let first = ofWrites.firstIndex(of: share) { ofWrites.remove(at: first) }
        }
    }
}
