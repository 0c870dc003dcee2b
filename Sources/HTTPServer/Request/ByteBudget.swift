import Synchronization

/// Limits how many bytes all connections together may hold of one kind: request bodies, or unsent responses.
final class ByteBudget: Sendable {
    private let limit: Int
    private let held = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    var bytesHeld: Int { held.load(ordering: .relaxed) }

    /// - Returns: false when `bytes` more would exceed the limit; then none are reserved.
    func reserve(_ bytes: Int) -> Bool {
        guard held.wrappingAdd(bytes, ordering: .relaxed).newValue > limit else { return true }
        release(bytes)
        return false
    }

    func release(_ bytes: Int) {
        guard bytes > 0 else { return }
        held.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
