import CLibPQ

/// All rows of one result, as Postgres's text. Values are read where libpq put them, without a copy.
///
/// ```swift
/// for row in 0..<rows.count {
///     print(rows[row, "name"] ?? "nameless", Int(rows.text(row, 1) ?? "") ?? 0)
/// }
/// ```
///
/// A value is what psql would print: `t` and `f` for booleans, `{1,2}` for an array, dates as the setting `DateStyle` has
/// them. Rows and columns are counted from 0; one that is not there is a mistake of the program and stops it. The result
/// is held as a whole for as long as the object lives: for more rows than memory should hold there is `copyOut`. Any
/// thread may read it.
public final class Rows: Sendable {
    /// Read only from here on: libpq's readers of a finished result keep no state, so any thread may use them.
    private nonisolated(unsafe) let result: OpaquePointer

    /// Number of rows.
    public let count: Int
    /// Number of columns.
    public let columnCount: Int

    /// Takes the result over and clears it in the end.
    init(owning result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    deinit {
        PQclear(result)
    }

    /// Rows an INSERT, UPDATE, DELETE or SELECT touched; 0 for other commands.
    public var affected: Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// The column's name, or an empty string when there is no such column.
    public func columnName(_ column: Int) -> String {
        // libpq would complain to the connection's receiver of notices, which may be gone.
        guard (0..<columnCount).contains(column), let name = PQfname(result, Int32(column)) else { return "" }
        return String(cString: name)
    }

    /// Whether the value is null, which an empty text is not.
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        checkBounds(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// The value's bytes, in the text format and in UTF-8, valid inside `body` only; nil stands for null.
    @inline(__always)
    public func withBytes<R>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R
    ) rethrows -> R {
        checkBounds(row, column)
        let length = PQgetlength(result, Int32(row), Int32(column))
        // An empty value and a null both have length 0; only then is the second question worth asking.
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

    /// The value of the column of that name; nil for null or when there is no such column.
    public subscript(row: Int, name: String) -> String? {
        for column in 0..<columnCount where columnName(column) == name {
            return text(row, column)
        }
        return nil
    }

    /// libpq writes a complaint to stderr for an index out of range; a mistake of the program should stop it instead.
    @inline(__always)
    private func checkBounds(_ row: Int, _ column: Int) {
        precondition(row >= 0 && row < count && column >= 0 && column < columnCount, "no such row or column")
    }

    /// Whether the command was one that only reads: its result stands even if what follows in the batch fails.
    var isFromSelect: Bool {
        guard let tag = PQcmdStatus(result) else { return false }
        return tag[0] == UInt8(ascii: "S") && tag[1] == UInt8(ascii: "E") && tag[2] == UInt8(ascii: "L")
    }
}
