import Glibc

/// The limits of a process that draws what strangers have given.
struct DrawingLimits {
    /// In seconds of computing.
    let seconds: UInt
    /// In bytes, beside what the program has at its start.
    let memory: UInt

    /// How the process ends without a result.
    enum Status: Int32 {
        /// What it was given shows nothing.
        case unreadable = 3
        /// Nothing can be drawn: what it writes says why.
        case unavailable = 4
    }

    /// The signals of a process that has computed too long, or whose libraries gave up without memory. All others come from
    /// elsewhere and say nothing of what was drawn, such as that of a machine without memory.
    static let endsOfExcess: Set<Int32> = [SIGXCPU, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP]

    /// Sets the limits of this process. The kernel ends a process that computes for longer, by a signal that says so. Memory beyond
    /// the limit is refused, and the libraries then give up.
    ///
    /// - Returns: why a limit cannot be set. Nothing is drawn without it.
    func set() -> String? {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        let used = Self.addressSpace
        guard used > 0 else { return "how much memory the process has is not known" }
        let hasLimits =
            // At its hard limit a process is killed, as it is when the machine has no memory left.
            Self.set(RLIMIT_CPU, seconds, atMost: seconds + 2) && Self.set(RLIMIT_CORE, 0, atMost: 0)
            && Self.set(RLIMIT_AS, used + memory, atMost: used + memory)
        return hasLimits ? nil : "a limit of the process cannot be set (errno \(errno))"
    }

    /// Sets a soft and a hard limit. A limit that the process has already, and that is lower, stays.
    private static func set(_ resource: __rlimit_resource, _ soft: UInt, atMost hard: UInt) -> Bool {
        let resource = __rlimit_resource_t(resource.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return false }
        limits.rlim_max = min(limits.rlim_max, rlim_t(hard))
        limits.rlim_cur = min(limits.rlim_max, rlim_t(soft))
        return setrlimit(resource, &limits) == 0
    }

    /// Of this process, in bytes: the first number of its statistics, in pages.
    private static var addressSpace: UInt {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let digits = readAll(of: file).prefix { (0x30...0x39).contains($0) }
        return (UInt(String(decoding: digits, as: UTF8.self)) ?? 0) * UInt(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Everything that standard input, or another file, has.
    static func readAll(of descriptor: Int32 = STDIN_FILENO) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }
}
