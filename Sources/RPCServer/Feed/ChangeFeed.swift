import Auth
import HTTPServer
import NIOCore
import PostgresDriver
import Synchronization

/// Sends every committed change to the listeners that may read it.
///
/// One poller reads the changes of the database four times a second, as long as there are listeners, and sends each of
/// them to all listeners with the same rights as the same bytes. A listener that continues from an earlier position first
/// catches up by pages of its own, each sent when the one before has left, and then joins the others.
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

    typealias MemberID = UInt64

    /// A listener, and what it receives.
    struct Member: Sendable {
        enum Phase: Sendable {
            /// It waits for the next read of the poller, or catches up.
            case joining
            /// It receives what the poller reads after this position. The changes up to it were sent while it caught up.
            case live(after: ChangeCursor?)
        }

        let listener: EventListener
        let filter: ChangeFilter
        let account: Int64
        let authorization: String?
        var phase = Phase.joining

        var share: Share { Share(account) }
    }

    /// A listener that continues from an earlier position.
    struct Newcomer: Sendable {
        let id: MemberID
        let member: Member
        let cursor: ChangeCursor
    }

    struct State: Sendable {
        var members: [MemberID: Member] = [:]
        var nextID: MemberID = 0
        /// How many listeners each account has.
        var accounts: [Int64: Int] = [:]
        /// Up to where the poller has read; nil without listeners.
        var cursor: ChangeCursor?
        /// Listeners that begin at the present position, when the poller has read it.
        var fresh: [MemberID] = []
        /// Listeners that have to catch up, in their order.
        var resuming = CircularBuffer<Newcomer>()
        /// How many listeners of each account catch up at the moment.
        var catchingUp: [Int64: Int] = [:]
        /// Resumes the poller, which waits for the first listener.
        var idle: CheckedContinuation<Void, Never>?
        var isStopped = false
    }

    let log: ChangeLog
    let tables: FeedTables
    let authenticator: any Authenticating
    let configuration: Configuration
    let state = Mutex(State())

    init(
        log: ChangeLog, tables: FeedTables, authenticator: any Authenticating, configuration: Configuration = .init()
    ) {
        self.log = log
        self.tables = tables
        self.authenticator = authenticator
        self.configuration = configuration
    }

    /// The number of listeners, for a gauge.
    package var listenerCount: Int { state.withLock { $0.members.count } }

    // MARK: Listeners

    /// Whether a listener of this account finds a place.
    func hasPlace(for account: Int64) -> Bool {
        state.withLock { state in
            guard state.members.count >= configuration.maxListeners else { return true }
            return state.accounts[account, default: 0] + 1 < state.accounts.values.max() ?? 0
        }
    }

    /// - Parameter cursor: where to continue; nil for the present position.
    /// - Returns: what removes the listener.
    func add(
        _ listener: EventListener, _ filter: ChangeFilter, after cursor: ChangeCursor?, of caller: Caller,
        authorization: String?
    ) -> @Sendable () -> Void {
        let account = caller.user.userID
        let (id, idle, displaced) = state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let displaced =
                state.members.count >= configuration.maxListeners ? state.newestOfLargestAccount : nil
            let member = Member(listener: listener, filter: filter, account: account, authorization: authorization)
            state.members[id] = member
            if let cursor {
                state.resuming.append(Newcomer(id: id, member: member, cursor: cursor))
            } else {
                state.fresh.append(id)
            }
            state.accounts[account, default: 0] += 1
            let idle = state.idle
            state.idle = nil
            return (id, idle, displaced.flatMap { state.members[$0]?.listener })
        }
        idle?.resume()
        displaced?.end()
        return { self.remove(id) }
    }

    private func remove(_ id: MemberID) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: id) else { return }
            let count = state.accounts[member.account, default: 0] - 1
            state.accounts[member.account] = count > 0 ? count : nil
        }
    }
}

extension ChangeFeed.State {
    /// The listener that has been there for the shortest time, of the account that has the most.
    fileprivate var newestOfLargestAccount: ChangeFeed.MemberID? {
        guard let largest = accounts.max(by: { $0.value < $1.value })?.key else { return nil }
        return members.lazy.filter { $0.value.account == largest }.map(\.key).max()
    }
}
