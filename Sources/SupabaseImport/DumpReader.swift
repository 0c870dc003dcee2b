/// Reads the rows of a plain dump, as `pg_dump` and the Supabase command line write it.
///
/// The dump is read, not run: one of Supabase holds roles, extensions and event triggers that no other server has, and
/// SQL (and `psql`'s own commands) from elsewhere would do here whatever they say. What is not rows is passed over with
/// the rules of SQL for where a statement ends, so that a function's body is never taken for rows.
struct DumpReader {
    private var scanner: SQLScanner
    private var source = SupabaseSource()
    /// Of tables that the dump creates, for INSERT without a list of columns.
    private var columns: [String: [String]] = [:]

    /// - Parameter dump: UTF-8.
    static func read(_ dump: [UInt8]) throws(SupabaseImportError) -> SupabaseSource {
        var reader = DumpReader(scanner: SQLScanner(dump))
        try reader.readAll()
        return reader.source
    }

    private init(scanner: SQLScanner) { self.scanner = scanner }

    private mutating func readAll() throws(SupabaseImportError) {
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
    private mutating func readCopy() throws(SupabaseImportError) {
        let name = try scanner.qualifiedName()
        let columns = scanner.takes("(") ? try list() : self.columns[name] ?? []
        guard scanner.word() == "from", scanner.word() == "stdin" else {
            throw scanner.fault("COPY … FROM stdin is expected")
        }
        try scanner.skipStatement()
        scanner.skipLine()
        var table = SourceTable(name: name, columns: columns)
        while let line = scanner.line() {
            if line.elementsEqual([UInt8(ascii: "\\"), UInt8(ascii: ".")]) {
                if SupabaseSource.wanted.contains(name) { try source.add(table) }
                return
            }
            guard SupabaseSource.wanted.contains(name) else { continue }
            let values = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(
                CopyValueDecoder.value)
            guard values.count == columns.count else {
                throw scanner.fault("a row of \(name) has \(values.count) values for \(columns.count) columns")
            }
            table.rows.append(values)
        }
        throw scanner.fault("the dump ends amid the rows of \(name)")
    }

    // MARK: INSERT

    /// `INSERT INTO public.clients (id, nom) VALUES (1, 'a'), (2, NULL);`
    private mutating func readInsert() throws(SupabaseImportError) {
        guard scanner.word() == "into" else { throw scanner.fault("INSERT INTO is expected") }
        let name = try scanner.qualifiedName()
        guard SupabaseSource.wanted.contains(name) else { return try scanner.skipStatement() }
        var columns = scanner.takes("(") ? try list() : self.columns[name]
        // OVERRIDING SYSTEM VALUE may stand in between.
        while let word = scanner.word(), word != "values" {
            guard word == "overriding" || word == "system" || word == "user" || word == "value" else {
                throw scanner.fault("INSERT … VALUES is expected, not '\(word)'")
            }
        }
        var rows: [[String?]] = []
        repeat {
            guard scanner.takes("(") else { throw scanner.fault("a row of values is expected") }
            var row: [String?] = []
            repeat { row.append(try scanner.literal()) } while scanner.takes(",")
            guard scanner.takes(")") else { throw scanner.fault("a row's end is expected") }
            rows.append(row)
        } while scanner.takes(",")
        try scanner.skipStatement()
        if columns == nil, rows.allSatisfy(\.isEmpty) { columns = [] }
        guard let columns else {
            throw scanner.fault("the columns of \(name) are not known: the dump does not create it")
        }
        guard rows.allSatisfy({ $0.count == columns.count }) else {
            throw scanner.fault("a row of \(name) has not \(columns.count) values")
        }
        try source.add(SourceTable(name: name, columns: columns, rows: rows))
    }

    // MARK: CREATE TABLE

    private mutating func readColumns() throws(SupabaseImportError) {
        var name = try scanner.qualifiedName()
        // CREATE TABLE IF NOT EXISTS …
        if name == "public.if" {
            _ = (scanner.word(), scanner.word())
            name = try scanner.qualifiedName()
        }
        guard SupabaseSource.wanted.contains(name), scanner.takes("(") else { return }
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
        // A table without rows is there all the same.
        if source[name] == nil { try source.add(SourceTable(name: name, columns: found)) }
    }

    /// The rest of a list of names whose opening bracket was taken.
    private mutating func list() throws(SupabaseImportError) -> [String] {
        var names: [String] = []
        repeat { names.append(try scanner.identifier()) } while scanner.takes(",")
        guard scanner.takes(")") else { throw scanner.fault("the end of a list is expected") }
        return names
    }
}
