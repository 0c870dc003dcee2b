import Glibc

/// Computations of tens of milliseconds or more, each on a thread of its own with a lower priority than those that answer
/// calls. The caller decides how many run at once.
enum LowPriorityThread {
    /// The result of `work`, which is not cancelled.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: work()) }
        }
    }

    private final class Start {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        // Not a variable: several C modules bring the initializer of this type, and which one counts depends on the target's imports.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread: pthread_t = 0
        let status = pthread_create(
            &thread, attributes,
            { argument in
                // On Linux this concerns the calling thread only. If it fails, the thread keeps its priority.
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        // Without a thread the work is done here, since its caller waits for it.
        if status != 0 { start.takeRetainedValue().body() }
    }
}
