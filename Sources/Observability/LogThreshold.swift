package import Logging
import Synchronization

/// The lowest level that a program logs, which may change while it runs.
package final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    package init(_ level: Logger.Level) {
        current = Mutex(level)
    }

    package var level: Logger.Level {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
