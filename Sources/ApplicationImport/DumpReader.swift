/// Reads the rows of a plain dump of `pg_dump` or of the Supabase command line.
///
/// The dump is parsed, not executed. A dump of Supabase contains roles, extensions and event triggers that other servers
/// do not have, and executing SQL or `psql` commands of another origin would be unsafe. Other statements are skipped by
/// the rules of SQL for where a statement ends, so that a function body is not taken for rows.
struct DumpReader {
    private var scanner: SQLScanner
    private var source = ImportSource()
    /// The columns of the tables that the dump creates, for an INSERT without a list of columns.
    private var columns: [String: [String]] = [:]

    /// - Parameter dump: UTF-8.
    static func read(_ dump: [UInt8]) throws(ApplicationImportError) -> ImportSource {
        var reader = DumpReader(scanner: SQLScanner(dump))
        try reader.readAll()
        return reader.source
    }

    private init(scanner: SQLScanner) { self.scanner = scanner }

    private mutating func readAll() throws(ApplicationImportError) {
        while true {
            scanner.skipBlanks()
            if scanner.isAtEnd { return }
            if scanner.skipPsqlCommand() { continue }
            let start = scanner
            switch scanner.word() {
            case "copy": try readCopy()
            case "insert": try readInsert()
            case "create":
                if scanner.word() == "table" { try readColumns() }
                scanner = start
                try scanner.skipStatement()
            default:
                scanner = start
                try scanner.skipStatement()
            }
        }
    }

    // MARK: COPY

    /// `COPY public.clients (id, nom) FROM stdin;` and lines of values up to `\.`.
    private mutating func readCopy() throws(ApplicationImportError) {
        let name = try scanner.qualifiedName()
        let columns = scanner.takes("(") ? try list() : self.columns[name] ?? []
        guard scanner.word() == "from", scanner.word() == "stdin" else {
            throw scanner.error("expected COPY … FROM stdin")
        }
        try scanner.skipStatement()
        scanner.skipLine()
        var table = SourceTable(name: name, columns: columns)
        while let line = scanner.line() {
            if line.elementsEqual([UInt8(ascii: "\\"), UInt8(ascii: ".")]) {
                if ImportSource.wanted.contains(name) { try source.add(table) }
                return
            }
            guard ImportSource.wanted.contains(name) else { continue }
            let values = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(
                CopyValueDecoder.decode)
            guard values.count == columns.count else {
                throw scanner.error("a row of \(name) has \(values.count) values for \(columns.count) columns")
            }
            table.rows.append(values)
        }
        throw scanner.error("the dump ends within the rows of \(name)")
    }

    // MARK: INSERT

    /// `INSERT INTO public.clients (id, nom) VALUES (1, 'a'), (2, NULL);`
    private mutating func readInsert() throws(ApplicationImportError) {
        guard scanner.word() == "into" else { throw scanner.error("expected INSERT INTO") }
        let name = try scanner.qualifiedName()
        guard ImportSource.wanted.contains(name) else { return try scanner.skipStatement() }
        var columns = scanner.takes("(") ? try list() : self.columns[name]
        // OVERRIDING SYSTEM VALUE may come before VALUES.
        while let word = scanner.word(), word != "values" {
            guard word == "overriding" || word == "system" || word == "user" || word == "value" else {
                throw scanner.error("expected INSERT … VALUES, not '\(word)'")
            }
        }
        var rows: [[String?]] = []
        repeat {
            guard scanner.takes("(") else { throw scanner.error("expected a row of values") }
            var row: [String?] = []
            repeat { row.append(try scanner.literal()) } while scanner.takes(",")
            guard scanner.takes(")") else { throw scanner.error("expected the end of a row") }
            rows.append(row)
        } while scanner.takes(",")
        try scanner.skipStatement()
        if columns == nil, rows.allSatisfy(\.isEmpty) { columns = [] }
        guard let columns else {
            throw scanner.error("the columns of \(name) are unknown, because the dump does not create it")
        }
        guard rows.allSatisfy({ $0.count == columns.count }) else {
            throw scanner.error("a row of \(name) does not have \(columns.count) values")
        }
        try source.add(SourceTable(name: name, columns: columns, rows: rows))
    }

    // MARK: CREATE TABLE

    private mutating func readColumns() throws(ApplicationImportError) {
        var name = try scanner.qualifiedName()
        // CREATE TABLE IF NOT EXISTS …
        if name == "public.if" {
            _ = (scanner.word(), scanner.word())
            name = try scanner.qualifiedName()
        }
        guard ImportSource.wanted.contains(name), scanner.takes("(") else { return }
        var found: [String] = []
        while true {
            if scanner.takes(")") { break }
            let column = try scanner.identifier()
            if !["constraint", "primary", "unique", "check", "foreign", "exclude", "like"].contains(column) {
                found.append(column)
            }
            guard try scanner.skipDefinition() else { break }
        }
        columns[name] = found
        // A table without rows is part of the source too.
        if source[name] == nil { try source.add(SourceTable(name: name, columns: found)) }
    }

    /// The rest of a list of names after its opening bracket.
    private mutating func list() throws(ApplicationImportError) -> [String] {
        var names: [String] = []
        repeat { names.append(try scanner.identifier()) } while scanner.takes(",")
        guard scanner.takes(")") else { throw scanner.error("expected the end of a list") }
        return names
    }
}

/// Decodes a value of COPY's text format: `\N` is null, and a backslash escapes the character after it.
private enum CopyValueDecoder {
    static func decode(_ field: ArraySlice<UInt8>) -> String? {
        let backslash = UInt8(ascii: "\\")
        if field.elementsEqual([backslash, UInt8(ascii: "N")]) { return nil }
        guard field.contains(backslash) else { return String(decoding: field, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == backslash, let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "b"): bytes.append(8)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "v"): bytes.append(11)
            case UInt8(ascii: "f"): bytes.append(12)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var code = Int(next - UInt8(ascii: "0"))
                for _ in 0..<2 {
                    guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { break }
                    code = code * 8 + Int(digit - UInt8(ascii: "0"))
                    rest.removeFirst()
                }
                bytes.append(UInt8(truncatingIfNeeded: code))
            default: bytes.append(next)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
