import Glibc

/// Threads for work that blocks, or computes for tens of milliseconds or more. The caller decides how many there are.
///
/// A dispatch queue is no place for such work: on Linux its threads are those of Swift's tasks, about one for each core,
/// and a further one comes once a second at most. Thirty blocked transfers would stop all tasks for half a minute.
package enum BlockingThread {
    package enum Priority: Sendable {
        case normal
        /// Below the threads that answer calls.
        case low
    }

    private final class Body {
        let name: String
        let priority: Priority
        let run: @Sendable () -> Void

        init(name: String, priority: Priority, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.priority = priority
            self.run = run
        }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Parameter name: shown by `ps` and `top`; 15 bytes at most.
    /// - Returns: false when the system has no thread left.
    @discardableResult
    package static func run(
        name: String, priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let context = Unmanaged.passRetained(Body(name: name, priority: priority, run: body))
        // The new thread inherits the mask. Signals must reach the threads of the program, except those that tell of a fault of
        // the thread itself.
        var blocked = sigset_t()
        var before = sigset_t()
        sigfillset(&blocked)
        for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&blocked, fault) }
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                BlockingThread.setName(body.name)
                if case .low = body.priority {
                    // On Linux this concerns the calling thread only. If it fails, the thread keeps its priority.
                    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
                }
                body.run()
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// The result of `work`, which runs on a new thread and is not cancelled.
    ///
    /// - Parameter failure: thrown when the system has no thread left. The work is not done then: here it would block a thread of
    ///   Swift's tasks, which it may itself wait for.
    package static func value<Value: Sendable, Failure: Error>(
        name: String, priority: Priority = .normal, orThrow failure: Failure,
        of work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            let hasStarted = run(name: name, priority: priority) {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
            if !hasStarted { continuation.resume(returning: .failure(failure)) }
        }
        return try result.get()
    }

    /// The module Glibc lacks pthread_setname_np. A thread without a name works as well.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = name.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, $0.count - 1) }
    }
}
