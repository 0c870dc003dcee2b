import Glibc
import Synchronization

/// Isolates everything that belongs to the driver's one thread: connections, pools, and calls under way.
///
/// It is an actor whose executor is that thread, so the compiler checks that no other touches them, and the rare work
/// (opening, leasing) may be written as ordinary asynchronous functions.
@globalActor
actor Reactor {
    static let shared = Reactor()

    static var mailbox: Mailbox { shared.executor.mailbox }

    nonisolated let executor = ReactorExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private init() {
        ignoreBrokenPipes()
        BlockingThread.run(name: "pg-reactor") { [executor] in
            executor.adoptCurrentThread()
            while true {
                Reactor.assume { EventLoop.shared.round() }
            }
        }
    }

    /// Runs isolated code from the driver's thread itself, where no task is current.
    nonisolated static func assume(_ body: @Reactor () -> Void) {
        shared.executor.checkIsolated()
        withoutActuallyEscaping(body) { body in
            // The isolation of a function is no part of its representation; the check above is what makes it true.
            unsafeBitCast(body, to: (() -> Void).self)()
        }
    }
}

/// Runs the actor's jobs on the driver's thread by way of its mailbox.
final class ReactorExecutor: SerialExecutor {
    let mailbox = Mailbox()
    private let thread = Atomic<UInt>(0)

    func adoptCurrentThread() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
    }

    func enqueue(_ job: UnownedJob) {
        mailbox.post(.job(job))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(.job(UnownedJob(job)))
    }

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .acquiring) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the driver's thread")
    }
}

/// A connection that breaks while something is written to it must not end the process.
private func ignoreBrokenPipes() {
    var current = sigaction()
    sigaction(SIGPIPE, nil, &current)
    guard current.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
}
