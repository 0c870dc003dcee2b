import Crypto
import Foundation

/// One file of the migrations folder.
struct MigrationFile: Sendable, Equatable {
    /// The file's name, such as `0001_schema.sql`, under which the database records it.
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

    /// Reads the migrations of a folder, in the order in which they are applied.
    ///
    /// An SQL file that is not named like a migration is an error: it would never run, and that could go unnoticed.
    static func all(in folder: String) throws(MigrationError) -> [MigrationFile] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") }.sorted()
        } catch {
            throw MigrationError("cannot read the migrations folder \(folder)")
        }
        guard !names.isEmpty else { throw MigrationError("there are no migrations in \(folder)") }
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

    /// The number of the line that holds the character at `position`. Both count from 1, as Postgres does.
    func line(at position: Int) -> Int {
        1 + sql.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}
