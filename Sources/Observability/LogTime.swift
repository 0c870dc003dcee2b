import Glibc

/// A moment as log lines show it: `2026-11-21T12:00:00.123Z`.
struct LogTime {
    let seconds: Int
    let milliseconds: Int

    static var now: LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
    }

    func append(to line: inout [UInt8]) {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // Put together first: twenty-four appends of a byte each would be half of what a line costs.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            text.put(Int(parts.tm_year) + 1900, 4, at: 0, then: "-")
            text.put(Int(parts.tm_mon) + 1, 2, at: 5, then: "-")
            text.put(Int(parts.tm_mday), 2, at: 8, then: "T")
            text.put(Int(parts.tm_hour), 2, at: 11, then: ":")
            text.put(Int(parts.tm_min), 2, at: 14, then: ":")
            text.put(Int(parts.tm_sec), 2, at: 17, then: ".")
            text.put(milliseconds, 3, at: 20, then: "Z")
            line.append(contentsOf: text)
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    fileprivate func put(_ number: Int, _ width: Int, at start: Int, then mark: Unicode.Scalar) {
        var rest = number
        for index in stride(from: start + width - 1, through: start, by: -1) {
            self[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        self[start + width] = UInt8(ascii: mark)
    }
}

extension [UInt8] {
    /// A whole number, without leading zeros.
    mutating func appendDecimal(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        let magnitude = number.magnitude
        var divisor: UInt = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    mutating func appendDigits(_ number: Int, _ width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
