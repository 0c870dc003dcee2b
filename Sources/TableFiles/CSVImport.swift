import DomainKit
import JSON
package import PostgresDriver

/// Imports a file of CSV into a table, in one transaction.
///
/// The first line has the name or the label of each column, and a choice its words or their labels.
///
/// The rows pass in groups through COPY into a temporary table, each checked on the way as `create` checks its values. From there
/// a group is inserted by one statement, while the next one is read and checked. A group that the database refuses is halved until
/// the row is found, so that problems have lines. Neither the size of the file nor the number of its problems matters for the memory
/// of this process.
package struct CSVImport: Sendable {
    package struct Options: Sendable {
        /// Only report what an import would refuse.
        package var isDryRun = false
        /// Import the other rows when some are refused.
        package var skipsRefused = false
        /// Import an empty text as null where the column allows it.
        package var emptyIsNull = false
        /// Columns of the file that are not imported, by their names, their labels or what the file has in their place.
        package var ignored: Set<String> = []

        package init() {}
    }

    package struct Report: Sendable, Equatable {
        /// The rows of the file.
        package var rows = 0
        package var refused = 0
        /// Whether the transaction was committed.
        package var isDone = false
        /// Whether the database was not asked about all rows, because it had refused so many.
        package var isIncomplete = false
    }

    /// What happens while it runs.
    package enum Event: Sendable, Equatable {
        /// A problem of a row. A row may have several.
        case problem(ImportedRowProblem)
        /// So many rows were read, or inserted.
        case read(Int)
        case inserted(Int)
    }

    private let table: TableFile
    private let owner: PostgresClient

    private static let staged = "pg_temp.learntrack_import"
    /// So many refusals of the database are looked for when none of them is to be skipped.
    private static let enough = 1000

    /// - Parameter owner: connections of the login that owns the schema.
    /// - Throws: ``TableFileError`` for a table in which no call creates records.
    package init(_ table: TableFile, owner: PostgresClient) throws(TableFileError) {
        guard !table.entity.access.roles(for: .create).isEmpty else {
            throw TableFileError("no call creates records of '\(table.entity.name)', and neither does an import")
        }
        self.table = table
        self.owner = owner
    }

    /// Imports the file at `path`; `-` for standard input.
    ///
    /// - Throws: ``TableFileError`` for a file that is no CSV or has other columns, or `PostgresError`.
    package func run(
        _ path: String, _ options: Options, _ note: @escaping @Sendable (Event) -> Void
    ) async throws -> Report {
        try await owner.withConnection { connection in
            try await connection.inTransaction(committing: \.isDone) {
                var reader = try CSVReader(try ByteSource(path: path))
                let header = try reader.next()
                let check = try CSVRowCheck(
                    header: header, entity: table.entity, ignoring: options.ignored, emptyIsNull: options.emptyIsNull)
                return try await run(StagedRows(reader, check, note), options, note, on: connection)
            }
        }
    }

    private func run(
        _ rows: StagedRows, _ options: Options, _ note: @Sendable (Event) -> Void, on connection: PostgresConnection
    ) async throws -> Report {
        let columns = rows.check.imported.map { TableFile.quoted($0.name) }.joined(separator: ", ")
        try await connection.simpleQuery(
            """
            SET LOCAL TIME ZONE 'UTC'; SET LOCAL learntrack.author = 'import';
            SET CONSTRAINTS ALL IMMEDIATE;
            CREATE TEMPORARY TABLE learntrack_import ON COMMIT DROP AS
                SELECT 0::bigint AS "row number", 0::bigint AS "row line", \(columns) FROM \(table.sql) WHERE false
            """)
        var report = Report()
        var insertion = Insertion(columns: columns, table: table, check: rows.check, connection: connection)
        var next = try await rows.nextGroup()
        while let group = next {
            async let following = rows.nextGroup()
            if !options.skipsRefused, insertion.refused >= Self.enough {
                report.isIncomplete = true
            } else {
                try await insertion.insert(group, note)
                note(.inserted(group.rows.upperBound))
            }
            next = try await following
        }
        (report.rows, report.refused) = await (rows.read, rows.refused)
        report.refused += insertion.refused
        report.isDone = !options.isDryRun && (report.refused == 0 || options.skipsRefused)
        return report
    }

    /// Inserts staged rows, and finds those that the database refuses.
    private struct Insertion {
        let columns: String
        let table: TableFile
        let check: CSVRowCheck
        let connection: PostgresConnection
        private(set) var refused = 0

        mutating func insert(_ group: StagedGroup, _ note: @Sendable (Event) -> Void) async throws {
            try await connection.simpleQuery("TRUNCATE \(CSVImport.staged)")
            _ = try await connection.copyIn("COPY \(CSVImport.staged) FROM STDIN", from: group.chunks)
            try await insert(group.rows, note)
        }

        private mutating func insert(_ rows: ClosedRange<Int>, _ note: @Sendable (Event) -> Void) async throws {
            let condition = "WHERE \"row number\" BETWEEN \(rows.lowerBound) AND \(rows.upperBound)"
            do throws(PostgresError) {
                try await connection.simpleQuery(
                    """
                    SAVEPOINT learntrack_rows;
                    INSERT INTO \(table.sql) (\(columns))
                    SELECT \(columns) FROM \(CSVImport.staged) \(condition) ORDER BY "row number";
                    RELEASE SAVEPOINT learntrack_rows
                    """)
                return
            } catch {
                // Violated constraints and values that a trigger refuses; anything else concerns all rows.
                guard let state = error.server?.sqlState,
                    state.hasPrefix("23") || state.hasPrefix("22") || state == "P0001"
                else { throw error }
                try await connection.simpleQuery(
                    "ROLLBACK TO SAVEPOINT learntrack_rows; RELEASE SAVEPOINT learntrack_rows")
                guard rows.count == 1 else { return try await insertHalves(of: rows, note) }
                refused += 1
                let line = try await connection.query(
                    Statement("SELECT \"row line\"::text FROM \(CSVImport.staged) \(condition)")
                ).text(0, 0).flatMap { Int($0) }
                note(.problem(problem(of: error, line: line ?? 0)))
            }
        }

        private mutating func insertHalves(
            of rows: ClosedRange<Int>, _ note: @Sendable (Event) -> Void
        ) async throws {
            let middle = rows.lowerBound + (rows.count / 2) - 1
            try await insert(rows.lowerBound...middle, note)
            try await insert((middle + 1)...rows.upperBound, note)
        }

        /// The problem that a call with the values of the row would be answered with.
        private func problem(of error: PostgresError, line: Int) -> ImportedRowProblem {
            let given = JSONObject(check.imported.map { .init($0.name, .null) })
            let server = error.server
            let refusal = server?.constraint.flatMap { name in
                table.entity.refusal(
                    forConstraint: name, facts: JSONObject(), place: server?.hint, given: given, at: "")
            }
            switch refusal {
            case .invalid(let problem):
                return ImportedRowProblem(problem, line: line, column: check.place(of: problem.path))
            case .conflict(let reason, let message, _):
                return ImportedRowProblem(line: line, column: nil, rule: reason, message: message)
            case .forbidden(let message, _):
                return ImportedRowProblem(line: line, column: nil, rule: "forbidden", message: message)
            case nil:
                return ImportedRowProblem(
                    line: line, column: server?.column.map(check.head(of:)), rule: server?.constraint ?? "database",
                    message: server?.message ?? error.description)
            }
        }
    }
}

/// Valid rows of a file, in COPY's text format, each behind its number among them and its line.
private struct StagedGroup: Sendable {
    let rows: ClosedRange<Int>
    let bytes: [UInt8]

    var chunks: AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
    }
}

/// Reads and checks the rows of a file, apart from the task that inserts them.
private actor StagedRows {
    nonisolated let check: CSVRowCheck
    private var reader: CSVReader
    private let note: @Sendable (CSVImport.Event) -> Void
    private(set) var read = 0
    private(set) var refused = 0

    /// The number of rows in one statement, and the bytes at which a group ends before it.
    private static let rows = 2000
    private static let bytes = 4 << 20
    private static let noteEvery = 10_000

    init(_ reader: sending CSVReader, _ check: CSVRowCheck, _ note: @escaping @Sendable (CSVImport.Event) -> Void) {
        self.reader = reader
        self.check = check
        self.note = note
    }

    /// The number of rows that are valid by themselves.
    var accepted: Int { read - refused }

    /// Nil at the end of the file.
    func nextGroup() throws -> StagedGroup? {
        try Task.checkCancellation()
        let first = accepted + 1
        var encoder = CopyTextEncoder()
        while accepted - first + 1 < Self.rows, encoder.bytes.count < Self.bytes, let record = try reader.next() {
            read += 1
            if read.isMultiple(of: Self.noteEvery) { note(.read(read)) }
            let (values, problems) = check.check(record)
            guard problems.isEmpty else {
                refused += 1
                for problem in problems { note(.problem(problem)) }
                continue
            }
            encoder.append([String(accepted), String(record.line)] + values)
        }
        return accepted < first ? nil : StagedGroup(rows: first...accepted, bytes: encoder.take())
    }
}
