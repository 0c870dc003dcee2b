import Foundation
import TestPostgres
import TestSupport
import Testing

@testable import Migrations

@Suite struct MigrationFileTests {
    @Test func `the checksum of a file is the SHA-256 of its bytes`() throws {
        let file = try MigrationFile(name: "0001_a.sql", content: Data("abc".utf8))
        #expect(file.checksum == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: [(1, 1), (6, 1), (7, 2), (9, 2), (10, 3), (99, 3)])
    func `the line of a position counts characters as Postgres does`(position: Int, line: Int) throws {
        let file = try MigrationFile(name: "0001_a.sql", content: Data("-- 🇫🇷\né;\nx".utf8))
        #expect(file.line(at: position) == line)
    }

    @Test func `a file that is not UTF-8 is an error`() {
        #expect(throws: MigrationError.self) { try MigrationFile(name: "0001_a.sql", content: Data([0x2d, 0xff])) }
    }

    @Test func `an SQL file that is not named like a migration is an error`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder.path) }
        try folder.write("", to: "0001_a.sql")
        try folder.write("", to: "README.md")
        #expect(try MigrationFile.all(in: folder.path).map(\.name) == ["0001_a.sql"])
        try folder.write("", to: "2_b.sql")
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder.path) }
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder.path + "/nowhere") }
    }

    @Test func `the files of the project are named like migrations`() throws {
        let files = try MigrationFile.all(in: try ProjectFiles.root() + "/migrations")
        #expect(files.first?.name.hasPrefix("0001_") == true)
    }
}
