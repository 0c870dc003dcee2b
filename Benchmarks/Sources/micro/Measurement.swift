import Glibc

/// The times of many runs of one operation, each run timed separately.
struct Measurement {
    private var times: [Int64] = []
    private var cpu: Int64 = 0
    /// The number of operations in each run.
    let operations: Int

    init(operations: Int = 1) {
        self.operations = operations
    }

    /// Times one run of `body`.
    mutating func measure(_ body: () async throws -> Void) async rethrows {
        let cpuBefore = Self.processTime()
        let start = Self.now()
        try await body()
        times.append(Self.now() - start)
        cpu += Self.processTime() - cpuBefore
    }

    mutating func measure(_ body: () throws -> Void) rethrows {
        let cpuBefore = Self.processTime()
        let start = Self.now()
        try body()
        times.append(Self.now() - start)
        cpu += Self.processTime() - cpuBefore
    }

    /// A quantile of the runs, from 0 to 1, in nanoseconds for each operation.
    func quantile(_ share: Double) -> Double {
        let sorted = times.sorted()
        guard let last = sorted.last else { return 0 }
        let index = Int(Double(sorted.count) * share)
        return Double(index < sorted.count ? sorted[index] : last) / Double(operations)
    }

    var median: Double { quantile(0.5) }

    /// The CPU time of this process for each operation, in nanoseconds.
    var processorTime: Double { Double(cpu) / Double(max(1, times.count * operations)) }

    private static func now() -> Int64 { time(of: CLOCK_MONOTONIC) }
    private static func processTime() -> Int64 { time(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func time(of clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
