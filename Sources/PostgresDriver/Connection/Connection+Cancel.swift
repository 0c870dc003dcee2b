import CLibPQ

/// Ending a statement on the server. libpq's cancel opens a connection of its own and blocks, so it runs on a thread.
extension Connection {
    /// A statement that answers by itself within this needs no cancel request.
    private static let cancelDelay: Duration = .milliseconds(5)
    private static let cancelInterval: Duration = .seconds(1)
    /// After this a statement that does not react costs its connection.
    private static let cancelTimeout: Duration = .seconds(5)

    /// Sends a cancel request if the statement the server is at is one to be stopped, and it is time.
    /// - Returns: when to look again.
    func cancelIfDue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard cancelledRequests > 0, !isLost, let request = head, let cancelledAt = request.cancelledAt else {
            return nil
        }
        // It may have waited its turn behind another statement: what counts is since when the server is at it. That rows
        // of it keep coming is no reason to wait.
        if cancelledHead?.request != ObjectIdentifier(request) { cancelledHead = (ObjectIdentifier(request), now) }
        let since = max(cancelledHead?.since ?? now, cancelledAt)
        let last = since + Self.cancelTimeout
        guard now < last else {
            lose("a statement did not end when it was cancelled")
            return nil
        }
        guard !isCancelRunning else { return min(last, cancelEnd) }
        var due = since + Self.cancelDelay
        if let lastCancel { due = max(due, lastCancel + Self.cancelInterval) }
        guard now >= due else { return min(due, last) }
        sendCancel(now)
        return last
    }

    /// A cancel request that nobody answers keeps its connection from being used: then the connection is given up.
    /// - Returns: when to look again.
    func expireCancelIfDue(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard isCancelRunning, !isLost else { return nil }
        guard now >= cancelEnd else { return cancelEnd }
        lose("a cancel request was not answered")
        return nil
    }

    private var cancelEnd: ContinuousClock.Instant { (lastCancel ?? openedAt) + Self.cancelTimeout }

    private func sendCancel(_ now: ContinuousClock.Instant) {
        guard let request = PQgetCancel(raw) else { return }
        lastCancel = now
        cancelsSent += 1
        isCancelRunning = true
        pool.cancelsUnderWay += 1
        let cancel = CancelRequest(request)
        let mailbox = loop.mailbox
        let hasStarted = BlockingThread.run(name: "pg-cancel") {
            cancel.send()
            mailbox.post(.perform { self.cancelReturned() })
        }
        if !hasStarted { cancelReturned() }
    }

    /// The server has passed the request on: from here on it hits nothing that is sent later.
    private func cancelReturned() {
        isCancelRunning = false
        pool.cancelsUnderWay -= 1
        pool.hasPendingWork = true
    }
}

/// libpq's copy of what it takes to cancel on a connection, independent of that connection.
private final class CancelRequest: @unchecked Sendable {
    // Unchecked: made on one thread, then used and freed by one other.
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        PQfreeCancel(raw)
    }

    /// Whether it arrived matters little: if it did not, the statement ends by itself or with its connection.
    func send() {
        var complaint = [CChar](repeating: 0, count: 256)
        _ = PQcancel(raw, &complaint, Int32(complaint.count))
    }
}
