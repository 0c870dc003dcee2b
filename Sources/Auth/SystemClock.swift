import Glibc

/// The clock on the wall.
package enum SystemClock {
    /// Seconds since 1970.
    @Sendable package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
