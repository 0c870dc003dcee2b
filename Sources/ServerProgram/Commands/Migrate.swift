import ArgumentParser
import Migrations

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date, or show its state.",
        subcommands: [Up.self, Status.self, New.self, Check.self])

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Apply the migrations that are pending.")

        @Flag(
            help:
                "Apply the files of functions again, also those that are applied: makes functions again that were dropped."
        ) var functions = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let sources = try files.sources()
            try await database.withDatabase(log, creating: true) { _, owner in
                let applied = try await Migrator(sources: sources, client: owner).up(
                    reapplyingFunctions: functions
                ) { progress in
                    switch progress {
                    case .waitingForLock: printLine("waiting for another process that is migrating this database")
                    case .applied(let file): printLine("applied \(file)")
                    case .recorded(let file): printLine("recorded the checksum of \(file), which was applied by hand")
                    }
                }
                if applied.isEmpty { printLine("the schema is up to date") }
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show each migration and its state. Exits with status 1 if the schema is not up to date.")

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let sources = try files.sources()
            var isUpToDate = false
            try await database.withDatabase(log) { _, owner in
                let migrations = try await Migrator(sources: sources, client: owner).status()
                for migration in migrations {
                    let state = migration.state.rawValue.padding(toWidth: 16)
                    let note = migration.appliedAt ?? migration.locks.map { "locks \($0)" }
                    printLine("\(state) \(migration.path)\(note.map { "  (\($0))" } ?? "")")
                }
                isUpToDate = migrations.isUpToDate
            }
            guard isUpToDate else { throw ExitCode(1) }
        }
    }
}
