import Foundation
import TestPostgres
import TestSupport
import Testing

@testable import Migrations

@Suite struct MigrationFileTests {
    @Test func `the checksum of a file is the SHA-256 of its bytes`() throws {
        let file = try MigrationFile(domain: "kernel", name: "0001_a.sql", content: Data("abc".utf8))
        #expect(file.checksum == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: [(1, 1), (6, 1), (7, 2), (9, 2), (10, 3), (99, 3)])
    func `the line of a position counts characters as Postgres does`(position: Int, line: Int) throws {
        let file = try MigrationFile(domain: "kernel", name: "0001_a.sql", content: Data("-- 🇫🇷\né;\nx".utf8))
        #expect(file.line(at: position) == line)
    }

    @Test func `a file that is not UTF-8 is an error`() {
        #expect(throws: MigrationError.self) {
            try MigrationFile(domain: "kernel", name: "0001_a.sql", content: Data([0x2d, 0xff]))
        }
    }

    @Test func `an SQL file that is not named like a migration is an error`() throws {
        let folder = try TemporaryFolder()
        let source = MigrationSource(domain: "kernel", folder: folder.path)
        #expect(throws: MigrationError.self) { try MigrationFile.all(of: source) }
        try folder.write("", to: "0001_a.sql")
        try folder.write("", to: "README.md")
        #expect(try MigrationFile.all(of: source).map(\.path) == ["kernel/0001_a.sql"])
        try folder.write("", to: "2_b.sql")
        #expect(throws: MigrationError.self) { try MigrationFile.all(of: source) }
        #expect(throws: MigrationError.self) {
            try MigrationFile.all(of: MigrationSource(domain: "kernel", folder: folder.path + "/nowhere"))
        }
    }

    @Test func `two migrations of one number are an error that names both`() throws {
        let folder = try TemporaryFolder()
        let source = MigrationSource(domain: "crm", folder: folder.path)
        try folder.write("", to: "0001_tables.sql")
        try folder.write("", to: "0002_commands.sql")
        #expect(try MigrationFile.all(of: source).count == 2)
        try folder.write("", to: "0002_feed.sql")
        let error = #expect(throws: MigrationError.self) { try MigrationFile.all(of: source) }
        #expect(
            error?.description
                == "\(folder.path) has two migrations of the number 0002, 0002_commands.sql and 0002_feed.sql: give one of "
                + "them another number")
    }

    @Test(arguments: ["kernel", "crm"])
    func `the files of the project are named like migrations`(domain: String) throws {
        let source = MigrationSource(
            domain: domain, folder: try ProjectFiles.migrationsFolder() + "/" + domain)
        let files = try MigrationFile.all(of: source)
        #expect(files.first?.name.hasPrefix("0001_") == true)
        #expect(files.contains { $0.isRepeatable })
    }

    @Test func `sources are ordered by what they require, the kernel first`() throws {
        func source(_ domain: String, _ requires: String...) -> MigrationSource {
            MigrationSource(domain: domain, folder: domain, requires: requires)
        }
        let sources = [source("stock", "crm"), source("crm"), source("counting"), source("kernel")]
        #expect(try MigrationSource.ordered(sources).map(\.domain) == ["kernel", "crm", "stock", "counting"])
        let missing = #expect(throws: MigrationError.self) { try MigrationSource.ordered([source("stock", "crm")]) }
        #expect(missing?.description == "the domain stock requires the domain crm, which is not served")
        let circle = [source("a", "b"), source("b", "c"), source("c", "a")]
        let error = #expect(throws: MigrationError.self) { try MigrationSource.ordered(circle) }
        #expect(error?.description == "domains require each other: a, b, c, a")
    }
}
