import HTTPServer
import NIOCore
import PostgresDriver
import RPCServer
import Synchronization

/// The poller: the only one that moves the feed's position.
extension ChangeFeed {
    /// How many changes are read at once.
    static let pageSize = 500
    /// The time between two reads of many changes, in which listeners receive those of the first.
    private static let pause: Duration = .milliseconds(20)
    /// How often listeners without changes receive the present position, so that theirs does not become too old.
    private static let positionInterval: Duration = .seconds(60)

    /// Serves the listeners until the calling task is cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup { group in
                group.addTask { await self.poll() }
                group.addTask { await self.checkTokens() }
                group.addTask { await self.prune() }
            }
        } onCancel: {
            let (idle, waiting) = state.withLock { state in
                state.isStopped = true
                defer {
                    state.idle = nil
                    state.waiting = [:]
                }
                return (state.idle, state.waiting.values)
            }
            idle?.resume()
            for turn in waiting { turn.resume(returning: false) }
        }
    }

    private func poll() async {
        await withDiscardingTaskGroup { group in
            var positionSentAt = ContinuousClock.now
            while !Task.isCancelled {
                await waitForListeners()
                var isFull = false
                do throws(PostgresError) {
                    isFull = try await readChanges()
                    if !isFull { state.withLock { $0.presentAt = .now } }
                    await admit()
                    for newcomer in takeResuming() {
                        group.addTask { await self.catchUp(newcomer) }
                    }
                    cutOffSlowReaders()
                    if ContinuousClock.now - positionSentAt > Self.positionInterval {
                        positionSentAt = .now
                        await sendPosition()
                    }
                } catch {
                    // The driver has logged the error. The position stays, so that the next read continues from it.
                }
                await Self.sleep(for: isFull ? Self.pause : configuration.interval)
            }
            group.cancelAll()
        }
    }

    /// The feed has no position while there are no listeners.
    private func waitForListeners() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.members.isEmpty, !state.isStopped else { return false }
                state.cursor = nil
                state.idle = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
        state.withLock { state in
            if state.cursor == nil { state.presentAt = .now }
        }
    }

    // MARK: Changes

    /// Reads the changes behind the position and sends them.
    /// - Returns: whether there may be more already.
    private func readChanges() async throws(PostgresError) -> Bool {
        guard let start = state.withLock({ $0.cursor }) else {
            let present = try await log.position(deadline: Self.deadline)
            state.withLock { $0.cursor = present }
            return false
        }
        let page = try await log.page(after: start, first: Self.pageSize, deadline: Self.deadline)
        // In one step with the new position: a listener that has caught up with the old one joins before, one that has not
        // sees the new one.
        let live = state.withLock { state in
            state.cursor = page.end
            var live: [ChangeFilter: [(listener: EventListener, after: ChangeCursor?)]] = [:]
            guard !page.changes.isEmpty || !page.isContinuous else { return live }
            for (id, member) in state.members.members {
                guard case .live(let after) = member.phase else { continue }
                live[member.filter, default: []].append((member.listener, after))
                if let after, !page.isContinuous || !page.end.precedes(after) {
                    state.members.join(id, after: nil)
                }
            }
            return live
        }
        if page.isContinuous {
            await send(page.changes, to: live)
        } else {
            let listeners = live.values.flatMap { $0.map(\.listener) }
            await EventListener.send(ByteBuffer(string: ChangeEvent.reset(at: page.end)), to: listeners)
        }
        return page.isFull
    }

    private func send(
        _ changes: [FeedChange], to live: [ChangeFilter: [(listener: EventListener, after: ChangeCursor?)]]
    ) async {
        for (filter, members) in live {
            let common = members.filter { $0.after == nil }.map(\.listener)
            if !common.isEmpty, let events = Self.events(changes, for: filter, after: nil) {
                await EventListener.send(events, to: common)
            }
            for member in members {
                guard let after = member.after, let events = Self.events(changes, for: filter, after: after) else {
                    continue
                }
                await EventListener.send(events, to: [member.listener])
            }
        }
    }

    /// The events of the changes that pass the filter, after a position; nil if there are none.
    static func events(_ changes: [FeedChange], for filter: ChangeFilter, after: ChangeCursor?) -> ByteBuffer? {
        var events = ByteBuffer()
        for change in changes {
            if let after, !after.precedes(change.cursor) { continue }
            switch change {
            case .record(let change):
                guard let operation = filter.operation(of: change) else { continue }
                events.writeString(ChangeEvent.change(change, as: operation))
            case .emptied(let table, let cursor):
                if filter.tables[table] != nil { events.writeString(ChangeEvent.reset(at: cursor)) }
            }
        }
        return events.readableBytes > 0 ? events : nil
    }

    private func sendPosition() async {
        let (position, listeners) = state.withLock { state in
            let listeners = state.members.members.values.compactMap { member in
                if case .live(nil) = member.phase { member.listener } else { nil }
            }
            return (state.cursor, listeners)
        }
        guard let position else { return }
        await EventListener.send(ByteBuffer(string: ChangeEvent.position(position)), to: listeners)
    }

    /// Lets those listeners join that begin at the present position.
    private func admit() async {
        let (position, listeners) = state.withLock { state -> (ChangeCursor?, [EventListener]) in
            guard let position = state.cursor else { return (nil, []) }
            return (position, state.members.admitFresh())
        }
        guard let position, !listeners.isEmpty else { return }
        await EventListener.send(ByteBuffer(string: ChangeEvent.ready(at: position)), to: listeners)
    }

    // MARK: Time

    static var deadline: ContinuousClock.Instant { .now + .seconds(5) }

    static func sleep(for time: Duration) async {
        // Sleeping fails only when it is cancelled, which the caller sees by itself.
        do { try await Task.sleep(for: time) } catch { return }
    }
}
