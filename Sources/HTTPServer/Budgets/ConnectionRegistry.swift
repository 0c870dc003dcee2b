import NIOCore
import Synchronization

/// The open connections of a server and the memory that they hold: the one place where the connections of all event loops
/// meet. Requests and responses of up to ``uncountedBytes`` do not come here.
final class ConnectionRegistry: Sendable {
    /// Bodies and responses up to this size, in bytes, always find room.
    static let uncountedBytes = 8 * 1_024

    /// What bytes are held for.
    enum Kind: Sendable {
        case received
        case unsent
    }

    /// What ends a connection for another one. Only the registry holds it, and only while the connection is open, because
    /// it refers to all that belongs to the connection.
    typealias GiveWay = @Sendable (RegisteredConnection.Reason) -> Void

    private struct Member {
        let connection: RegisteredConnection
        let giveWay: GiveWay
    }

    private struct State {
        var opened: UInt64 = 0
        var limit: ConnectionLimit
        var received: MemoryBudget
        var unsent: MemoryBudget
        var members: [ConnectionID: Member] = [:]
        var refusals = ServerLoad.Refusals()

        subscript(kind: Kind) -> MemoryBudget {
            get { kind == .received ? received : unsent }
            _modify { if kind == .received { yield &received } else { yield &unsent } }
        }
    }

    private let state: Mutex<State>

    init(_ configuration: HTTPConfiguration) {
        state = Mutex(
            State(
                limit: ConnectionLimit(
                    total: configuration.maxConnections, perAddress: configuration.maxConnectionsPerAddress),
                received: MemoryBudget(configuration.receivedBytes), unsent: MemoryBudget(configuration.unsentBytes)))
    }

    var count: Int { state.withLock { $0.limit.count } }

    var refusals: ServerLoad.Refusals { state.withLock { $0.refusals } }

    func bytesHeld(_ kind: Kind) -> Int { state.withLock { $0[kind].bytesHeld } }

    // MARK: Connections

    /// - Parameters:
    ///   - isBounded: whether the limit of one address applies.
    ///   - giveWay: ends the connection for another one; called on any thread.
    func open(
        _ address: AddressShare, isBounded: Bool, giveWay: @escaping GiveWay
    ) -> RegisteredConnection {
        let now = NIODeadline.now().uptimeNanoseconds
        let (connection, closing) = state.withLock { state in
            state.opened += 1
            let id = ConnectionID(number: state.opened)
            let connection = RegisteredConnection(id, address, now: now)
            state.members[id] = Member(connection: connection, giveWay: giveWay)
            let members = state.members
            let closing = state.limit.opened(id, from: address, isBounded: isBounded, now: now) { id in
                members[id]?.connection.activity ?? ConnectionActivity(kind: .answering, since: now)
            }
            if closing != nil { state.refusals.connections += 1 }
            return (connection, closing.flatMap { state.members[$0] })
        }
        closing?.giveWay(.place)
        return connection
    }

    /// The connection was to end for another one, but has received a request meanwhile.
    func stayedOpen(_ connection: RegisteredConnection) {
        state.withLock { $0.limit.stayedOpen(connection.id) }
    }

    /// The connection has ended. Requests that it has received may still be held: they are counted until they are released.
    func close(_ connection: RegisteredConnection) {
        state.withLock { state in
            state.members[connection.id] = nil
            state.limit.closed(connection.id)
            state.received.clientFinished(connection.id)
            state.unsent.remove(connection.id)
        }
    }

    // MARK: Memory

    /// - Returns: false when there is no room.
    func reserve(_ bytes: Int, _ kind: Kind, for claim: MemoryBudget.Claim) -> Bool {
        let now = NIODeadline.now().uptimeNanoseconds
        let closing: [Member]? = state.withLock { state in
            let closing = state[kind].reserve(bytes, for: claim, now: now)
            if closing == nil { state.refusals.memory += 1 }
            return closing?.compactMap { state.members[$0] }
        }
        for member in closing ?? [] { member.giveWay(.memory) }
        return closing != nil
    }

    /// Gives bytes back; none of them still is progress.
    func release(_ bytes: Int, _ kind: Kind, of claim: MemoryBudget.Claim) {
        let now = NIODeadline.now().uptimeNanoseconds
        state.withLock { $0[kind].release(bytes, of: claim, now: now) }
    }

    /// The client has sent the whole request.
    func clientFinished(_ claim: MemoryBudget.Claim) {
        state.withLock { $0.received.clientFinished(claim.connection) }
    }
}

/// A connection as the others see it.
final class RegisteredConnection: Sendable {
    /// Why a connection ends for another one.
    enum Reason: Sendable {
        case place
        case memory
    }

    let id: ConnectionID
    let address: AddressShare
    /// The time in nanoseconds. Its lowest two bits are the kind.
    private let packedActivity: Atomic<UInt64>

    init(_ id: ConnectionID, _ address: AddressShare, now: UInt64) {
        self.id = id
        self.address = address
        packedActivity = Atomic(now & ~3)
    }

    var activity: ConnectionActivity {
        let packed = packedActivity.load(ordering: .relaxed)
        return ConnectionActivity(kind: .init(rawValue: packed & 3) ?? .answering, since: packed & ~3)
    }

    func note(_ activity: ConnectionActivity) {
        packedActivity.store(activity.since & ~3 | activity.kind.rawValue, ordering: .relaxed)
    }
}
