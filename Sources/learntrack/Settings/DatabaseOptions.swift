import ArgumentParser
import EmbeddedPostgres
import Foundation

/// The settings that choose the database.
struct DatabaseOptions: ParsableArguments {
    @Option(name: Settings.databaseURL.flag, help: Settings.databaseURL.help) var databaseURL: String?
    @Option(name: Settings.dataDirectory.flag, help: Settings.dataDirectory.help) var dataDirectory: String?

    /// The address of the database; nil: the embedded one.
    func url() throws -> String? { try Settings.databaseURL.value(databaseURL) }

    func directory() throws -> DataDirectory {
        try DataDirectory(try Settings.dataDirectory.value(dataDirectory))
    }
}

/// The setting of the folder of the migrations.
struct MigrationOptions: ParsableArguments {
    @Option(name: Settings.migrations.flag, help: Settings.migrations.help) var migrations: String?

    func folder() throws -> String { try MigrationsFolder.find(try Settings.migrations.value(migrations)) }
}

/// Finds the folder of the migrations.
enum MigrationsFolder {
    /// - Parameter given: the setting; nil: looks in the folders above the program, then in the working directory.
    static func find(_ given: String?) throws -> String {
        if let given {
            guard containsMigrations(given) else { throw CommandError("there are no migrations in \(given)") }
            return given
        }
        guard let found = candidates.first(where: containsMigrations) else {
            throw CommandError("no migrations found beside the program or in the working directory: give --migrations")
        }
        return found
    }

    private static var candidates: [String] {
        var folders: [String] = []
        if let program = Bundle.main.executablePath {
            var folder = URL(fileURLWithPath: program).resolvingSymlinksInPath().deletingLastPathComponent()
            while folder.path != "/" {
                folders.append(folder.appendingPathComponent("migrations").path)
                folders.append(folder.appendingPathComponent("share/learntrack/migrations").path)
                folder.deleteLastPathComponent()
            }
        }
        return folders + [FileManager.default.currentDirectoryPath + "/migrations"]
    }

    private static func containsMigrations(_ folder: String) -> Bool {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue else {
            return false
        }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .contains { $0.hasPrefix("0001_") && $0.hasSuffix(".sql") }
        } catch {
            return false
        }
    }
}

/// The settings of the connection pools.
struct PoolOptions: ParsableArguments {
    @Option(name: Settings.authDatabaseURL.flag, help: Settings.authDatabaseURL.help) var authDatabaseURL: String?
    @Option(name: Settings.pooler.flag, help: Settings.pooler.help) var pooler: String?
    @Option(name: Settings.listenURL.flag, help: Settings.listenURL.help) var listenURL: String?
    @Option(name: Settings.replicaURLs.flag, help: Settings.replicaURLs.help) var replicaURL: String?
    @Option(name: Settings.replicaMaxLag.flag, help: Settings.replicaMaxLag.help) var replicaMaxLag: String?
    @Option(name: Settings.poolSize.flag, help: Settings.poolSize.help) var poolSize: String?
    @Option(name: Settings.authPoolSize.flag, help: Settings.authPoolSize.help) var authPoolSize: String?
    @Option(name: Settings.acquireTimeout.flag, help: Settings.acquireTimeout.help) var acquireTimeout: String?
    @Option(name: Settings.timeZone.flag, help: Settings.timeZone.help) var timeZone: String?

    func clients() throws -> DatabaseClients.Configuration {
        let zone = try Settings.timeZone.value(timeZone)
        guard TimeZone(identifier: zone) != nil else { throw CommandError("--time-zone: there is no '\(zone)'") }
        return DatabaseClients.Configuration(
            authConnectionString: try Settings.authDatabaseURL.value(authDatabaseURL),
            directConnectionString: try Settings.listenURL.value(listenURL),
            pooling: try Settings.pooler.value(pooler),
            replicas: try Settings.replicaURLs.value(replicaURL),
            replicaMaxLag: try Settings.replicaMaxLag.value(replicaMaxLag),
            poolSize: try Settings.poolSize.value(poolSize),
            authPoolSize: try Settings.authPoolSize.value(authPoolSize),
            acquireTimeout: try Settings.acquireTimeout.value(acquireTimeout), timeZone: zone)
    }
}

/// Parses several addresses in one setting. Commas separate them, and also the hosts within one address, so an address
/// begins at a scheme or at a `key=`.
enum ReplicaURLs {
    static func list(_ text: String) -> [String] {
        var addresses: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if addresses.isEmpty || begins(part) {
                addresses.append(String(part))
            } else {
                addresses[addresses.count - 1] += ",\(part)"
            }
        }
        return addresses.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func begins(_ part: Substring) -> Bool {
        let part = part.drop(while: \.isWhitespace)
        if part.hasPrefix("postgres://") || part.hasPrefix("postgresql://") { return true }
        let key = part.prefix { $0.isLetter || $0 == "_" }
        return !key.isEmpty && part[key.endIndex...].hasPrefix("=")
    }
}
