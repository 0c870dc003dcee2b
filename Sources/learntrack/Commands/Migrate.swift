import ArgumentParser
import Migrations

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date, or show its state.", subcommands: [Up.self, Status.self])

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Apply the migrations that are pending.")

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let folder = try files.folder()
            try await database.withDatabase(log) { _, owner in
                let applied = try await Migrator(folder: folder, client: owner).up { progress in
                    switch progress {
                    case .waitingForLock: printLine("waiting for another process that is migrating this database")
                    case .applied(let name): printLine("applied \(name)")
                    case .recorded(let name): printLine("recorded the checksum of \(name), which was applied by hand")
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
            let folder = try files.folder()
            var isUpToDate = false
            try await database.withDatabase(log) { _, owner in
                let migrations = try await Migrator(folder: folder, client: owner).status()
                for migration in migrations {
                    let state = migration.state.rawValue.padding(toWidth: 16)
                    printLine("\(state) \(migration.name)\(migration.appliedAt.map { "  (\($0))" } ?? "")")
                }
                isUpToDate = migrations.isUpToDate
            }
            guard isUpToDate else { throw ExitCode(1) }
        }
    }
}
