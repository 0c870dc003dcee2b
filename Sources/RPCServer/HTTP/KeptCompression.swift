import NIOCore
import Synchronization

/// The compressed bytes of a reply that is always the same: made when they are first asked for, and kept.
package final class KeptCompression: Sendable {
    private enum State {
        case unmade
        /// nil when compressing made them no fewer.
        case made(ByteBuffer?)
    }

    private let state = Mutex(State.unmade)

    package init() {}

    /// - Parameter make: compresses; called once.
    func bytes(_ make: () -> ByteBuffer?) -> ByteBuffer? {
        state.withLock { state in
            if case .made(let bytes) = state { return bytes }
            let bytes = make()
            state = .made(bytes)
            return bytes
        }
    }
}
