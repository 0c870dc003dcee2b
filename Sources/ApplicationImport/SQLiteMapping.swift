package import DomainKit
import FoundationEssentials
import JSON

/// Where a SQLite file has the tables and columns, if their names are not those here.
///
/// ```json
/// {
///     "sessions": {
///         "table": "formations",
///         "columns": {"module": "titre", "formateur_id": "trainer"},
///         "values": {"modalite": {"presentiel": "P", "distanciel": "D"}}
///     },
///     "users": {"columns": {"password_hash": "mot_de_passe"}}
/// }
/// ```
package struct SQLiteMapping: Sendable, Equatable {
    struct Table: Sendable, Equatable {
        /// The table's name in the file.
        var table: String?
        /// The names in the file, by the name here.
        var columns: [String: String] = [:]
        /// By the name of a column here: what takes the place of a value of the file.
        var values: [String: [String: String]] = [:]
    }

    private var tables: [String: Table] = [:]

    /// The same names as here.
    package init() {}

    /// Reads a mapping file.
    ///
    /// - Parameter domains: the domains with the entities to import.
    /// - Throws: an error that names the file and the place in it, also for a name that nothing has here.
    package init(contentsOf path: String, domains: [Domain]) throws(ApplicationImportError) {
        let file = MappingFile(path: path)
        for (place, table) in try file.members(of: try file.root(), at: "", "table", among: ImportReview.order) {
            guard let entity = domains.lazy.compactMap({ $0.entity(named: place.name) }).first else {
                throw file.error("this service has no \(place.name)", at: place.pointer)
            }
            tables[place.name] = try file.table(table, of: entity, at: place.pointer)
        }
    }

    subscript(name: String) -> Table? { tables[name] }
}

/// Reads the parts of a mapping file.
private struct MappingFile {
    let path: String

    func error(_ reason: String, at pointer: String) -> ApplicationImportError {
        ApplicationImportError("\(path)\(pointer.isEmpty ? "" : ", \(pointer)"): \(reason)")
    }

    func root() throws(ApplicationImportError) -> JSONValue {
        guard let text = String(validating: try SourceFile.content(of: path), as: UTF8.self) else {
            throw error("this is no text in UTF-8", at: "")
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONReader.read(text)
        } catch {
            let offset =
                switch error {
                case .syntax(let offset), .depth(let offset): offset
                }
            let line = 1 + text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
            throw ApplicationImportError("\(path), line \(line): this is no JSON")
        }
        if let twice = document.duplicates.first { throw self.error("this name is there twice", at: twice) }
        return document.value
    }

    func table(
        _ value: JSONValue, of entity: Entity, at pointer: String
    ) throws(ApplicationImportError) -> SQLiteMapping.Table {
        let columns = ImportReview.columns(of: entity)
        var table = SQLiteMapping.Table()
        for (place, part) in try members(of: value, at: pointer, "key", among: ["table", "columns", "values"]) {
            switch place.name {
            case "table": table.table = try text(part, at: place.pointer)
            case "columns":
                for (column, name) in try members(
                    of: part, at: place.pointer, "column of \(entity.name)", among: columns)
                {
                    let name = try text(name, at: column.pointer)
                    if let other = table.columns.first(where: { $0.value == name })?.key {
                        throw error("'\(name)' is the column of '\(other)' already", at: column.pointer)
                    }
                    table.columns[column.name] = name
                }
            default:
                for (column, values) in try members(
                    of: part, at: place.pointer, "column of \(entity.name)", among: columns)
                {
                    for (given, replacement) in try members(of: values, at: column.pointer) {
                        table.values[column.name, default: [:]][given.name] = try text(replacement, at: given.pointer)
                    }
                }
            }
        }
        return table
    }

    private func text(_ value: JSONValue, at pointer: String) throws(ApplicationImportError) -> String {
        guard let text = value.text else { throw error("a text is expected, in quotation marks", at: pointer) }
        return text
    }

    /// The members of an object with their places.
    ///
    /// - Parameters:
    ///   - kind: what a name is that is not `known`, for the error.
    ///   - known: the names that there may be; nil: any.
    func members(
        of value: JSONValue, at pointer: String, _ kind: String = "", among known: [String]? = nil
    ) throws(ApplicationImportError) -> [(place: (name: String, pointer: String), value: JSONValue)] {
        guard case .object(let object) = value else { throw error("an object is expected, {…}", at: pointer) }
        var members: [(place: (name: String, pointer: String), value: JSONValue)] = []
        for member in object.members {
            let place = pointer.appendingPointer(member.name)
            if let known, !known.contains(member.name) {
                let proposal =
                    known.nearest(to: member.name).map { "do you mean '\($0)'?" }
                    ?? "there are: \(known.joined(separator: ", "))"
                throw error("there is no \(kind) '\(member.name)'; \(proposal)", at: place)
            }
            members.append(((member.name, place), member.value))
        }
        return members
    }
}
