import Auth
import HTTPServer
import NIOCore
import PostgresDriver
import RPCServer
import Synchronization

/// Listeners that continue from an earlier position.
extension ChangeFeed {
    /// The listeners that have to catch up and have not begun.
    func takeResuming() -> [Members.Newcomer] {
        state.withLock { $0.cursor == nil ? [] : $0.members.takeResuming() }
    }

    /// Sends the changes between the listener's position and the feed's, a page when the one before has left. Then the
    /// listener joins the others.
    func catchUp(_ newcomer: Members.Newcomer) async {
        let (id, member) = (newcomer.id, newcomer.member)
        var cursor = newcomer.cursor
        var isReady = false
        while await takesTurn(id, of: member.caller) {
            let page: ChangeLog.Page
            do throws(PostgresError) {
                page = try await log.page(
                    after: cursor, first: Self.pageSize, for: member.caller.share, deadline: Self.deadline)
            } catch {
                // It stays where it is until the database answers.
                changeTurns { $0.end(id) }
                await Self.sleep(for: configuration.interval)
                continue
            }
            var events = ByteBuffer()
            if !page.isContinuous {
                events.writeString(ChangeEvent.ready(at: page.end) + ChangeEvent.reset(at: page.end))
            } else if !isReady {
                events.writeString(ChangeEvent.ready(at: cursor))
            }
            isReady = true
            if var changes = Self.events(page.changes, for: member.filter, after: nil) {
                events.writeBuffer(&changes)
            }
            cursor = page.end
            guard await send(events, to: member.listener, id, of: member.account) else { return }
            guard !page.isFull else { continue }
            if join(id, at: cursor) { return }
            if page.changes.isEmpty { await Self.sleep(for: .milliseconds(20)) }
        }
        member.listener.end()
    }

    /// Ends the turn in which the events were read, and sends them.
    /// - Returns: false if the stream has ended.
    private func send(_ events: ByteBuffer, to listener: EventListener, _ id: MemberID, of account: Int64) async -> Bool
    {
        guard events.readableBytes > 0 else {
            changeTurns { $0.end(id) }
            return true
        }
        changeTurns { $0.send(id, of: account, at: .now) }
        let isSent = await listener.send(events)
        changeTurns { $0.end(id) }
        return isSent
    }

    /// - Returns: whether the listener has caught up, or is gone.
    private func join(_ id: MemberID, at cursor: ChangeCursor) -> Bool {
        state.withLock { state in
            guard state.members[id] != nil else { return true }
            // Positions of two timelines cannot be compared: the next page is of the new one.
            guard let position = state.cursor, position.timeline == cursor.timeline, !cursor.precedes(position) else {
                return false
            }
            state.members.join(id, after: position.precedes(cursor) ? cursor : nil)
            return true
        }
    }

    // MARK: Turns

    /// Waits until the listener may read a page.
    /// - Returns: false if the listener is gone, or the feed stops.
    private func takesTurn(_ id: MemberID, of caller: Caller) async -> Bool {
        await withCheckedContinuation { continuation in
            let begun: [CheckedContinuation<Bool, Never>]? = state.withLock { state in
                guard state.members[id] != nil, !state.isStopped else { return nil }
                state.waiting[id] = continuation
                state.turns.request(id, of: caller.user.accountID, in: caller.company)
                return state.beginTurns()
            }
            guard let begun else { return continuation.resume(returning: false) }
            for turn in begun { turn.resume(returning: true) }
        }
    }

    private func changeTurns(_ change: (inout CatchUpTurns) -> Void) {
        let begun = state.withLock { state in
            change(&state.turns)
            return state.beginTurns()
        }
        for turn in begun { turn.resume(returning: true) }
    }

    /// Cuts off listeners that have to give their places to others. They continue with a new request.
    func cutOffSlowReaders() {
        let slow = state.withLock { state in
            state.turns.takeSlow(at: .now).compactMap { state.members[$0]?.listener }
        }
        for listener in slow { listener.cutOff() }
        // Their places are free.
        if !slow.isEmpty { changeTurns { _ in } }
    }
}

extension ChangeFeed.State {
    /// The listeners that may read now.
    fileprivate mutating func beginTurns() -> [CheckedContinuation<Bool, Never>] {
        var begun: [CheckedContinuation<Bool, Never>] = []
        while let id = turns.next() {
            if let turn = waiting.removeValue(forKey: id) { begun.append(turn) } else { turns.end(id) }
        }
        return begun
    }
}
