import DomainKit
import Synchronization

/// Remembers values from several threads.
final class Notes: Sendable {
    private let kept = Mutex<[Value]>([])

    func add(_ value: Value) {
        kept.withLock { $0.append(value) }
    }

    var values: [Value] { kept.withLock { $0 } }
}
