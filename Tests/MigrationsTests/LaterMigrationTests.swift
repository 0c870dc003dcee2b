import Foundation
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import Migrations

/// A schema that a later version of the server has migrated, and the files of the version before.
@Suite struct LaterMigrationTests {
    private static let later = ReleaseVersion(1, 1, 0)

    private static func function(_ body: String) -> String {
        "CREATE OR REPLACE FUNCTION public.answer() RETURNS text LANGUAGE sql RETURN \(body);"
    }

    /// Has 1.0.0 and then 1.1.0 migrate a database, and gives the migrator of 1.0.0 with the files of its time.
    private static func upgraded(
        by file: String, _ body: (_ older: Migrator, _ folder: MigrationFolder) async throws -> Void
    ) async throws {
        try await MigrationFolder.with { folder in
            try folder.write(Self.function("'older'"), to: "kernel/functions/answer.sql")
            let older = try folder.migrator(version: .init(1, 0, 0))
            try await older.up()
            try folder.write(file, to: "kernel/0002_later.sql")
            try folder.write(Self.function("'later'"), to: "kernel/functions/answer.sql")
            try folder.write("SELECT 1;", to: "kernel/functions/later.sql")
            let newer = try folder.migrator(version: later)
            #expect(try await !newer.status().isUpToDate)
            #expect(
                try await newer.up()
                    == ["kernel/0002_later.sql", "kernel/functions/answer.sql", "kernel/functions/later.sql"])
            #expect(try await newer.status().isUpToDate)
            try await body(older, folder)
        }
    }

    @Test func `an older version serves beside migrations that are safe for it, and undoes no function of theirs`()
        async throws
    {
        let file =
            "-- A table.\n--\n-- Safe from: 1.0.0\n-- Locks: nothing that exists before it\nCREATE TABLE later ();"
        try await Self.upgraded(by: file) { older, folder in
            let status = try await older.status()
            #expect(status.isUpToDate)
            #expect(status.breakingReason == nil)
            #expect(
                status.later == ["kernel/0002_later.sql", "kernel/functions/answer.sql", "kernel/functions/later.sql"])
            #expect(try await older.up() == [])
            #expect(try await folder.database.psql("SELECT answer()") == "later")
        }
    }

    @Test func `a build serves beside a safe migration that a later build of the same version has added`() async throws
    {
        try await MigrationFolder.with { folder in
            try folder.write("-- Safe from: 1.0.0\nSELECT 1;", to: "kernel/0002_second.sql")
            let older = try folder.migrator(version: .init(1, 0, 0))
            try folder.write("-- Safe from: 1.0.0\nCREATE TABLE later ();", to: "kernel/0003_later.sql")
            try await folder.migrator(version: .init(1, 0, 0)).up()
            let status = try await older.status()
            #expect(status.isUpToDate)
            #expect(status.later == ["kernel/0003_later.sql"])
            #expect(try await older.up() == [])
            // A file of its own that is lost is no later one.
            try folder.remove("kernel/0002_second.sql")
            let damaged = try await folder.migrator(version: .init(1, 0, 0)).status()
            #expect(damaged.first { $0.path == "kernel/0002_second.sql" }?.state == .missing)
        }
    }

    @Test(arguments: ["-- Safe from: 1.1.0\nCREATE TABLE later ();", "CREATE TABLE later ();"])
    func `an older version does not serve beside a migration that needs a later one, or that does not say`(
        file: String
    ) async throws {
        try await Self.upgraded(by: file) { older, folder in
            let status = try await older.status()
            #expect(!status.isUpToDate)
            let reason = try #require(status.breakingReason)
            #expect(reason.contains("kernel/0002_later.sql") && reason.contains("1.1.0 or later"), "\(reason)")
            await #expect(throws: MigrationError(reason)) { try await older.up() }
            #expect(try await folder.database.psql("SELECT answer()") == "later")
        }
    }

    @Test func `versions are compared by their numbers`() throws {
        let texts = ["0.9.12", "1.0.0", "1.0.2", "1.0.10", "1.2.0", "10.0.0"]
        let versions = try texts.map { try #require(ReleaseVersion($0)) }
        #expect(versions.reversed().sorted() == versions)
        #expect(versions.map(\.description) == texts)
        for text in ["", "1", "1.0", "1.0.0.0", "1.0.x", "1.0.-1", "v1.0.0", "1..0"] {
            #expect(ReleaseVersion(text) == nil, "\(text)")
        }
    }

    private static var folders: [URL] {
        get throws {
            let project = URL(filePath: try ProjectFiles.migrationsFolder()).deletingLastPathComponent()
            let own = ["kernel", "crm", "counting"].map { "migrations/\($0)" }
            return (own + ["Examples/Bookshop/migrations/bookshop", "Tests/ProbeDomain/migrations/probe"])
                .map { project.appending(path: $0) }
        }
    }

    @Test func `each file of functions of the project records its name and digest, for those who run it with psql`()
        throws
    {
        let migrations = try ProjectFiles.migrationsFolder()
        for folder in try Self.folders where folder.path.hasPrefix(migrations) {
            let source = MigrationSource(domain: folder.lastPathComponent, folder: folder.path)
            for file in try MigrationFile.all(of: source) where file.isRepeatable {
                let line = "SELECT kernel.note_file('\(file.domain)', '\(file.name)', '\(file.digest ?? "")');"
                #expect(file.sql.hasSuffix("\n\(line)\n"), "\(file.path) does not end with \(line): run script/digests")
            }
        }
    }

    @Test func `each numbered file of the project says which version may serve beside it, and what it locks`() throws {
        for folder in try Self.folders {
            let source = MigrationSource(domain: folder.lastPathComponent, folder: folder.path)
            let files = try MigrationFile.all(of: source).filter { !$0.isRepeatable }
            #expect(!files.isEmpty)
            for file in files {
                let safeFrom = try #require(file.header.safeFrom, "\(file.path) has no line '-- Safe from: VERSION'")
                // A file of a version that does not exist yet would keep the present one from serving.
                #expect(safeFrom <= .current, "\(file.path)")
                #expect(file.header.locks != nil, "\(file.path) has no line '-- Locks: …'")
            }
        }
    }
}
