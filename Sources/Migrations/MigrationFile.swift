import Crypto
import FoundationEssentials

/// One file of a migrations folder.
package struct MigrationFile: Sendable, Equatable {
    /// `kernel`, or the name of a domain.
    let domain: String
    /// The path within the domain's folder, such as `0001_tables.sql`, under which the database records the file.
    let name: String
    let sql: String
    /// SHA-256 of the file's bytes in lower-case hexadecimal.
    let checksum: String
    let header: MigrationHeader

    /// The path within the folder of all migrations.
    var path: String { "\(domain)/\(name)" }

    /// Whether the file is applied again after each change.
    var isRepeatable: Bool { Self.isRepeatable(name) }

    init(domain: String, name: String, content: Data) throws(MigrationError) {
        guard let sql = String(validating: content, as: UTF8.self) else {
            throw MigrationError("migration \(domain)/\(name) is not UTF-8 text")
        }
        self.domain = domain
        self.name = name
        self.sql = sql
        header = MigrationHeader(of: sql)
        checksum = Self.hash(content)
    }

    /// Of a file of functions, what it notes about itself when psql runs it: the first digits of the SHA-256 of the text before its
    /// last line, which has it. nil for a file without such a line.
    ///
    /// It is worked out when it is asked for, since a server that starts compares the checksums of all files and needs no digest.
    var digest: String? {
        guard isRepeatable else { return nil }
        var text = sql[...]
        while text.hasSuffix("\n") { text.removeLast() }
        let start = text.utf8.lastIndex(of: UInt8(ascii: "\n")).map { text.utf8.index(after: $0) } ?? text.startIndex
        let line = text[start...]
        guard line.hasPrefix("SELECT kernel.note_file("), line.matches(of: /'[^']*'/).count == 3
        else { return nil }
        return String(Self.hash(Data(sql.utf8.prefix(upTo: line.startIndex))).prefix(16))
    }

    private static func hash(_ content: Data) -> String {
        SHA256.hash(data: content).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Reads the migrations of a domain in the order in which they are applied: the numbered files, then those of
    /// `functions`.
    ///
    /// An SQL file that is not named like a migration is an error: it would never run, and that could go unnoticed. Two
    /// files of one number are an error too: their order would depend on the words of their names.
    static func all(of source: MigrationSource) throws(MigrationError) -> [MigrationFile] {
        let numbered = try names(in: source.folder)
        guard !numbered.isEmpty else { throw MigrationError("there are no migrations in \(source.folder)") }
        if let other = numbered.first(where: { !isMigrationName($0) }) {
            throw MigrationError("\(source.folder)/\(other) is not named like a migration (0001_what_it_does.sql)")
        }
        let neighbours = zip(numbered, numbered.dropFirst())
        if let (first, second) = neighbours.first(where: { number(of: $0) == number(of: $1) }) {
            throw MigrationError(
                "\(source.folder) has two migrations of the number \(number(of: first)), \(first) and \(second): give one "
                    + "of them another number")
        }
        let functions = source.folder + "/" + functionsFolder
        let repeatable = FileManager.default.fileExists(atPath: functions) ? try names(in: functions) : []
        var files: [MigrationFile] = []
        for name in numbered + repeatable.map({ functionsFolder + $0 }) {
            guard let content = FileManager.default.contents(atPath: source.folder + "/" + name) else {
                throw MigrationError("cannot read the migration \(source.folder)/\(name)")
            }
            files.append(try MigrationFile(domain: source.domain, name: name, content: content))
        }
        return files
    }

    /// The name of a further numbered file of a folder that may not exist yet: `0003_shelves.sql`.
    package static func nextName(_ purpose: String, in folder: String) throws(MigrationError) -> String {
        let present = FileManager.default.fileExists(atPath: folder) ? try names(in: folder) : []
        let last = present.compactMap { Int(number(of: $0)) }.max() ?? 0
        let digits = String(last + 1)
        let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(purpose).sql"
        guard isMigrationName(name), !purpose.isEmpty, !purpose.contains("/") else {
            throw MigrationError("'\(purpose)' cannot be part of the name of a file")
        }
        return name
    }

    /// Whether the folder is there and has a numbered file.
    package static func hasAny(in folder: String) throws(MigrationError) -> Bool {
        guard FileManager.default.fileExists(atPath: folder) else { return false }
        return try !names(in: folder).isEmpty
    }

    private static let functionsFolder = "functions/"

    static func isRepeatable(_ name: String) -> Bool { name.hasPrefix(functionsFolder) }

    static func isMigrationName(_ name: String) -> Bool {
        name.prefix(4).allSatisfy { $0.isASCII && $0.isNumber } && name.dropFirst(4).first == "_"
            && name.hasSuffix(".sql")
    }

    /// The four digits that a numbered file begins with.
    private static func number(of name: String) -> Substring { name.prefix(4) }

    private static func names(in folder: String) throws(MigrationError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") }.sorted()
        } catch {
            throw MigrationError("cannot read the migrations folder \(folder)")
        }
    }

    /// The number of the line that holds the character at `position`. Both count from 1, as Postgres does.
    func line(at position: Int) -> Int {
        1 + sql.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
    }
}
