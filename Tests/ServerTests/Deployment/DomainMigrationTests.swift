import Foundation
import TestPostgres
import TestSupport
import Testing

/// `learntrack migrate new` and `migrate check`.
@Suite struct DomainMigrationTests {
    private func run(
        _ arguments: [String], on database: TestDatabase, program: TestProgram = .learntrack,
        _ further: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await LearnTrackProcess.run(
            arguments, environment: ["DATABASE_URL": database.connectionString].merging(further) { $1 },
            program: program)
    }

    @Test func `a database that its migrations have made is as the domains declare`() async throws {
        try await TestDatabase.with { database in
            let checked = try await run(["migrate", "check"], on: database)
            #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
            #expect(checked.output.hasPrefix("the database is as crm"))
            let written = try await run(["migrate", "new", "crm"], on: database)
            #expect(written.output == "the database has what crm declares\n")
        }
    }

    @Test func `what differs is told with its remedy, and the migration that mends it is printed`() async throws {
        try await TestDatabase.with { database in
            try await database.psql(
                """
                REVOKE UPDATE ON clients FROM learntrack_admin;
                DROP TRIGGER kernel_journal_update ON ecoles;
                ALTER TABLE organisme ALTER COLUMN rcs TYPE varchar(10) USING left(rcs, 10);
                """)
            let checked = try await run(["migrate", "check", "crm"], on: database)
            #expect(checked.status == 1)
            #expect(
                checked.output.contains(
                    "crm: the journal has no changes of the table public.ecoles\n    in a migration: "))
            #expect(checked.output.contains("UPDATE"))
            let written = try await run(["migrate", "new", "crm", "rights"], on: database)
            #expect(written.output.hasPrefix("-- File: crm/00"))
            #expect(written.output.contains("_rights.sql\n"))
            #expect(written.output.contains("SELECT kernel.table_keep('public.ecoles')"))
            #expect(written.output.contains(") ON public.clients TO learntrack_admin;"))
            try await database.psql(written.output)
            let again = try await run(["migrate", "check", "crm"], on: database)
            #expect(again.status == 0, "\(again.output)")
        }
    }

    @Test func `a name that is none is refused with those that there are`() async throws {
        try await TestDatabase.with { database in
            for arguments in [["migrate", "new", "crn"], ["migrate", "new", "journal"], ["migrate", "check", "crn"]] {
                let refused = try await run(arguments, on: database)
                #expect(refused.status != 0)
                #expect(refused.errors.contains("there is no domain '\(arguments[2])'; there are: crm"))
            }
            let path = try await run(["migrate", "new", "crm", "../x", "--all"], on: database)
            #expect(path.errors.contains("'../x' cannot be part of the name of a file"))
        }
    }

    /// A new domain's first hour: its migrations are written into its folder, applied, and served.
    @Test func `files are written, applied as they are, and not replaced`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let migrations = LearnTrackProcess.projectRoot.appendingPathComponent("migrations").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for domain in ["kernel", "crm"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + domain, withDestinationPath: "\(migrations)/\(domain)")
        }
        try await TestDatabase.with { database in
            let settings = ["LEARNTRACK_MIGRATIONS": folder.path, "LEARNTRACK_DOMAINS": "crm,bookshop"]
            let program = TestProgram.probe(["crm", "bookshop"])
            let written = try await run(
                ["migrate", "new", "bookshop", "--all", "--write"], on: database, program: program, settings)
            #expect(written.status == 0, "\(written.errors)")
            #expect(written.output.contains("wrote \(folder.path)/bookshop/0001_bookshop.sql\n"))
            #expect(written.output.contains("wrote \(folder.path)/bookshop/functions/lend_book.sql\n"))
            let early = try await run(
                ["migrate", "new", "bookshop", "--write"], on: database, program: program, settings)
            #expect(
                early.errors.contains("bookshop/0001_bookshop.sql is not applied: run 'learntrack migrate up' first"))
            let applied = try await run(["migrate", "up"], on: database, program: program, settings)
            #expect(applied.status == 0, "\(applied.errors)")
            #expect(applied.output.contains("applied bookshop/0001_bookshop.sql\n"))
            let done = try await run(
                ["migrate", "new", "bookshop", "--write"], on: database, program: program, settings)
            #expect(done.output == "the database has what bookshop declares\n")
            // The author's own functions are not replaced.
            try await database.psql("DROP FUNCTION bookshop.lend_book; ALTER TABLE bookshop.books DROP price CASCADE")
            let again = try await run(
                ["migrate", "new", "bookshop", "prices", "--write"], on: database, program: program, settings)
            #expect(again.output.contains("wrote \(folder.path)/bookshop/0002_prices.sql\n"))
            #expect(
                again.output.contains("kept \(folder.path)/bookshop/functions/lend_book.sql, which is there already\n"))
            let mended = try await run(["migrate", "up", "--functions"], on: database, program: program, settings)
            #expect(mended.status == 0, "\(mended.errors)")
            let checked = try await run(["migrate", "check", "bookshop"], on: database, program: program, settings)
            #expect(checked.status == 0, "\(checked.output)")
        }
    }
}
