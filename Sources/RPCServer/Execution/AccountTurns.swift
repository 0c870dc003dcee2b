import HTTPServer
import Synchronization

/// The turns of accounts at work that takes long or much memory, such as making a document: few do it at once, and the accounts
/// that wait take turns.
///
/// A turn is taken before anything is loaded, so that those who wait hold no rows.
package final class AccountTurns: Sendable {
    private struct Waiter {
        let account: Int64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<AccountTurnError?, Never>
        /// Ends the wait at the deadline.
        var clock: Task<Void, Never>?
    }

    private struct State {
        var running = 0
        var runningOf: [Int64: Int] = [:]
        var last: UInt64 = 0
        /// The numbers of those that wait; a number without a waiter is one that gave up.
        var order = TurnQueue<Int64, UInt64>()
        var waiters: [UInt64: Waiter] = [:]
        var waitingOf: [Int64: Int] = [:]
        /// Waiters that were cancelled before they were queued, since the cancellation handler may run first.
        var cancelledEarly: Set<UInt64> = []
    }

    private let state = Mutex(State())
    private let atOnce: Int
    private let atOncePerAccount: Int
    private let maxWaiting: Int

    /// - Parameters:
    ///   - atOnce: how many have a turn at the same time.
    ///   - perAccount: how many of one account; nil: as many.
    ///   - maxWaiting: how many may wait. One account has at most half of the places.
    package init(atOnce: Int, perAccount: Int? = nil, maxWaiting: Int = 256) {
        self.atOnce = atOnce
        atOncePerAccount = perAccount ?? atOnce
        self.maxWaiting = maxWaiting
    }

    /// How many have a turn and how many wait.
    package var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiters.count) } }

    /// Waits for a turn of the account and does `work` in it.
    package func take<Value: Sendable>(
        for account: Int64, by deadline: ContinuousClock.Instant,
        _ work: () async throws(ExecutionError) -> Value
    ) async throws(ExecutionError) -> Value {
        if let error = await begin(for: account, by: deadline) { throw ExecutionError(error) }
        defer { end(of: account) }
        return try await work()
    }

    private func begin(for account: Int64, by deadline: ContinuousClock.Instant) async -> AccountTurnError? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(account: account, deadline: deadline, continuation: continuation), number)
            }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelledEarly.remove(number) }
        return error
    }

    private func enqueue(_ waiter: Waiter, _ number: UInt64) {
        enum Decision { case begin, wait, refuse(AccountTurnError) }
        let decision: Decision = state.withLock { state in
            if state.cancelledEarly.remove(number) != nil { return .refuse(.cancelled) }
            if state.running < atOnce, mayBegin(waiter.account, state.runningOf) {
                Self.begin(waiter.account, &state)
                return .begin
            }
            let own = state.waitingOf[waiter.account] ?? 0
            if own >= maxWaiting / 2 { return .refuse(.accountFull) }
            if state.waiters.count >= maxWaiting { return .refuse(.full) }
            state.waiters[number] = waiter
            state.waitingOf[waiter.account] = own + 1
            state.order.append(number, of: waiter.account)
            return .wait
        }
        switch decision {
        case .begin: waiter.continuation.resume(returning: nil)
        case .refuse(let error): waiter.continuation.resume(returning: error)
        case .wait: watch(number, until: waiter.deadline)
        }
    }

    private func watch(_ number: UInt64, until deadline: ContinuousClock.Instant) {
        let clock = Task { [weak self] in
            do { try await Task.sleep(until: deadline, clock: .continuous) } catch { return }
            self?.state.withLock { Self.remove(number, from: &$0) }?.continuation.resume(returning: .timeout)
        }
        let hasEnded = state.withLock { state in
            state.waiters[number]?.clock = clock
            return state.waiters[number] == nil
        }
        if hasEnded { clock.cancel() }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            let waiter = Self.remove(number, from: &state)
            if waiter == nil { state.cancelledEarly.insert(number) }
            return waiter
        }
        waiter?.continuation.resume(returning: .cancelled)
    }

    /// Gives the turn that has ended to the next one that waits and may have it.
    private func end(of account: Int64) {
        let waiter = state.withLock { state -> Waiter? in
            state.running -= 1
            let rest = (state.runningOf[account] ?? 1) - 1
            state.runningOf[account] = rest == 0 ? nil : rest
            return next(&state)
        }
        waiter?.continuation.resume(returning: nil)
    }

    private func next(_ state: inout State) -> Waiter? {
        let runningOf = state.runningOf
        while let number = state.order.popNext(where: { mayBegin($0, runningOf) }) {
            guard let waiter = Self.remove(number, from: &state) else { continue }
            Self.begin(waiter.account, &state)
            return waiter
        }
        return nil
    }

    private func mayBegin(_ account: Int64, _ runningOf: [Int64: Int]) -> Bool {
        (runningOf[account] ?? 0) < atOncePerAccount
    }

    private static func begin(_ account: Int64, _ state: inout State) {
        state.running += 1
        state.runningOf[account, default: 0] += 1
    }

    private static func remove(_ number: UInt64, from state: inout State) -> Waiter? {
        guard let waiter = state.waiters.removeValue(forKey: number) else { return nil }
        waiter.clock?.cancel()
        let rest = (state.waitingOf[waiter.account] ?? 1) - 1
        state.waitingOf[waiter.account] = rest == 0 ? nil : rest
        return waiter
    }
}

/// Why an account had no turn.
enum AccountTurnError: Error, Sendable {
    /// The account has as many waiting as it may have.
    case accountFull
    /// As many wait as may.
    case full
    case cancelled
    /// The deadline passed before there was a turn.
    case timeout
}

extension ExecutionError {
    /// In seconds: a queue that is full has become shorter by then.
    private static let retryDelay = 5

    fileprivate init(_ error: AccountTurnError) {
        self =
            switch error {
            case .accountFull: .overloaded(retryAfter: Self.retryDelay)
            case .full: .unavailable(cause: "too many wait for their turn")
            case .cancelled: .cancelled
            case .timeout: .timeout
            }
    }
}
