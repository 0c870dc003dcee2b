import Synchronization

/// How many bytes of one kind, request bodies or unsent answers, all connections together may hold.
final class ByteBudget: Sendable {
    private let limit: Int
    private let held = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var bytesHeld: Int { held.load(ordering: .relaxed) }

    /// False, and nothing taken, when `bytes` more would be too many.
    func take(_ bytes: Int) -> Bool {
        guard held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit else { return true }
        give(back: bytes)
        return false
    }

    func give(back bytes: Int) {
        guard bytes > 0 else { return }
        held.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
