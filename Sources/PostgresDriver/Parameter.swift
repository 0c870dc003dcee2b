import Glibc

/// A value for a placeholder (`$1`, …) of a statement.
///
/// ```swift
/// try await client.query(byNameAndPrice, ["lamp", .text("\(price)")])       // a literal is text; nil is null
/// ```
///
/// Numbers, dates, arrays and JSON travel as text too: `.text("42")`, `.text("2026-11-21")`, `.text("{1,2,3}")`. Which type
/// is meant, the statement says: the server infers it, or a cast such as `$1::int[]` tells. A statement takes up to
/// 65,535 of them; one that cannot be sent makes the call throw `.invalidParameter` before anything is sent.
public enum Parameter: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// SQL's NULL, of whatever type.
    case null
    /// Sent in text format; Postgres reads it as whatever type the placeholder has. A NUL inside is refused.
    case text(String)
    /// Sent in binary format: a `bytea`, byte for byte.
    case bytes([UInt8])

    /// `"lamp"` for `.text("lamp")`.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// `nil` for `.null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// How many the protocol can carry: it counts them in sixteen bits.
    static let limit = 65_535

    /// Throws what libpq would otherwise do in silence: it cuts a text at its first NUL.
    static func check(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= limit else {
            throw PostgresError(
                .invalidParameter, cause: "\(parameters.count) parameters; a statement takes at most \(limit)")
        }
        for (index, parameter) in parameters.enumerated() {
            guard case .text(let text) = parameter, text.containsNUL else { continue }
            throw PostgresError(.invalidParameter, cause: "parameter $\(index + 1) contains a NUL character")
        }
    }
}

extension String {
    fileprivate var containsNUL: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0, bytes.count) != nil
        } ?? utf8.contains(0)
    }
}
