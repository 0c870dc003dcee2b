package import ArgumentParser
import DomainKit
import Glibc
import PostgresDriver
import Synchronization
import TableFiles

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the records of a table as text, or what is held about a person.",
        subcommands: [Table.self, Person.self],
        defaultSubcommand: Table.self)

    struct Table: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the records of a table as CSV or as lines of JSON, on standard output.",
            discussion: """
                Columns that no call reads, such as secrets, are left out. With --labels, CSV has what people read in the \
                place of the names of columns and of the words of choices; 'import csv' takes both.
                """)

        @Argument(help: "The table, by the name that methods begin with.") var table: String
        @Option(help: "csv or jsonl.") var format: TableExport.Format = .csv
        @Flag(help: "Write labels instead of names and words, for a spreadsheet; for csv only.") var labels = false
        @OptionGroup var company: CompanyOption
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var domains: DomainOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            guard !labels || format == .csv else {
                throw ValidationError("--labels is for --format csv: lines of JSON have the names of calls")
            }
        }

        func run() async throws {
            let file = try TableFile(named: table, in: domains.served().all)
            try await database.withDatabase(log, company: company.id) { _, owner in
                try await company.check(owner)
                try await TableExport(file, owner: owner).run(as: format, labelled: labels) { chunk in
                    try writeAll(chunk, to: STDOUT_FILENO)
                }
            }
        }
    }
}

extension TableExport.Format: ExpressibleByArgument {}

/// `import csv`, for the command `import` of an executable.
package struct ImportCSV: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "csv",
        abstract: "Import the rows of a CSV file into a table.",
        discussion: """
            The first line has the name or the label of each column; commas, semicolons or tabs separate them. A choice has \
            one of its words or its label. Values are checked as 'create' checks them. When a row is refused, nothing is \
            imported: each refusal is listed with its line, column and rule, and the exit status is 1. Nothing between two \
            separators is null, "" is an empty text.
            """)

    @Argument(help: "The table, by the name that methods begin with.") var table: String
    @Argument(help: "The file; - for standard input.") var file: String
    @Flag(help: "Write nothing; print what would be refused.") var dryRun = false
    @Flag(help: "Import the other rows when some are refused.") var skipRefused = false
    @Flag(help: "Import empty text as null in columns that are not required.") var emptyAsNull = false
    @Option(help: "Columns of the file that are not imported, separated by commas, such as id,created_at.")
    var ignore: String?
    @OptionGroup var company: CompanyOption
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var files: MigrationOptions
    @OptionGroup var log: LogOptions

    package init() {}

    package func run() async throws {
        var options = CSVImport.Options()
        options.isDryRun = dryRun
        options.skipsRefused = skipRefused
        options.emptyIsNull = emptyAsNull
        options.ignored = Set((ignore ?? "").split(separator: ",").map { String($0) })
        let target = try TableFile(named: table, in: files.domains.served().all)
        let path = file == "-" ? file : file.absolutePath
        var isClean = false
        try await database.withDatabase(log, creating: true, company: company.id) { [options] database, owner in
            try await database.migrateIfEmbedded(from: files.sources(), owner)
            try await company.check(owner)
            let progress = ImportProgress()
            let report = try await CSVImport(target, owner: owner).run(path, options) { progress.note($0) }
            progress.end()
            show(report)
            isClean = report.refused == 0 || report.isDone
        }
        guard isClean else { throw ExitCode(1) }
    }

    private func show(_ report: CSVImport.Report) {
        let accepted = report.rows - report.refused
        let verb = report.isDone ? "imported" : "could be imported"
        let more = report.isIncomplete ? " or more" : ""
        printLine("\(report.rows) rows: \(accepted) \(verb), \(report.refused)\(more) refused")
        if !report.isDone, !dryRun { printLine("nothing was imported") }
    }
}

/// Shows problems on standard output, and how far an import is when standard error is a terminal.
private final class ImportProgress: Sendable {
    /// As many as a person reads.
    private static let shown = 1000

    private let state = Mutex((problems: 0, isLineOpen: false))
    private let isTerminal = isatty(STDERR_FILENO) == 1

    func note(_ event: CSVImport.Event) {
        switch event {
        case .problem(let problem):
            let number = state.withLock { state in
                state.problems += 1
                return state.problems
            }
            guard number <= Self.shown else { return }
            closeLine()
            let column = problem.column.map { ", \($0)" } ?? ""
            printLine("refused: line \(problem.line)\(column): \(problem.rule): \(problem.message)")
        case .read(let count): show("\(count) rows read")
        case .inserted(let count): show("\(count) rows inserted")
        }
    }

    func end() {
        closeLine()
        let more = state.withLock { $0.problems } - Self.shown
        if more > 0 { printLine("and \(more) further problems") }
    }

    private func show(_ text: String) {
        guard isTerminal else { return }
        state.withLock { $0.isLineOpen = true }
        write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
    }

    private func closeLine() {
        let wasOpen = state.withLock { state in
            defer { state.isLineOpen = false }
            return state.isLineOpen
        }
        if wasOpen { write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}
