import Glibc
import Synchronization
import Threads

/// Runs the long computations of one client's requests in a pool of threads.
final class OffLoopExecutor: TaskExecutor {
    private let pool: OffLoopPool
    private let client: AddressShare

    init(_ pool: OffLoopPool, for client: AddressShare) {
        self.pool = pool
        self.client = client
    }

    func enqueue(_ job: consuming ExecutorJob) {
        pool.run(OffLoopPool.Job(job: UnownedJob(job), executor: self), of: client)
    }
}

/// Runs what would keep an event loop from its other connections for too long: reading a large body, writing a large
/// result, compressing.
///
/// It has few threads, so that few large bodies are read at the same time and the memory for that is bounded. Clients
/// with waiting jobs take turns. The threads have a lower priority than the event loops. A thread ends when no job is
/// waiting, so the pool needs no shutdown. A second later the memory that such work has freed, which may be a hundred
/// times what other calls need, is returned to the system.
final class OffLoopPool: Sendable {
    struct Job {
        let job: UnownedJob
        let executor: OffLoopExecutor

        func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private struct State {
        var threads = 0
        var waitingCount = 0
        /// Whether a thread is about to return free memory.
        var trims = false
        var waiting = TurnQueue<AddressShare, Job>()
    }

    private let state = Mutex(State())
    private let maxThreads: Int

    init(maxThreads: Int) {
        self.maxThreads = maxThreads
    }

    /// The number of jobs that wait for a thread.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    func run(_ job: Job, of client: AddressShare) {
        let needsThread = state.withLock { state in
            state.waiting.append(job, of: client)
            state.waitingCount += 1
            guard state.threads < maxThreads else { return false }
            state.threads += 1
            return true
        }
        // Without a thread the jobs run here, since a job must run at last.
        if needsThread, !startThread() { work() }
    }

    /// Returns the free pages of the process, which the allocator would keep among those in use.
    private func trimMemory() {
        let isDue = state.withLock { state in
            defer { state.trims = true }
            return !state.trims
        }
        guard isDue else { return }
        usleep(1_000_000)
        state.withLock { $0.trims = false }
        _ = Self.mallocTrim?(0)
    }

    /// `malloc_trim` of the GNU C library, which the module Glibc does not declare.
    private static let mallocTrim: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// The body of a thread: runs jobs until none is waiting.
    private func work() {
        while let job = next() { job.run() }
    }

    private func next() -> Job? {
        state.withLock { state in
            let job = state.waiting.popNext()
            if job == nil { state.threads -= 1 } else { state.waitingCount -= 1 }
            return job
        }
    }

    private func startThread() -> Bool {
        BlockingThread.run(name: "off-loop", priority: .low) {
            self.work()
            self.trimMemory()
        }
    }
}
