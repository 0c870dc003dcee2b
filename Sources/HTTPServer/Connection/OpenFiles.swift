import Glibc

/// How many descriptors, and so connections, the process may have open.
enum OpenFiles {
    /// Raises the limit as far as the system lets a process do by itself, and gives it back: the usual 1,024 are there
    /// for programs that use `select`, which nothing here does.
    static func raiseLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
