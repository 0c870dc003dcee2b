import Foundation
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import Migrations

@Suite struct MigratorTests {
    @Test func `a migrator applies each file once, in the order of names`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("INSERT INTO steps VALUES ('third')", to: "kernel/0010_third.sql")
            try folder.write(
                "CREATE TABLE steps (name text); INSERT INTO steps VALUES ('second')", to: "kernel/0002_second.sql")
            let events = EventRecorder<Migrator.Progress>()
            let applied = try await folder.migrator.up { events.record($0) }
            #expect(applied == ["kernel/0001_first.sql", "kernel/0002_second.sql", "kernel/0010_third.sql"])
            #expect(events.all == applied.map { .applied($0) })
            let again = try await folder.migrator.up()
            #expect(again == [])
            let steps = try await folder.database.psql("SELECT string_agg(name, ' ') FROM steps")
            #expect(steps == "second third")

            try folder.write("INSERT INTO steps VALUES ('fourth')", to: "kernel/0011_fourth.sql")
            let added = try await folder.migrator.up()
            #expect(added == ["kernel/0011_fourth.sql"])
        }
    }

    @Test func `what a file says to do before it is done outside a transaction, again after a failure`() async throws {
        try await MigrationFolder.with { folder in
            let header = """
                -- The names.
                --
                -- Before: DROP INDEX CONCURRENTLY IF EXISTS steps_name_idx
                -- Before: CREATE INDEX CONCURRENTLY steps_name_idx ON steps (name)

                """
            try folder.write("CREATE TABLE steps (name text)", to: "kernel/0002_second.sql")
            try folder.write(header + "SELECT 1 / 0", to: "kernel/0003_third.sql")
            let error = try await folder.error()
            #expect(error?.contains("division by zero") == true)
            let built = try await folder.database.psql(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = 'steps_name_idx'::regclass")
            #expect(built == "t")
            try folder.write(
                header + "ALTER TABLE steps ADD PRIMARY KEY (name); DROP INDEX steps_name_idx",
                to: "kernel/0003_third.sql")
            let applied = try await folder.migrator.up()
            #expect(applied == ["kernel/0003_third.sql"])

            try folder.write(
                "-- Before: CREATE INDEX CONCURRENTLY ON nothing (name)\nSELECT 1", to: "kernel/0004_fourth.sql")
            let named = try await folder.error()
            #expect(
                named
                    == "migration kernel/0004_fourth.sql, before it: CREATE INDEX CONCURRENTLY ON nothing (name): "
                    + "relation \"nothing\" does not exist")
            let pending = try await folder.migrator.status().last?.state
            #expect(pending == .pending)
        }
    }

    @Test func `an index that is built concurrently does not wait for migrators that wait`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("CREATE TABLE steps (name text)", to: "kernel/0002_second.sql")
            try folder.write(
                """
                -- Before: SELECT pg_sleep(1)
                -- Before: CREATE INDEX CONCURRENTLY steps_name_idx ON steps (name)
                SELECT 1
                """, to: "kernel/0003_third.sql")
            let (one, other) = (try folder.migrator, try folder.migrator)
            async let first = one.up()
            async let second = other.up()
            let applied = try await first + second
            #expect(applied.count == 3)
        }
    }

    @Test func `the status shows applied and pending files and changes nothing`() async throws {
        try await MigrationFolder.with { folder in
            let before = try await folder.migrator.status()
            #expect(before == [MigrationStatus(path: "kernel/0001_first.sql", state: .pending, appliedAt: nil)])
            #expect(!before.isUpToDate)
            try await folder.migrator.up()
            let after = try await folder.migrator.status()
            #expect(after.map(\.state) == [.applied])
            #expect(after.isUpToDate)
            #expect(after.first?.appliedAt != nil)
        }
    }

    @Test func `a file that was changed after it was applied is an error`() async throws {
        try await MigrationFolder.with { folder in
            try await folder.migrator.up()
            try folder.write(MigrationFolder.first + " ", to: "kernel/0001_first.sql")
            let error = try await folder.error()
            #expect(error?.contains("kernel/0001_first.sql was changed") == true)
            let states = try await folder.migrator.status().map(\.state)
            #expect(states == [.changed])
        }
    }

    @Test func `when an applied file is missing, no other file is applied`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("SELECT 1", to: "kernel/0002_second.sql")
            try await folder.migrator.up()
            try folder.remove("kernel/0002_second.sql")
            try folder.write("CREATE TABLE late ()", to: "kernel/0003_third.sql")
            let error = try await folder.error()
            #expect(error?.contains("kernel/0002_second.sql was applied") == true)
            let late = try await folder.database.psql("SELECT to_regclass('late') IS NULL")
            #expect(late == "t")
        }
    }

    @Test func `files that were run by hand with psql get their checksums recorded`() async throws {
        try await MigrationFolder.with { folder in
            try await folder.database.psql(MigrationFolder.first)
            let before = try await folder.migrator.status()
            #expect(before.map(\.state) == [.appliedByHand])
            #expect(before.isUpToDate)
            let applied = try await folder.migrator.up()
            #expect(applied == [])
            let after = try await folder.migrator.status()
            #expect(after.map(\.state) == [.applied])
            let checksum = try await folder.database.psql("SELECT checksum FROM kernel.migrations")
            let file = try MigrationFile(
                domain: "kernel", name: "0001_first.sql", content: Data(MigrationFolder.first.utf8))
            #expect(checksum == file.checksum)
        }
    }

    @Test func `a file of functions that was run by hand is up to date while it is the present one`() async throws {
        try await MigrationFolder.with { folder in
            /// The file as `script/digests` makes it.
            func file(_ number: Int) throws -> String {
                let text = "CREATE OR REPLACE FUNCTION kernel.one() RETURNS integer LANGUAGE sql RETURN \(number);\n\n"
                let unsigned = text + "SELECT kernel.note_file('kernel', 'functions/one.sql', '');\n"
                let digest = try MigrationFile(
                    domain: "kernel", name: "functions/one.sql", content: Data(unsigned.utf8)
                ).digest
                return text + "SELECT kernel.note_file('kernel', 'functions/one.sql', '\(digest ?? "")');\n"
            }
            try folder.write(try file(1), to: "kernel/functions/one.sql")
            try await folder.database.psql(MigrationFolder.first)
            try await folder.database.psql(
                """
                CREATE FUNCTION kernel.note_file(domain text, name text, digest text) RETURNS void LANGUAGE sql AS $$
                    INSERT INTO kernel.migrations VALUES ($1, $2, $3)
                    ON CONFLICT (domain, name) DO UPDATE SET checksum = excluded.checksum
                $$
                """)
            #expect(try await folder.migrator.status().map(\.state) == [.appliedByHand, .pending])
            try await folder.database.psql(file(0))
            #expect(try await folder.migrator.status().map(\.state) == [.appliedByHand, .pending])
            try await folder.database.psql(file(1))
            let before = try await folder.migrator.status()
            #expect(before.map(\.state) == [.appliedByHand, .appliedByHand])
            #expect(before.isUpToDate)
            // A later version has another file.
            try folder.write(try file(2), to: "kernel/functions/one.sql")
            #expect(try await folder.migrator.status().map(\.state) == [.appliedByHand, .pending])
            // One that does not say what it was, is none of this version.
            try await folder.database.psql("UPDATE kernel.migrations SET checksum = NULL")
            #expect(try await folder.migrator.status().map(\.state) == [.appliedByHand, .pending])
            #expect(try await folder.migrator.up() == ["kernel/functions/one.sql"])
            #expect(try await folder.database.psql("SELECT kernel.one()") == "2")
            #expect(try await folder.migrator.status().map(\.state) == [.applied, .applied])
            #expect(try await folder.migrator.up() == [])
        }
    }

    @Test func `a file that fails is rolled back, its line is named, and the lock is released`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("CREATE TABLE kept ()", to: "kernel/0002_kept.sql")
            try folder.write(
                "-- é\nCREATE TABLE undone ();\n\nSELECT nothing\nFROM nowhere;\n", to: "kernel/0003_broken.sql")
            let error = try await folder.error()
            #expect(error?.contains("kernel/0003_broken.sql, line 5: ") == true)
            #expect(error?.contains("nowhere") == true)
            let tables = try await folder.database.psql("SELECT to_regclass('kept'), to_regclass('undone') IS NULL")
            #expect(tables == "kept|t")
            let locks = try await folder.database.psql(
                """
                SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
                WHERE locktype = 'advisory' AND datname = current_database()
                """)
            #expect(locks == "0")

            try folder.write("CREATE TABLE mended ()", to: "kernel/0003_broken.sql")
            let applied = try await folder.migrator.up()
            #expect(applied == ["kernel/0003_broken.sql"])
        }
    }

    @Test func `several migrators at the same time apply each file once`() async throws {
        try await MigrationFolder.with { folder in
            try folder.write("CREATE TABLE once (); SELECT pg_sleep(0.1)", to: "kernel/0002_once.sql")
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<3 { group.addTask { try await folder.migrator.up() } }
                return try await group.reduce(into: [String]()) { $0 += $1 }
            }
            #expect(applied.sorted() == ["kernel/0001_first.sql", "kernel/0002_once.sql"])
        }
    }

    @Test func `a migrator reports that it waits while another process holds the lock`() async throws {
        try await MigrationFolder.with { folder in
            let isWaiting = AsyncStream<Void>.makeStream()
            let applied = try await folder.client.withConnection { connection in
                _ = try await connection.query(Statement("SELECT pg_advisory_lock(\(Migrator.lockKey))::text"))
                async let applied = folder.migrator.up { progress in
                    if progress == .waitingForLock { isWaiting.continuation.finish() }
                }
                for await _ in isWaiting.stream {}
                _ = try await connection.query(Statement("SELECT pg_advisory_unlock(\(Migrator.lockKey))::text"))
                return try await applied
            }
            #expect(applied == ["kernel/0001_first.sql"])
        }
    }
}
