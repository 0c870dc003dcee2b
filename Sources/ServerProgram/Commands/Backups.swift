import ArgumentParser
import Backups
import DomainKit
import EmbeddedPostgres
import FoundationEssentials
import Glibc
import Migrations
import PostgresDriver

struct MakeBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write everything that the database has into a file, also while a server runs.",
        discussion: """
            The file is an archive of pg_dump in its custom format, followed by the version of the schema and a checksum. \
            It has all data and secrets: passwords are in it as hashes. The secret that signs access tokens is not.
            """)

    @Argument(help: "The file.") var file: String
    @Flag(help: "Replace a file that exists, when the new one is complete.") var overwrite = false
    @Flag(help: "Leave out the bytes of the files that accounts have given.") var withoutFiles = false
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        try await database.withDatabase(log) { database, owner in
            let backup = Backup(
                tools: try await database.tools(owner), owner: owner, program: ServerProgram.version,
                fileTables: ["kernel.file_bytes", "kernel.file_pictures"])
            let path = file.absolutePath
            let (manifest, size) = try await backup.write(
                to: path, overwriting: overwrite, hasFiles: !withoutFiles)
            let files = withoutFiles ? ", without files" : ""
            printLine("wrote \(path): \(size.inUnits), the database at \(manifest.takenAt)\(files)")
        }
    }
}

struct RestoreBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty database, or in the place of what the database has.",
        discussion: """
            All or nothing: when anything fails, the database is as it was. A backup that is damaged, incomplete or of a \
            later version of the schema is refused. Stop every server of the database before.
            """)

    @Argument(help: "A file that 'backup' has written.") var file: String
    @Flag(help: "Remove what the database has, after a question at the terminal.") var replace = false
    @Flag(help: "With --replace: do not ask.") var yes = false
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var files: MigrationOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let backup = try BackupFile(verifying: file.absolutePath)
        let version = try SchemaVersion(sources: files.allSources())
        if let obstacle = version.obstacle(to: backup.manifest.migrations) {
            throw CommandError("\(file) cannot be restored: \(obstacle)")
        }
        try await database.withDatabase(log, creating: true) { database, owner in
            let restore = Restore(tools: try await database.tools(owner), owner: owner)
            var contents = try await restore.contents()
            // A session ends a moment after its client.
            for _ in 0..<20 where contents.sessions > 0 {
                try await Task.sleep(for: .milliseconds(100))
                contents = try await restore.contents()
            }
            guard contents.sessions == 0 else {
                throw CommandError(
                    "the database is in use by \(contents.sessions) other sessions: stop the server and all others first"
                )
            }
            try announce(contents, backup.manifest)
            try await restore.run(backup, replacing: contents.schemas)
            printLine(
                "restored the database of \(backup.manifest.takenAt)"
                    + (backup.manifest.hasFiles ? "" : ", without the bytes of files"))
            if version.isBehind(backup.manifest.migrations) {
                printLine(
                    "its schema is older than this program: the next 'serve' or 'migrate up' brings it up to date")
            }
        }
    }

    /// Says what would go, and asks.
    private func announce(_ contents: Restore.Contents, _ manifest: BackupManifest) throws {
        guard !contents.schemas.isEmpty else { return }
        guard replace else {
            throw CommandError(
                "the database is not empty (\(contents.schemas.map(\.name).joined(separator: ", "))): restore into a new one,"
                    + " or give --replace")
        }
        printLine("These schemas of the database go, with all that they have:")
        for schema in contents.schemas {
            printLine("  \(schema.name): \(schema.tables) tables, about \(schema.rows) rows")
        }
        printLine("In their place comes the database of \(manifest.takenAt).")
        try confirm("Replace it?", isGiven: yes, orRefuse: "give --yes to replace it without a question")
    }
}

struct Psql: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open psql on the database, also on that of a running server.",
        discussion: "Arguments after -- are those of psql: learntrack psql -- -c 'SELECT count(*) FROM users'.")

    @Argument(parsing: .postTerminator, help: "Arguments of psql.") var arguments: [String] = []
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        var status: Int32 = 0
        try await database.withDatabase(log) { database, owner in
            status = try await database.tools(owner).openPsql(arguments)
        }
        guard status == 0 else { throw ExitCode(status) }
    }
}

extension OpenDatabase {
    /// The client programs of Postgres for this database.
    func tools(_ owner: PostgresClient) async throws -> PostgresTools {
        let version = try await owner.query(Self.serverVersion).text(0, 0).flatMap { Int($0) } ?? 0
        return try await PostgresTools(for: connectionString, version: version, isPrivate: isEmbedded)
    }

    private static let serverVersion = Statement("SELECT (current_setting('server_version_num')::int / 10000)::text")
}

extension MigrationOptions {
    /// The migrations of the kernel and of every domain that the program knows and has files of.
    func allSources() throws -> [MigrationSource] {
        let folder = try MigrationsFolder.find(try Settings.migrations.value(migrations))
        let known = ServerProgram.current.knownDomains.filter {
            FileManager.default.fileExists(atPath: folder + "/" + $0.name)
        }
        return try ServedDomains(known.map(\.name), of: known).migrations(in: folder)
    }
}

extension String {
    /// The path from the root of the file system.
    var absolutePath: String {
        hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
    }
}

extension Int {
    /// A number of bytes for people.
    var inUnits: String {
        switch self {
        case ..<10_000: "\(self) bytes"
        case ..<10_000_000: "\(self / 1000) kB"
        default: "\(self / 1_000_000) MB"
        }
    }
}
