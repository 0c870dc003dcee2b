import Glibc
import Synchronization
import Threads

/// The global actor that isolates everything of the driver: connections, pools, and requests under way.
///
/// Its executor is a lock, so the compiler checks that isolated state is used by one thread at a time. The driver's thread
/// waits in epoll and takes the lock when a socket is ready or a timer is due. A caller that finds the lock free takes it
/// too and sends its request at once, which saves waking the thread, the largest cost of a short query. Otherwise it leaves
/// the request in the mailbox, and the current holder reads that before it releases the lock.
@globalActor
actor Reactor {
    static let shared = Reactor()

    static var mailbox: Mailbox { shared.executor.mailbox }
    static var poller: Poller { shared.poller }

    nonisolated let executor = ReactorExecutor()
    private nonisolated let poller: Poller

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private init() {
        ignoreBrokenPipes()
        let poller = Poller(wakeUpDescriptor: executor.mailbox.eventDescriptor)
        self.poller = poller
        BlockingThread.run(name: "pg-reactor") { [executor] in
            var waiter = Poller.Waiter(poller)
            var ready: [Poller.Readiness] = []
            var timeout: Int32 = 0
            while true {
                executor.runExclusively { EventLoop.shared.runIteration(ready, &timeout) }
                waiter.wait(timeout: executor.mailbox.prepareToSleep() ? timeout : 0, into: &ready)
                executor.mailbox.didWake()
            }
        }
    }

    /// Has the mailbox read: on this thread if the lock is free, otherwise by the thread that holds it, before it releases
    /// it. Callable from any thread, outside the actor.
    nonisolated static func runPendingWork() {
        let executor = shared.executor
        repeat {
            guard executor.tryRunExclusively({ EventLoop.shared.processPendingWork() }) else { return }
        } while executor.mailbox.hasMessages
    }
}

/// Runs isolated code under a lock, and the actor's asynchronous jobs on the reactor's thread.
final class ReactorExecutor: SerialExecutor {
    let mailbox = Mailbox()
    private let lock = Mutex(())
    /// The thread that holds the lock; 0 when none does.
    private let holder = Atomic<UInt>(0)

    /// Waits for the lock and runs `body` under it.
    func runExclusively(_ body: @Reactor () -> Void) {
        lock.withLock { _ in isolated(body) }
    }

    /// Runs `body` under the lock if it is free.
    /// - Returns: whether it was.
    func tryRunExclusively(_ body: @Reactor () -> Void) -> Bool {
        lock.withLockIfAvailable { _ in isolated(body) } != nil
    }

    private func isolated(_ body: @Reactor () -> Void) {
        holder.store(UInt(pthread_self()), ordering: .relaxed)
        withoutActuallyEscaping(body) { body in
            // Isolation is no part of a function's representation, and holding the lock is this actor's isolation.
            unsafeBitCast(body, to: (() -> Void).self)()
        }
        holder.store(0, ordering: .relaxed)
    }

    func enqueue(_ job: UnownedJob) {
        mailbox.post(job)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(UnownedJob(job))
    }

    func isIsolatingCurrentContext() -> Bool? {
        holder.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not isolated to the reactor")
    }
}

/// A write to a broken connection must not end the process. A handler that the program has set stays.
private func ignoreBrokenPipes() {
    var current = sigaction()
    sigaction(SIGPIPE, nil, &current)
    guard current.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
}
