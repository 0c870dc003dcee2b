import HTTPServer
import Synchronization

/// The turns of accounts that make slow documents: few are made at once, and the accounts that wait take turns. It serves other
/// slow work as well, with a number in the place of the account.
///
/// A turn is taken before anything is loaded, so that documents that wait hold no rows.
final class RenderingTurns: Sendable {
    private struct Waiter {
        let account: Int64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<RenderingTurnError?, Never>
    }

    private struct State {
        var running = 0
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
    private let maxWaiting: Int

    /// - Parameters:
    ///   - atOnce: how many documents are made at the same time.
    ///   - maxWaiting: how many may wait. One account has at most half of the places.
    init(atOnce: Int = 2, maxWaiting: Int = 256) {
        self.atOnce = atOnce
        self.maxWaiting = maxWaiting
    }

    /// The number of documents that are being made and the number that wait.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiters.count) } }

    /// Waits for a turn of the account and does `work` in it.
    func take<Value: Sendable>(
        for account: Int64, by deadline: ContinuousClock.Instant,
        _ work: () async throws(ExecutionError) -> Value
    ) async throws(ExecutionError) -> Value {
        if let error = await begin(for: account, by: deadline) { throw ExecutionError(error) }
        defer { end() }
        return try await work()
    }

    private func begin(for account: Int64, by deadline: ContinuousClock.Instant) async -> RenderingTurnError? {
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
        enum Decision { case begin, wait, refuse(RenderingTurnError) }
        let decision: Decision = state.withLock { state in
            if state.cancelledEarly.remove(number) != nil { return .refuse(.cancelled) }
            if state.running < atOnce {
                state.running += 1
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
        case .wait: break
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            let waiter = Self.remove(number, from: &state)
            if waiter == nil { state.cancelledEarly.insert(number) }
            return waiter
        }
        waiter?.continuation.resume(returning: .cancelled)
    }

    /// Gives the turn that has ended to the next one that still waits for it.
    private func end() {
        while let waiter = next() {
            guard waiter.deadline < .now else { return waiter.continuation.resume(returning: nil) }
            waiter.continuation.resume(returning: .timeout)
        }
    }

    private func next() -> Waiter? {
        state.withLock { state in
            while let number = state.order.popNext() {
                if let waiter = Self.remove(number, from: &state) { return waiter }
            }
            state.running -= 1
            return nil
        }
    }

    private static func remove(_ number: UInt64, from state: inout State) -> Waiter? {
        guard let waiter = state.waiters.removeValue(forKey: number) else { return nil }
        let rest = (state.waitingOf[waiter.account] ?? 1) - 1
        state.waitingOf[waiter.account] = rest == 0 ? nil : rest
        return waiter
    }
}

/// Why an account had no turn.
enum RenderingTurnError: Error, Sendable {
    /// The account has as many documents waiting as it may have.
    case accountFull
    /// As many documents wait as may.
    case full
    case cancelled
    /// The deadline passed before there was a turn.
    case timeout
}

extension ExecutionError {
    /// In seconds: a queue that is full has become shorter by then.
    private static let retryDelay = 5

    fileprivate init(_ error: RenderingTurnError) {
        self =
            switch error {
            case .accountFull: .overloaded(retryAfter: Self.retryDelay)
            case .full: .unavailable(cause: "too many documents wait to be made")
            case .cancelled: .cancelled
            case .timeout: .timeout
            }
    }
}
