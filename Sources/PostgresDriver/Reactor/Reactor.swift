import Glibc
import Synchronization

/// Isolates everything that belongs to the driver: connections, pools, and calls under way.
///
/// It is an actor whose executor is a turn that one thread has at a time, so the compiler checks that nothing is touched
/// out of turn, and the rare work (opening, leasing) may be written as ordinary asynchronous functions. The driver's own
/// thread sleeps until sockets or the clock have something for it. Whoever submits a call takes the turn if nobody has
/// it and sends the call by itself: that spares waking the thread, which is most of what a short call would cost.
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

    /// Has the driver look at what was left in its mailbox: at once and on this thread, unless another has its turn and
    /// so will look before it is over.
    nonisolated static func runPendingWork() {
        let executor = shared.executor
        repeat {
            guard executor.tryRunExclusively({ EventLoop.shared.processPendingWork() }) else { return }
        } while executor.mailbox.hasMessages
    }
}

/// Gives threads their turns, and runs the actor's jobs on the driver's thread by way of its mailbox.
final class ReactorExecutor: SerialExecutor {
    let mailbox = Mailbox()
    private let lock = Mutex(())
    /// The thread that has the turn.
    private let thread = Atomic<UInt>(0)

    /// Waits for the turn and takes it.
    func runExclusively(_ body: @Reactor () -> Void) {
        lock.withLock { _ in isolated(body) }
    }

    /// Takes the turn if nobody has it; answers whether it did.
    func tryRunExclusively(_ body: @Reactor () -> Void) -> Bool {
        lock.withLockIfAvailable { _ in isolated(body) } != nil
    }

    private func isolated(_ body: @Reactor () -> Void) {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        withoutActuallyEscaping(body) { body in
            // The isolation of a function is no part of its representation; having the turn is what makes it true.
            unsafeBitCast(body, to: (() -> Void).self)()
        }
        thread.store(0, ordering: .relaxed)
    }

    func enqueue(_ job: UnownedJob) {
        mailbox.post(job)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.post(UnownedJob(job))
    }

    func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not the driver's turn")
    }
}

/// A connection that breaks while something is written to it must not end the process.
private func ignoreBrokenPipes() {
    var current = sigaction()
    sigaction(SIGPIPE, nil, &current)
    guard current.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
}
