import Glibc

extension PrometheusRegistry {
    /// Adds the metrics that Prometheus's client libraries export for every process: memory, CPU time, open files.
    package func addProcessMetrics() {
        gauge("process_resident_memory_bytes") { ProcessStatistics.residentBytes }
        counter("process_cpu_seconds_total") { ProcessStatistics.cpuSeconds }
        gauge("process_open_fds") { ProcessStatistics.openFiles }
        let start = Double(time(nil))
        gauge("process_start_time_seconds") { start }
    }
}

/// Figures of this process that the kernel reports; zero when it does not.
enum ProcessStatistics {
    static var residentBytes: Double {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return 0 }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    static var cpuSeconds: Double {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    static var openFiles: Double {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Not counted: the entries `.` and `..`, and the descriptor of the folder itself.
        return Double(max(0, count - 3))
    }
}
