import Glibc

/// A SQLite file, opened to be read. The library is loaded when it is first needed; the program is linked without it.
final class SQLiteDatabase {
    enum Value: Equatable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob
    }

    let path: String
    private let library: SQLiteFunctions
    private var handle: OpaquePointer?

    init(path: String) throws(ApplicationImportError) {
        self.path = path
        try SourceFile.check(path)
        library = try SQLiteFunctions()
        let code = library.open(path, &handle, SQLiteFunctions.readOnly, nil)
        guard code == SQLiteFunctions.ok else { throw ApplicationImportError("cannot open \(path): \(message)") }
        // SQLite opens any file, and looks at it when it is first read.
        guard try tables().isEmpty == false else {
            throw ApplicationImportError("\(path) has no tables: is it the file of the CRM?")
        }
    }

    deinit { _ = library.close(handle) }

    private var message: String { library.errorMessage(handle).map { String(cString: $0) } ?? "no reason given" }

    func tables() throws(ApplicationImportError) -> [String] {
        var names: [String] = []
        try run("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name") { values in
            if case .text(let name)? = values.first { names.append(name) }
        }
        return names
    }

    /// The names of the columns of a table or view.
    func columns(of table: String) throws(ApplicationImportError) -> [String] {
        try run("SELECT * FROM \(Self.quoted(table)) LIMIT 0") { _ in }
    }

    /// Calls `body` with the values of each row of a table or view, in the order of its columns.
    func rows(of table: String, _ body: (_ values: [Value]) -> Void) throws(ApplicationImportError) {
        try run("SELECT * FROM \(Self.quoted(table))", body)
    }

    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Calls `body` with the values of each row.
    ///
    /// - Returns: the names of the columns.
    @discardableResult
    private func run(_ sql: String, _ body: (_ values: [Value]) -> Void) throws(ApplicationImportError) -> [String] {
        var statement: OpaquePointer?
        guard library.prepare(handle, sql, -1, &statement, nil) == SQLiteFunctions.ok else {
            throw ApplicationImportError("cannot read \(path) as a SQLite file: \(message)")
        }
        defer { _ = library.finalize(statement) }
        let count = library.columnCount(statement)
        let columns = (0..<count).map { column in
            library.columnName(statement, column).map { String(cString: $0) } ?? ""
        }
        while true {
            switch library.step(statement) {
            case SQLiteFunctions.row: body((0..<count).map { value(statement, $0) })
            case SQLiteFunctions.done: return columns
            default: throw ApplicationImportError("cannot read \(path) as a SQLite file: \(message)")
            }
        }
    }

    private func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
        switch library.columnType(statement, column) {
        case 1: return .integer(library.columnInteger(statement, column))
        case 2: return .real(library.columnReal(statement, column))
        case 3:
            guard let text = library.columnText(statement, column) else { return .null }
            let count = Int(library.columnBytes(statement, column))
            return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case 4: return .blob
        default: return .null
        }
    }
}

/// The functions of libsqlite3 that reading takes.
private struct SQLiteFunctions {
    typealias Statement = OpaquePointer?

    static let ok: Int32 = 0
    static let row: Int32 = 100
    static let done: Int32 = 101
    static let readOnly: Int32 = 1

    let open:
        @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, Int32, UnsafePointer<CChar>?)
            -> Int32
    let close: @convention(c) (OpaquePointer?) -> Int32
    let errorMessage: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    let prepare:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    let step: @convention(c) (Statement) -> Int32
    let finalize: @convention(c) (Statement) -> Int32
    let columnCount: @convention(c) (Statement) -> Int32
    let columnName: @convention(c) (Statement, Int32) -> UnsafePointer<CChar>?
    let columnType: @convention(c) (Statement, Int32) -> Int32
    let columnInteger: @convention(c) (Statement, Int32) -> Int64
    let columnReal: @convention(c) (Statement, Int32) -> Double
    let columnText: @convention(c) (Statement, Int32) -> UnsafePointer<UInt8>?
    let columnBytes: @convention(c) (Statement, Int32) -> Int32

    init() throws(ApplicationImportError) {
        guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else {
            throw ApplicationImportError("libsqlite3 is not installed (apt install libsqlite3-0)")
        }
        func function<F>(_ name: String, as type: F.Type) throws(ApplicationImportError) -> F {
            guard let symbol = dlsym(library, name) else {
                throw ApplicationImportError("libsqlite3 has no function \(name)")
            }
            return unsafeBitCast(symbol, to: type)
        }
        open = try function("sqlite3_open_v2", as: type(of: open))
        close = try function("sqlite3_close", as: type(of: close))
        errorMessage = try function("sqlite3_errmsg", as: type(of: errorMessage))
        prepare = try function("sqlite3_prepare_v2", as: type(of: prepare))
        step = try function("sqlite3_step", as: type(of: step))
        finalize = try function("sqlite3_finalize", as: type(of: finalize))
        columnCount = try function("sqlite3_column_count", as: type(of: columnCount))
        columnName = try function("sqlite3_column_name", as: type(of: columnName))
        columnType = try function("sqlite3_column_type", as: type(of: columnType))
        columnInteger = try function("sqlite3_column_int64", as: type(of: columnInteger))
        columnReal = try function("sqlite3_column_double", as: type(of: columnReal))
        columnText = try function("sqlite3_column_text", as: type(of: columnText))
        columnBytes = try function("sqlite3_column_bytes", as: type(of: columnBytes))
    }
}
