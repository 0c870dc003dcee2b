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
        line.appendDigits(Int(parts.tm_year) + 1900, 4)
        line.append(UInt8(ascii: "-"))
        line.appendDigits(Int(parts.tm_mon) + 1, 2)
        line.append(UInt8(ascii: "-"))
        line.appendDigits(Int(parts.tm_mday), 2)
        line.append(UInt8(ascii: "T"))
        line.appendDigits(Int(parts.tm_hour), 2)
        line.append(UInt8(ascii: ":"))
        line.appendDigits(Int(parts.tm_min), 2)
        line.append(UInt8(ascii: ":"))
        line.appendDigits(Int(parts.tm_sec), 2)
        line.append(UInt8(ascii: "."))
        line.appendDigits(milliseconds, 3)
        line.append(UInt8(ascii: "Z"))
    }
}

extension [UInt8] {
    fileprivate mutating func appendDigits(_ number: Int, _ width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
