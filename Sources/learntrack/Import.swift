import ApplicationImport
import ArgumentParser
import ServerProgram

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import records from another system.", subcommands: [ImportCSV.self, SQLite.self, Supabase.self])

    struct Supabase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a Supabase project: users with their passwords, formateurs, clients, ecoles, sessions.",
            discussion: """
                Ids are kept. Rows that were imported before are left unchanged. When a row is refused, nothing is \
                imported: each refusal is listed with its row, column, rule and remedy, and the exit status is 1. A table that \
                is neither found nor named by --without is an error.
                """)

        @Argument(help: "The project's database (postgres://…), or a dump of it: SQL, or an archive of pg_dump.")
        var source: String
        @Option(help: "Tables that the project does not have, separated by commas, such as ecoles,users.") var without:
            String?
        @OptionGroup var choices: ImportChoices
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await choices.run(database, files, log) {
                try await ImportSource.read(source, without: tableNames(in: without))
            }
        }
    }

    struct SQLite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sqlite",
            abstract:
                "Import the SQLite file of the web CRM: users with their passwords, formateurs, clients, ecoles, sessions.",
            discussion: """
                Tables and columns have the names here, or those of a mapping file: {"sessions": {"table": "formations", \
                "columns": {"module": "titre"}, "values": {"modalite": {"presentiel": "P"}}}}. The rest is as with \
                'import supabase'. A table that is neither found nor named by --without is an error. Import a copy of the file, made by sqlite3's .backup or while the application is stopped.
                """)

        @Argument(help: "The SQLite file.") var source: String
        @Option(help: "A JSON file with the names of tables and columns that are others than here.") var mapping:
            String?
        @Option(help: "Tables that the file does not have, separated by commas, such as ecoles,users.") var without:
            String?
        @OptionGroup var choices: ImportChoices
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let domains = try files.domains.served().all
            try await choices.run(database, files, log) {
                let mapping = try mapping.map { try SQLiteMapping(contentsOf: $0, domains: domains) } ?? SQLiteMapping()
                return try ImportSource.read(
                    sqlite: source, mapping, without: tableNames(in: without), domains: domains)
            }
        }
    }
}

private func tableNames(in list: String?) -> Set<String> {
    Set((list ?? "").split(separator: ",").map { String($0) })
}

/// What to do with rows that are refused, and the import itself.
struct ImportChoices: ParsableArguments {
    @Flag(help: "Write nothing; print what would be imported and what would be refused.") var dryRun = false
    @Flag(help: "Import the other rows when some are refused.") var skipRefused = false
    @Flag(help: "Import empty text as null in columns that are not required.") var emptyAsNull = false

    func run(
        _ database: DatabaseOptions, _ files: MigrationOptions, _ log: LogOptions,
        reading read: () async throws -> ImportSource
    ) async throws {
        var options = ApplicationImport.Options()
        options.isDryRun = dryRun
        options.skipsRejected = skipRefused
        options.emptyIsNull = emptyAsNull
        let domains = try files.domains.served().all
        var isClean = false
        try await database.withDatabase(log, creating: true) { [options] database, owner in
            try await database.migrateIfEmbedded(from: files.sources(), owner)
            try await database.requireOneCompany(owner)
            do {
                let report = try await ApplicationImport(domains: domains, owner: owner).run(try await read(), options)
                show(report)
                isClean = report.problems.isEmpty || report.isDone
            } catch let error as ApplicationImportError {
                throw CommandError("\(error)")
            }
        }
        guard isClean else { throw ExitCode(1) }
    }

    private func show(_ report: ApplicationImport.Report) {
        let width = report.tables.map(\.name.count).max() ?? 0
        for table in report.tables {
            let verb = dryRun ? "to import" : "imported"
            printLine(
                "\(table.name.padding(toWidth: width))  \(table.imported) \(verb), \(table.alreadyHere) already here, "
                    + "\(table.rejected) refused")
        }
        for note in report.notes { printLine("note: \(note)") }
        for problem in report.problems {
            let column = problem.column.map { " \($0)" } ?? ""
            printLine("refused: \(problem.table) \(problem.row)\(column): \(problem.rule): \(problem.remedy)")
        }
        if !report.isDone, !dryRun { printLine("nothing was imported") }
    }
}
