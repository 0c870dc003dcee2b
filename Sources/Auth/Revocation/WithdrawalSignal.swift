import Synchronization

/// Tells those who act for an account over a long time that rights may have been withdrawn.
final class WithdrawalSignal: Sendable {
    private let observers = Mutex<[@Sendable (Withdrawal) -> Void]>([])

    /// - Parameter observer: called on any thread, before the withdrawal is answered. It must not block.
    func observe(_ observer: @escaping @Sendable (Withdrawal) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func send(_ withdrawal: Withdrawal) {
        for observer in observers.withLock({ $0 }) { observer(withdrawal) }
    }
}
