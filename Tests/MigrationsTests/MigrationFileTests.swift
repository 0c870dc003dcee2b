import Foundation
import TestPostgres
import TestSupport
import Testing

@testable import Migrations

@Suite struct `A migration file` {
    @Test func `is known by the SHA-256 of its bytes`() throws {
        let file = try MigrationFile(name: "0001_a.sql", content: Data("abc".utf8))
        #expect(file.checksum == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: [(1, 1), (6, 1), (7, 2), (9, 2), (10, 3), (99, 3)])
    func `finds the line of a character as Postgres counts them`(position: Int, line: Int) throws {
        let file = try MigrationFile(name: "0001_a.sql", content: Data("-- 🇫🇷\né;\nx".utf8))
        #expect(file.line(at: position) == line)
    }

    @Test func `is refused when it is not text`() {
        #expect(throws: MigrationError.self) { try MigrationFile(name: "0001_a.sql", content: Data([0x2d, 0xff])) }
    }

    @Test func `is refused when its name does not say its place`() throws {
        let folder = "/tmp/lt-names-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder) }
        try Data().write(to: URL(fileURLWithPath: folder + "/0001_a.sql"))
        try Data().write(to: URL(fileURLWithPath: folder + "/README.md"))
        #expect(try MigrationFile.all(in: folder).map(\.name) == ["0001_a.sql"])
        try Data().write(to: URL(fileURLWithPath: folder + "/2_b.sql"))
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder) }
        #expect(throws: MigrationError.self) { try MigrationFile.all(in: folder + "/nowhere") }
    }

    @Test func `of the project is named like one`() throws {
        let files = try MigrationFile.all(in: try ProjectFiles.root() + "/migrations")
        #expect(files.first?.name.hasPrefix("0001_") == true)
    }
}
