import HTTPServer
import Synchronization

/// The turns of accounts at work that takes long or much memory, such as making a document: few do it at once. The companies that
/// wait take turns, and within a company its accounts.
///
/// A turn is taken before anything is loaded, so that those who wait hold no rows.
package final class AccountTurns: Sendable {
    private struct Owner: Hashable {
        let company: Company
        let account: Int64
    }

    private struct Waiter {
        let owner: Owner
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<AccountTurnError?, Never>
        /// Ends the wait at the deadline.
        var clock: Task<Void, Never>?
    }

    private struct State {
        var running = 0
        var runningOf: [Owner: Int] = [:]
        var last: UInt64 = 0
        /// The numbers of those that wait; a number without a waiter is one that gave up.
        var order = GroupedTurnQueue<Company, Owner, UInt64>()
        var waiters: [UInt64: Waiter] = [:]
        var waitingOf: [Owner: Int] = [:]
        var waitingIn: [Company: Int] = [:]
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
    ///   - maxWaiting: how many may wait. One account has at most half of the places. When all are taken, the company with the most
    ///     gives one up to a company with fewer.
    package init(atOnce: Int, perAccount: Int? = nil, maxWaiting: Int = 256) {
        self.atOnce = atOnce
        atOncePerAccount = perAccount ?? atOnce
        self.maxWaiting = maxWaiting
    }

    /// How many have a turn and how many wait.
    package var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiters.count) } }

    /// Waits for a turn of the account in the company and does `work` in it.
    package func take<Value: Sendable>(
        for account: Int64, in company: Company, by deadline: ContinuousClock.Instant,
        _ work: () async throws(ExecutionError) -> Value
    ) async throws(ExecutionError) -> Value {
        let owner = Owner(company: company, account: account)
        if let error = await begin(for: owner, by: deadline) { throw ExecutionError(error) }
        defer { end(of: owner) }
        return try await work()
    }

    private func begin(for owner: Owner, by deadline: ContinuousClock.Instant) async -> AccountTurnError? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(owner: owner, deadline: deadline, continuation: continuation), number)
            }
        } onCancel: {
            cancel(number)
        }
        state.withLock { _ = $0.cancelledEarly.remove(number) }
        return error
    }

    private func enqueue(_ waiter: Waiter, _ number: UInt64) {
        enum Decision { case begin, wait(displaced: Waiter?), refuse(AccountTurnError) }
        let decision: Decision = state.withLock { state in
            if state.cancelledEarly.remove(number) != nil { return .refuse(.cancelled) }
            let owner = waiter.owner
            if state.running < atOnce, mayBegin(owner, state.runningOf) {
                Self.begin(owner, &state)
                return .begin
            }
            let own = state.waitingOf[owner] ?? 0
            if own >= maxWaiting / 2 { return .refuse(.accountFull) }
            var displaced: Waiter?
            if state.waiters.count >= maxWaiting {
                displaced = Self.displace(for: owner.company, &state)
                if displaced == nil { return .refuse(.full) }
            }
            state.waiters[number] = waiter
            state.waitingOf[owner] = own + 1
            state.waitingIn[owner.company, default: 0] += 1
            state.order.append(number, of: owner, in: owner.company)
            return .wait(displaced: displaced)
        }
        switch decision {
        case .begin: waiter.continuation.resume(returning: nil)
        case .refuse(let error): waiter.continuation.resume(returning: error)
        case .wait(let displaced):
            displaced?.continuation.resume(returning: .full)
            watch(number, until: waiter.deadline)
        }
    }

    /// Takes the place of the newest waiter of the company with the most, if it has more than the newcomer's would have.
    private static func displace(for newcomer: Company, _ state: inout State) -> Waiter? {
        guard let largest = state.waitingIn.max(by: { $0.value < $1.value }),
            largest.value > (state.waitingIn[newcomer] ?? 0) + 1,
            let newest = state.waiters.filter({ $0.value.owner.company == largest.key }).keys.max()
        else { return nil }
        return remove(newest, from: &state)
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
    private func end(of owner: Owner) {
        let waiter = state.withLock { state -> Waiter? in
            state.running -= 1
            let rest = (state.runningOf[owner] ?? 1) - 1
            state.runningOf[owner] = rest == 0 ? nil : rest
            return next(&state)
        }
        waiter?.continuation.resume(returning: nil)
    }

    private func next(_ state: inout State) -> Waiter? {
        let runningOf = state.runningOf
        while let number = state.order.popNext(where: { mayBegin($1, runningOf) }) {
            guard let waiter = Self.remove(number, from: &state) else { continue }
            Self.begin(waiter.owner, &state)
            return waiter
        }
        return nil
    }

    private func mayBegin(_ owner: Owner, _ runningOf: [Owner: Int]) -> Bool {
        (runningOf[owner] ?? 0) < atOncePerAccount
    }

    private static func begin(_ owner: Owner, _ state: inout State) {
        state.running += 1
        state.runningOf[owner, default: 0] += 1
    }

    private static func remove(_ number: UInt64, from state: inout State) -> Waiter? {
        guard let waiter = state.waiters.removeValue(forKey: number) else { return nil }
        waiter.clock?.cancel()
        let owner = waiter.owner
        let rest = (state.waitingOf[owner] ?? 1) - 1
        state.waitingOf[owner] = rest == 0 ? nil : rest
        let others = (state.waitingIn[owner.company] ?? 1) - 1
        state.waitingIn[owner.company] = others == 0 ? nil : others
        return waiter
    }
}

/// Why an account had no turn.
enum AccountTurnError: Error, Sendable {
    /// The account has as many waiting as it may have.
    case accountFull
    /// As many wait as may, or the place was given up to another company.
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
