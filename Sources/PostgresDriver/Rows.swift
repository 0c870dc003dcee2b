import CLibPQ

/// All rows of one result, as text. Values are read from libpq's memory, without a copy.
///
/// ```swift
/// for row in 0..<rows.count {
///     print(rows[row, "name"] ?? "nameless", Int(rows.text(row, 1) ?? "") ?? 0)
/// }
/// ```
///
/// A value is what psql prints: `t` and `f` for booleans, `{1,2}` for an array, dates as the setting `DateStyle` says. Rows
/// and columns are counted from 0. A place that the result does not have reads as null, since the server decides how many
/// rows and columns a function or a table gives; `withRow()` refuses a result that lacks its row. The object holds the
/// whole result in memory: for larger ones use `copyOut`. Any thread may read it.
public final class Rows: Sendable {
    // Safe to share: libpq's functions that read a finished result keep no state.
    private nonisolated(unsafe) let result: OpaquePointer

    /// The number of rows.
    public let count: Int
    /// The number of columns.
    public let columnCount: Int

    /// Takes ownership of the result.
    init(owning result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    deinit {
        PQclear(result)
    }

    /// About how many bytes the values have, without a look at each of them.
    public var byteCount: Int {
        // libpq keeps 16 bytes for each value beside its text, a pointer for each row, and allocates blocks of 2 KiB.
        max(0, PQresultMemorySize(result) - count * (16 * columnCount + 8) - 2_048)
    }

    /// How many rows an INSERT, UPDATE, DELETE or SELECT affected; 0 for other commands.
    public var affected: Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// The column's name; empty when there is no such column.
    public func columnName(_ column: Int) -> String {
        // libpq would report a column out of range to the connection's notice receiver, which may be gone.
        guard (0..<columnCount).contains(column), let name = PQfname(result, Int32(column)) else { return "" }
        return String(cString: name)
    }

    /// This result of a statement that always gives a row.
    ///
    /// - Throws: `.missingRow` if it has none. Otherwise a missing row would look like a null.
    public func withRow() throws(PostgresError) -> Rows {
        guard count > 0 else {
            throw PostgresError(.missingRow, cause: "a statement gave no row where it always gives one")
        }
        return self
    }

    /// Whether the value is null. An empty text is not null.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        guard has(row, column) else { return true }
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// Calls `body` with the value's bytes, in text format and UTF-8; nil for null. They are valid inside `body` only.
    @inline(__always)
    public func withBytes<R>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R
    ) rethrows -> R {
        guard has(row, column) else { return try body(nil) }
        let length = PQgetlength(result, Int32(row), Int32(column))
        // Both an empty value and a null have length 0.
        if length == 0, PQgetisnull(result, Int32(row), Int32(column)) == 1 { return try body(nil) }
        let start = UnsafeRawPointer(PQgetvalue(result, Int32(row), Int32(column)))
        return try body(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// The value as a string; nil for null.
    public func text(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { bytes in
            bytes.map { String(decoding: $0.assumingMemoryBound(to: UInt8.self), as: UTF8.self) }
        }
    }

    /// The value of the first column with that name; nil for null, and when there is no such column.
    public subscript(row: Int, name: String) -> String? {
        for column in 0..<columnCount where columnName(column) == name {
            return text(row, column)
        }
        return nil
    }

    /// libpq would report a place out of range to the connection's notice receiver, which may be gone.
    @inline(__always)
    private func has(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < count && column >= 0 && column < columnCount
    }

    /// Whether the command was a SELECT: its result stands even when a later command of the batch fails.
    var isFromSelect: Bool {
        guard let tag = PQcmdStatus(result) else { return false }
        return tag[0] == UInt8(ascii: "S") && tag[1] == UInt8(ascii: "E") && tag[2] == UInt8(ascii: "L")
    }
}
