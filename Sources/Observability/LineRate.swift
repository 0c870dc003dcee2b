import Dispatch
import Synchronization

/// Bounds how many lines of one kind the log gets: the first of each window of time are written, the others counted. The
/// number of the others is reported when the window ends.
package final class LineRate<Kind: Hashable & Sendable>: Sendable {
    private struct State {
        var isOpen = false
        var written: [Kind: Int] = [:]
        var leftOut: [Kind: Int] = [:]
    }

    /// Lines of further kinds in one window are written without a bound.
    private static var maxKinds: Int { 1_024 }

    private let state = Mutex(State())
    private let window: DispatchTimeInterval
    private let limit: @Sendable (Kind) -> Int
    private let report: @Sendable (Kind, Int) -> Void

    /// - Parameters:
    ///   - seconds: the length of a window.
    ///   - limit: how many lines of a kind are written in a window.
    ///   - report: is called with the number of lines of a kind that were left out, at the end of a window with such lines.
    package init(
        seconds: Int, limit: @escaping @Sendable (Kind) -> Int, report: @escaping @Sendable (Kind, Int) -> Void
    ) {
        window = .seconds(seconds)
        self.limit = limit
        self.report = report
    }

    /// Whether a line is to be written; counts it if not.
    package func admits(_ kind: Kind) -> Bool {
        let (admits, opens) = state.withLock { state in
            let opens = !state.isOpen
            state.isOpen = true
            let count = state.written[kind] ?? 0
            if count == 0, state.written.count >= Self.maxKinds { return (true, opens) }
            guard count < limit(kind) else {
                state.leftOut[kind, default: 0] += 1
                return (false, opens)
            }
            state.written[kind] = count + 1
            return (true, opens)
        }
        if opens { DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + window) { self.endWindow() } }
        return admits
    }

    private func endWindow() {
        let leftOut = state.withLock { state in
            let leftOut = state.leftOut
            state = State()
            return leftOut
        }
        for (kind, count) in leftOut { report(kind, count) }
    }
}
