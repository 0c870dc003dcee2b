import Foundation
import PostgresDriver
import TestPostgres
import TestSupport

@testable import Migrations

/// A folder of migrations and an empty database to apply them to. Both are removed after the test.
struct MigrationFolder {
    private let folder: TemporaryFolder
    let database: TestDatabase
    let client: PostgresClient

    /// The first file of each test, `kernel/0001_first.sql`. It creates the table in which the applied files are recorded.
    static let first = """
        CREATE SCHEMA kernel;
        CREATE TABLE kernel.migrations (
            domain text, name text, checksum text, applied_at timestamptz NOT NULL DEFAULT now(),
            applied_by text, safe_from text, PRIMARY KEY (domain, name));
        INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0001_first.sql') ON CONFLICT DO NOTHING;
        """

    static func with(_ body: (MigrationFolder) async throws -> Void) async throws {
        let database = try await TestDatabase.create(migrated: false)
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.acquireTimeout = .seconds(60)
        let folder = MigrationFolder(
            folder: try TemporaryFolder(), database: database, client: PostgresClient(configuration))
        var failure: (any Error)?
        do {
            try folder.write(first, to: "kernel/0001_first.sql")
            try await body(folder)
        } catch {
            failure = error
        }
        await folder.client.shutdown()
        try await database.drop()
        if let failure { throw failure }
    }

    /// - Parameter name: the path of the file, such as `kernel/0002_second.sql`.
    func write(_ sql: String, to name: String) throws {
        try FileManager.default.createDirectory(
            at: folder.url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try folder.write(sql, to: name)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: folder.url(name))
    }

    /// The folder of a domain, whether or not it has files.
    func source(_ domain: String, requires: [String] = []) -> MigrationSource {
        MigrationSource(domain: domain, folder: folder.path + "/" + domain, requires: requires)
    }

    /// A migrator that has read the present files of the kernel and of `domains`.
    func migrator(_ domains: MigrationSource..., version: ReleaseVersion = .current) throws -> Migrator {
        try Migrator(sources: [source(MigrationSource.kernel)] + domains, client: client, version: version)
    }

    /// A migrator that has read the present files of the kernel.
    var migrator: Migrator {
        get throws { try migrator() }
    }

    /// The message of the error that applying the files throws; nil when there is none.
    func error() async throws -> String? {
        do {
            try await migrator.up()
            return nil
        } catch let error as MigrationError {
            return error.description
        }
    }
}
