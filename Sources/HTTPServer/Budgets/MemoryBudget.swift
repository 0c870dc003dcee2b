/// Shares the memory for bytes of one kind, received bodies or unsent responses, between connections.
///
/// No connection and no address can take all of it, and anonymous clients together only a part. When a share or the whole
/// is full, the connections that hold bytes and have made no progress for the longest are closed, so that a client which
/// sends or reads at once finds room. A connection that has just made progress is not closed; if there is no other, the
/// newcomer is refused.
///
/// The budget is pure: it reads no clock, and its owner closes the connections that it names.
struct MemoryBudget {
    /// A point in time, in nanoseconds.
    typealias Time = UInt64

    /// In bytes.
    struct Limits: Sendable {
        var total: Int
        /// Of all requests without a valid access token.
        var anonymous: Int
        var address: Int
        var connection: Int
        /// How long a connection must have made no progress before it may be closed, in nanoseconds.
        var stallTime: Time = 1_000_000_000
    }

    /// The one who asks for bytes.
    struct Claim: Sendable {
        let connection: ConnectionID
        let address: AddressShare
        let isAnonymous: Bool
    }

    private struct Holder {
        let address: AddressShare
        var bytes = 0
        /// How many of `bytes` belong to requests without a valid access token.
        var anonymousBytes = 0
        var progressAt: Time
        /// Whether the bytes wait for the client. Otherwise they wait for the server, and the connection is not closed.
        var awaitsClient = true

        func givesWay(at now: Time, after stallTime: Time) -> Bool { awaitsClient && progressAt + stallTime <= now }
    }

    private let limits: Limits
    private var holders: [ConnectionID: Holder] = [:]
    private var addresses: [AddressShare: Int] = [:]
    private var anonymousBytes = 0
    private(set) var bytesHeld = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Reserves `bytes` for a client that has just sent or read.
    /// - Returns: the connections to be closed; their bytes are free already. Nil when there is no room.
    mutating func reserve(_ bytes: Int, for claim: Claim, now: Time) -> [ConnectionID]? {
        var holder = holders[claim.connection] ?? Holder(address: claim.address, progressAt: now)
        let address = holder.address
        guard holder.bytes + bytes <= limits.connection else { return nil }
        var closed: [ConnectionID] = []
        if claim.isAnonymous {
            let excess = anonymousBytes + bytes - limits.anonymous
            guard free(excess, of: \.anonymousBytes, for: claim, now, &closed, where: { _ in true }) else { return nil }
        }
        let excess = (addresses[address] ?? 0) + bytes - limits.address
        guard free(excess, of: \.bytes, for: claim, now, &closed, where: { $0.address == address }),
            free(bytesHeld + bytes - limits.total, of: \.bytes, for: claim, now, &closed, where: { _ in true })
        else { return nil }
        for id in closed { remove(id) }
        holder.bytes += bytes
        holder.progressAt = now
        holder.awaitsClient = true
        if claim.isAnonymous {
            holder.anonymousBytes += bytes
            anonymousBytes += bytes
        }
        holders[claim.connection] = holder
        add(bytes, to: address)
        bytesHeld += bytes
        return closed
    }

    /// Adds the connections to `closed` that must be closed to free `excess` bytes: those without progress for the longest.
    /// - Parameter part: which bytes of a connection count.
    /// - Returns: false when all that may be closed do not hold so many.
    private func free(
        _ excess: Int, of part: (Holder) -> Int, for claim: Claim, _ now: Time, _ closed: inout [ConnectionID],
        where matches: (Holder) -> Bool
    ) -> Bool {
        guard excess > 0 else { return true }
        var excess = excess
        for id in closed {
            if let holder = holders[id], matches(holder) { excess -= part(holder) }
        }
        while excess > 0 {
            var stalest: (id: ConnectionID, holder: Holder)?
            for (id, holder) in holders where part(holder) > 0 && matches(holder) {
                guard id != claim.connection, holder.givesWay(at: now, after: limits.stallTime), !closed.contains(id)
                else { continue }
                if let stalest, (stalest.holder.progressAt, stalest.id) < (holder.progressAt, id) { continue }
                stalest = (id, holder)
            }
            guard let stalest else { return false }
            excess -= part(stalest.holder)
            closed.append(stalest.id)
        }
        return true
    }

    /// Gives bytes back, which counts as progress. A connection that was closed for others has none.
    mutating func release(_ bytes: Int, of claim: Claim, now: Time) {
        guard var holder = holders[claim.connection] else { return }
        guard holder.bytes > bytes else { return remove(claim.connection) }
        holder.bytes -= bytes
        holder.progressAt = now
        bytesHeld -= bytes
        add(-bytes, to: holder.address)
        if claim.isAnonymous {
            let anonymous = min(bytes, holder.anonymousBytes)
            holder.anonymousBytes -= anonymous
            anonymousBytes -= anonymous
        }
        holders[claim.connection] = holder
    }

    /// The client has done its part: the bytes now wait for the server.
    mutating func clientFinished(_ connection: ConnectionID) {
        holders[connection]?.awaitsClient = false
    }

    mutating func remove(_ connection: ConnectionID) {
        guard let holder = holders.removeValue(forKey: connection) else { return }
        bytesHeld -= holder.bytes
        anonymousBytes -= holder.anonymousBytes
        add(-holder.bytes, to: holder.address)
    }

    private mutating func add(_ bytes: Int, to address: AddressShare) {
        let sum = (addresses[address] ?? 0) + bytes
        addresses[address] = sum > 0 ? sum : nil
    }
}
