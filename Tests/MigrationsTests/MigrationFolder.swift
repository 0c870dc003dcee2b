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

    /// The first file of each test. It creates the table in which the applied files are recorded.
    static let first = """
        CREATE TABLE public.learntrack_migrations (
            name text PRIMARY KEY, checksum text, applied_at timestamptz NOT NULL DEFAULT now());
        INSERT INTO public.learntrack_migrations (name) VALUES ('0001_first.sql') ON CONFLICT DO NOTHING;
        """

    static func with(_ body: (MigrationFolder) async throws -> Void) async throws {
        let database = try await TestDatabase.create(migrated: false)
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.acquireTimeout = .seconds(60)
        let folder = MigrationFolder(
            folder: try TemporaryFolder(), database: database, client: PostgresClient(configuration))
        var failure: (any Error)?
        do {
            try folder.write(first, to: "0001_first.sql")
            try await body(folder)
        } catch {
            failure = error
        }
        await folder.client.shutdown()
        try await database.drop()
        if let failure { throw failure }
    }

    func write(_ sql: String, to name: String) throws {
        try folder.write(sql, to: name)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: folder.url(name))
    }

    /// A migrator that has read the present files.
    var migrator: Migrator {
        get throws { try Migrator(folder: folder.path, client: client) }
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
