import HTTPServer
import NIOCore
import PostgresDriver
import Synchronization

/// Listeners that continue from an earlier position.
extension ChangeFeed {
    /// How many listeners catch up at the same time: each of them reads the database by itself.
    private static let maxCatchingUp = 16
    /// Of one account, so that its listeners that do not read cannot delay those of other accounts.
    private static let maxCatchingUpOfAccount = 4

    /// The listeners that may begin to catch up now.
    func nextResuming() -> [Newcomer] {
        var newcomers: [Newcomer] = []
        while let next = nextNewcomer() { newcomers.append(next) }
        return newcomers
    }

    private func nextNewcomer() -> Newcomer? {
        state.withLock { state in
            guard state.cursor != nil, state.catchingUp.values.reduce(0, +) < Self.maxCatchingUp else { return nil }
            let next = state.resuming.firstIndex { newcomer in
                state.catchingUp[newcomer.member.account, default: 0] < Self.maxCatchingUpOfAccount
            }
            guard let next else { return nil }
            let newcomer = state.resuming.remove(at: next)
            state.catchingUp[newcomer.member.account, default: 0] += 1
            return newcomer
        }
    }

    /// Lets a listener join the others at the feed's position, and then others that wait for their turn.
    func catchUp(_ newcomer: Newcomer) async {
        var next: Newcomer? = newcomer
        while let newcomer = next {
            await sendMissed(to: newcomer)
            state.withLock { state in
                let account = newcomer.member.account
                let count = state.catchingUp[account, default: 0] - 1
                state.catchingUp[account] = count > 0 ? count : nil
            }
            next = Task.isCancelled ? nil : nextNewcomer()
        }
    }

    /// Sends the changes between the listener's position and the feed's, a page when the one before has left.
    private func sendMissed(to newcomer: Newcomer) async {
        let listener = newcomer.member.listener
        var cursor = newcomer.cursor
        var isReady = false
        while !Task.isCancelled, isMember(newcomer.id) {
            let page: ChangeLog.Page
            do throws(PostgresError) {
                page = try await log.page(
                    after: cursor, first: Self.pageSize, for: newcomer.member.share, deadline: Self.deadline)
            } catch {
                // It stays where it is until the database answers.
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
            if var changes = Self.events(page.changes, for: newcomer.member.filter, after: nil) {
                events.writeBuffer(&changes)
            }
            cursor = page.end
            if events.readableBytes > 0 {
                guard await listener.send(events) else { return }
            }
            guard !page.isFull else { continue }
            if join(newcomer.id, at: cursor) { return }
            if page.changes.isEmpty { await Self.sleep(for: .milliseconds(20)) }
        }
        listener.end()
    }

    private func isMember(_ id: MemberID) -> Bool { state.withLock { $0.members[id] != nil } }

    /// - Returns: whether the listener has caught up, or is gone.
    private func join(_ id: MemberID, at cursor: ChangeCursor) -> Bool {
        state.withLock { state in
            guard state.members[id] != nil else { return true }
            // Positions of two timelines cannot be compared: the next page is of the new one.
            guard let position = state.cursor, position.timeline == cursor.timeline, !cursor.precedes(position) else {
                return false
            }
            state.members[id]?.phase = .live(after: position.precedes(cursor) ? cursor : nil)
            return true
        }
    }
}
