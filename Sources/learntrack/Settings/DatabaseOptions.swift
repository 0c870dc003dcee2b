import ArgumentParser
import EmbeddedPostgres
import Logging

/// Which database a command works on.
struct DatabaseOptions: ParsableArguments {
    @Option(name: Settings.databaseURL.flag, help: Settings.databaseURL.help) var databaseURL: String?
    @Option(name: Settings.dataDirectory.flag, help: Settings.dataDirectory.help) var dataDirectory: String?

    /// The database's address; nil for the embedded one.
    func url() throws -> String? { try Settings.databaseURL.value(databaseURL) }

    func directory() throws -> DataDirectory {
        try DataDirectory(try Settings.dataDirectory.value(dataDirectory))
    }
}

/// Where the SQL files are.
struct MigrationOptions: ParsableArguments {
    @Option(name: Settings.migrations.flag, help: Settings.migrations.help) var migrations: String?

    func folder() throws -> String { try MigrationsFolder.find(try Settings.migrations.value(migrations)) }
}
