import Foundation
import PostgresDriver
import TestPostgres

@testable import Migrations

/// A folder of migrations and an empty database to apply them to, both gone after the test.
struct MigrationFolder {
    let path: String
    let database: TestDatabase
    let client: PostgresClient

    /// The first file of each test: it makes the record that the others write themselves into.
    static let first = """
        CREATE TABLE public.learntrack_migrations (
            name text PRIMARY KEY, checksum text, applied_at timestamptz NOT NULL DEFAULT now());
        INSERT INTO public.learntrack_migrations (name) VALUES ('0001_first.sql') ON CONFLICT DO NOTHING;
        """

    static func with(_ body: (MigrationFolder) async throws -> Void) async throws {
        let path = "/tmp/lt-migrations-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let database = try await TestDatabase.create(migrated: false)
        var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
        configuration.acquireTimeout = .seconds(60)
        let folder = MigrationFolder(path: path, database: database, client: PostgresClient(configuration))
        var failure: (any Error)?
        do {
            try folder.write(first, to: "0001_first.sql")
            try await body(folder)
        } catch {
            failure = error
        }
        await folder.client.shutdown()
        try await database.drop()
        try FileManager.default.removeItem(atPath: path)
        if let failure { throw failure }
    }

    func write(_ sql: String, to name: String) throws {
        try Data(sql.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    /// One that has read the folder as it is now.
    var migrator: Migrator {
        get throws { try Migrator(folder: path, client: client) }
    }

    /// The message with which `migrate up` is refused; nil when it is not.
    func refusal() async throws -> String? {
        do {
            try await migrator.up()
            return nil
        } catch let error as MigrationError {
            return error.description
        }
    }
}
