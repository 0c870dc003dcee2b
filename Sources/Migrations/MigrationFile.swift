import Crypto
import Foundation

/// One file of the migrations folder, as it is now.
struct MigrationFile: Sendable, Equatable {
    /// The file's name, `0001_schema.sql`: what the database remembers it by.
    let name: String
    let sql: String
    /// SHA-256 of the file's bytes in lower-case hexadecimal.
    let checksum: String

    init(name: String, content: Data) throws(MigrationError) {
        guard let sql = String(validating: content, as: UTF8.self) else {
            throw MigrationError("migration \(name) is not UTF-8 text")
        }
        self.name = name
        self.sql = sql
        checksum = SHA256.hash(data: content).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The migrations of a folder in the order in which they apply.
    ///
    /// A file of SQL that is not named like one is refused, since nobody would notice that it never ran.
    static func all(in folder: String) throws(MigrationError) -> [MigrationFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") }.sorted()
        } catch {
            throw MigrationError("cannot read the migrations folder \(folder)")
        }
        guard !names.isEmpty else { throw MigrationError("no migrations in \(folder)") }
        var files: [MigrationFile] = []
        for name in names {
            guard isMigrationName(name) else {
                throw MigrationError("\(folder)/\(name) is not named like a migration (0001_what_it_does.sql)")
            }
            guard let content = FileManager.default.contents(atPath: folder + "/" + name) else {
                throw MigrationError("cannot read the migration \(folder)/\(name)")
            }
            files.append(try MigrationFile(name: name, content: content))
        }
        return files
    }

    static func isMigrationName(_ name: String) -> Bool {
        name.prefix(4).allSatisfy { $0.isASCII && $0.isNumber } && name.dropFirst(4).first == "_"
            && name.hasSuffix(".sql")
    }

    /// The line, counted from 1, that holds the character at `position`, counted from 1 as Postgres counts.
    func line(at position: Int) -> Int {
        1 + sql.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}
