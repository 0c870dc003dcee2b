package import DomainKit
import FoundationEssentials
import JSON

extension ImportSource {
    /// Reads the SQLite file of the web CRM that the service replaces. Its users have bcrypt hashes of their passwords in a
    /// column `password_hash` or `password`.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - mapping: the names that differ from those here.
    ///   - absent: the tables that the file is known not to have.
    ///   - domains: the domains with the entities to import, which say what kind of value a column has.
    package static func read(
        sqlite path: String, _ mapping: SQLiteMapping, without absent: Set<String> = [], domains: [Domain]
    ) throws(ApplicationImportError) -> ImportSource {
        let database = try SQLiteDatabase(path: path)
        let present = try database.tables()
        var source = ImportSource(prefix: "")
        _ = try source.missingTables(without: absent)
        var known = absent
        for name in ImportReview.order where !absent.contains(name) {
            guard let entity = domains.lazy.compactMap({ $0.entity(named: name) }).first else {
                known.insert(name)
                continue
            }
            let given = mapping[name]?.table ?? name
            guard let found = present.first(where: { $0.lowercased() == given.lowercased() }) else {
                guard mapping[name] == nil else {
                    throw ApplicationImportError(
                        "\(path) has no table '\(given)', which the mapping is about; there are: "
                            + present.joined(separator: ", "))
                }
                continue
            }
            let table = try SQLiteTable(database, found, as: entity, mapping[name] ?? SQLiteMapping.Table())
            try source.add(table.source)
        }
        let missing = try source.missingTables(without: known)
        guard missing.isEmpty else {
            throw ApplicationImportError(
                "\(path) has no table \(missing.map { "'\($0)'" }.joined(separator: ", ")): say in a mapping file what it is called "
                    + "there (--mapping), or that there is none (--without \(missing.joined(separator: ","))); there are: "
                    + present.joined(separator: ", "))
        }
        return source
    }
}

/// A table of a SQLite file with the names here and values in Postgres's text format.
private struct SQLiteTable {
    private(set) var source: SourceTable

    init(
        _ database: SQLiteDatabase, _ name: String, as entity: Entity, _ mapping: SQLiteMapping.Table
    ) throws(ApplicationImportError) {
        let local = Dictionary(mapping.columns.map { ($1, $0) }) { first, _ in first }
        let present = try database.columns(of: name)
        if let missing = mapping.columns.values.sorted().first(where: { !present.contains($0) }) {
            throw ApplicationImportError(
                "the table '\(name)' of \(database.path) has no column '\(missing)', which the mapping names; there are: "
                    + present.joined(separator: ", "))
        }
        let columns = present.map { given in
            let name = Self.name(of: given, local, entity)
            guard local[given] == nil, let other = mapping.columns[name] else { return name }
            return "\(given), for which the mapping names \(other),"
        }
        if let unread = mapping.values.keys.sorted().first(where: { !columns.contains($0) }) {
            throw ApplicationImportError(
                "the mapping replaces values of '\(unread)', which the table '\(name)' of \(database.path) does not have: "
                    + "name its column there under \"columns\"")
        }
        var rows: [[String?]] = []
        try database.rows(of: name) { values in
            rows.append(
                zip(columns, values).map { column, value in
                    Self.text(value, of: entity.column(named: column), mapping.values[column] ?? [:])
                })
        }
        source = SourceTable(name: "public." + entity.name, columns: columns, rows: rows)
    }

    private static func name(of given: String, _ local: [String: String], _ entity: Entity) -> String {
        if let mapped = local[given] { return mapped }
        return entity.name == ImportReview.accounts && given == "password" && local["password_hash"] == nil
            ? ImportReview.passwordHash : given
    }

    private static func text(
        _ value: SQLiteDatabase.Value, of column: Column?, _ replacements: [String: String]
    ) -> String? {
        let text: String
        switch value {
        case .null: return nil
        case .integer(let number): text = String(number)
        // 450.0 is how SQLite has 450 in a column of that kind.
        case .real(let number): text = number == number.rounded() ? String(format(number)) : String(number)
        case .text(let given): text = given
        case .blob: text = "(blob)"
        }
        if let replacement = replacements[text] { return replacement }
        return switch column?.type {
        case .boolean: ["0": "false", "1": "true"][text] ?? text
        case .date: date(text)
        case .timestamp: timestamp(text)
        default: text
        }
    }

    private static func format(_ whole: Double) -> String {
        abs(whole) < 1e15 ? String(Int64(whole)) : String(whole)
    }

    /// JavaScript writes a day as midnight in UTC.
    private static func date(_ text: String) -> String {
        text.count > 10 && text.dropFirst(10).allSatisfy { "T 0:.Z".contains($0) } ? String(text.prefix(10)) : text
    }

    /// SQLite's CURRENT_TIMESTAMP is UTC without a zone; JavaScript may count milliseconds. What is none of these becomes the
    /// time of the import, because it is no value that a person has entered.
    private static func timestamp(_ text: String) -> String {
        if let number = Int64(text) {
            let seconds = number > 100_000_000_000 ? Double(number) / 1000 : Double(number)
            return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
        }
        let spaced = text.replacing(" ", with: "T")
        for candidate in [spaced, spaced + "Z"] where isTimestamp(candidate) { return candidate }
        return "now"
    }

    private static func isTimestamp(_ text: String) -> Bool {
        do throws(ValueError) {
            _ = try FieldType.timestamp.postgresText(of: .string(text))
            return true
        } catch {
            return false
        }
    }
}
