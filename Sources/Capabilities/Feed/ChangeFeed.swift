import Auth
import HTTPServer
package import PostgresDriver
package import RPCServer
import Synchronization

/// Sends every committed change to the listeners that may read it.
///
/// One poller reads the changes of the database four times a second, as long as there are listeners, and sends each of
/// them to all listeners with the same rights as the same bytes. A listener that continues from an earlier position first
/// catches up by pages of its own, each read when the one before has left, and then joins the others.
package final class ChangeFeed: Sendable {
    package struct Configuration: Sendable {
        /// The time between two reads of the database.
        package var interval: Duration = .milliseconds(250)
        /// How long changes are kept.
        package var retention: Duration = .seconds(7 * 86_400)
        /// How many listeners there may be. A newcomer then takes the place of the account that has the most.
        package var maxListeners = 3_072

        package init() {}
    }

    typealias Members = FeedMembers<EventListener>
    typealias MemberID = Members.ID

    struct State: Sendable {
        var members = Members()
        /// Up to where the poller has read; nil without listeners.
        var cursor: ChangeCursor?
        /// When the poller had read every change last, or began.
        var presentAt = ContinuousClock.now
        var turns = CatchUpTurns()
        /// The listeners that wait for a turn.
        var waiting: [MemberID: CheckedContinuation<Bool, Never>] = [:]
        /// Resumes the poller, which waits for the first listener.
        var idle: CheckedContinuation<Void, Never>?
        var isStopped = false
    }

    let log: ChangeLog
    let tables: FeedTables
    let authenticator: any Authenticating
    let configuration: Configuration
    let state = Mutex(State())

    /// - Parameter database: connections of a role that may read the record of changes.
    package init(_ kernel: Kernel, database: PostgresClient, configuration: Configuration = .init()) {
        log = ChangeLog(database: database)
        tables = FeedTables(kernel.domains, kernel.roles)
        authenticator = kernel.authenticator
        self.configuration = configuration
        authenticator.onWithdrawal { [weak self] withdrawal in self?.endInvalid(of: withdrawal) }
    }

    package var capability: Capability {
        Capability(
            methods: [ChangeMethods(log: log, tables: tables).list], operations: [operation],
            endpoints: [endpoint])
    }

    /// The number of listeners, for a gauge.
    package var listenerCount: Int { state.withLock { $0.members.count } }

    /// How long ago the listeners had received every change; zero without listeners. For a gauge.
    package var lag: Duration {
        state.withLock { state in
            state.members.isEmpty ? .zero : max(.zero, .now - state.presentAt - configuration.interval * 2)
        }
    }

    // MARK: Listeners

    /// Whether a listener of this account finds a place.
    func hasPlace(for account: Int64) -> Bool {
        state.withLock { $0.members.hasPlace(for: account, among: configuration.maxListeners) }
    }

    /// - Parameter cursor: where to continue; nil for the present position.
    /// - Returns: what removes the listener.
    func add(
        _ listener: EventListener, _ filter: ChangeFilter, after cursor: ChangeCursor?, of caller: Caller,
        authorization: String?
    ) -> @Sendable () -> Void {
        let member = Members.Member(
            listener: listener, filter: filter, caller: caller, authorization: authorization)
        let (id, idle, displaced) = state.withLock { state in
            let isFull = state.members.count >= configuration.maxListeners
            let displaced = isFull ? state.members.newestOfLargestAccount : nil
            let id = state.members.add(member, after: cursor)
            let idle = state.idle
            state.idle = nil
            return (id, idle, displaced)
        }
        idle?.resume()
        displaced?.end()
        // Rights may have been withdrawn since the caller was identified, before it was a member.
        if !authenticator.isStillValid(caller, authorization) { listener.end() }
        return { self.remove(id) }
    }

    private func remove(_ id: MemberID) {
        let turn = state.withLock { state in
            state.members.remove(id)
            state.turns.remove(id)
            return state.waiting.removeValue(forKey: id)
        }
        turn?.resume(returning: false)
    }
}
