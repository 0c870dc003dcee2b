import CLibPQ
import Glibc

/// Threads for work that blocks: libpq's name resolution and cancel requests, and the driver's event loop.
enum BlockingThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs `body` on a new thread.
    /// - Parameter name: shown by `ps` and `top`; 15 bytes at most.
    /// - Returns: false when the system has no thread left.
    @discardableResult
    static func run(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(name: name, run: body))
        // The new thread inherits the mask. Signals must reach the threads of the program.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                clibpq_name_thread(body.name)
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
}
