import Glibc

/// A date as `2027-02-21T09:30:00Z`.
enum UTCDate {
    /// - Parameter second: seconds since 1970.
    static func text(_ second: Int) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        var bytes = [CChar](repeating: 0, count: 32)
        let count = strftime(&bytes, bytes.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
