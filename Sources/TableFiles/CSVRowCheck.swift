import DomainKit
import JSON

/// Checks rows of CSV by the rules by which `create` checks the values of a call.
struct CSVRowCheck {
    private static let notUTF8 = "this is not UTF-8: save the file as “CSV UTF-8”"

    let entity: Entity
    /// The columns of the file, in its order; nil for one that is left out.
    let columns: [Column?]
    /// Whether `""` counts as null where the column may be null.
    let emptyIsNull: Bool

    /// - Parameter ignored: names of columns of the file that are left out.
    init(header: CSVReader.Record?, entity: Entity, ignoring ignored: Set<String>, emptyIsNull: Bool)
        throws(TableFileError)
    {
        guard let header else { throw TableFileError("the file is empty: its first line names the columns") }
        self.entity = entity
        self.emptyIsNull = emptyIsNull
        let writable = entity.writableColumns(for: .create)
        var columns: [Column?] = []
        var seen: Set<String> = []
        for field in header.fields {
            guard let name = field.text else {
                throw TableFileError("line 1, the names of the columns: \(Self.notUTF8)")
            }
            guard seen.insert(name).inserted else {
                throw TableFileError("line 1: the column '\(name)' is there twice")
            }
            if ignored.contains(name) {
                columns.append(nil)
                continue
            }
            guard let column = writable.first(where: { $0.name == name }) else {
                let isKnown = entity.column(named: name) != nil
                throw TableFileError(
                    isKnown
                        ? "line 1: the database sets the column '\(name)': leave it out with --ignore \(name)"
                        : "line 1: there is no column '\(name)'; "
                            + (writable.map(\.name).nearest(to: name).map { "do you mean '\($0)'? There are: " }
                                ?? "there are: ")
                            + writable.map(\.name).joined(separator: ", "))
            }
            columns.append(column)
        }
        if let missing = ignored.first(where: { !seen.contains($0) }) {
            throw TableFileError("--ignore: the file has no column '\(missing)'")
        }
        self.columns = columns
        guard columns.contains(where: { $0 != nil }) else { throw TableFileError("line 1: no column is left") }
    }

    /// The columns that are imported.
    var imported: [Column] { columns.compactMap(\.self) }

    /// The values of a row in Postgres's text format, in the order of ``imported``; empty if there are problems.
    func check(_ record: CSVReader.Record) -> (values: [String?], problems: [ImportedRowProblem]) {
        guard record.fields.count == columns.count else {
            let reason = "the line has \(record.fields.count) values for \(columns.count) columns"
            return ([], [ImportedRowProblem(line: record.line, column: nil, rule: "columns", message: reason)])
        }
        var members: [JSONObject.Member] = []
        var problems: [ImportedRowProblem] = []
        for (field, column) in zip(record.fields, columns) {
            guard let column else { continue }
            guard let text = field.text else {
                problems.append(
                    ImportedRowProblem(
                        line: record.line, column: column.name, rule: "encoding", message: Self.notUTF8))
                continue
            }
            members.append(.init(column.name, value(of: text, isQuoted: field.isQuoted, in: column)))
        }
        guard problems.isEmpty else { return ([], problems) }
        let values = JSONObject(members)
        for problem in entity.problems(in: values, for: .create, at: "") {
            let column = columns.firstIndex { $0?.name == String(problem.path.dropFirst()) }
            let message = problem.message(
                inFile: column.flatMap { record.fields[$0].text }, of: column.flatMap { columns[$0]?.type })
            problems.append(ImportedRowProblem(problem, message, line: record.line))
        }
        guard problems.isEmpty else { return ([], problems) }
        return (zip(imported, members).map { Self.stored($1.value, in: $0) }, [])
    }

    /// The value that a call would have in the place of a text.
    private func value(of text: String, isQuoted: Bool, in column: Column) -> JSONValue {
        if text.isEmpty, !isQuoted || emptyIsNull || !column.type.isText { return .null }
        switch column.type {
        case .bigint, .integer, .smallint, .decimal: return .number(text)
        case .boolean: return ["true": true, "t": true, "false": false, "f": false][text] ?? .string(text)
        case .json:
            do throws(JSONError) {
                return try JSONReader.read(text).value
            } catch {
                return .string(text)
            }
        case .text, .choice, .date, .time, .timestamp, .uuid: return .string(text)
        }
    }

    private static func stored(_ value: JSONValue, in column: Column) -> String? {
        guard !value.isNull else { return nil }
        do throws(ValueError) {
            return try column.type.postgresText(of: value)
        } catch {
            // The value was checked before.
            return nil
        }
    }
}

/// Why a row is not imported.
package struct ImportedRowProblem: Sendable, Equatable {
    /// The line, from 1, on which the row begins.
    package let line: Int
    /// Nil if it concerns the row as a whole.
    package let column: String?
    /// The violated rule: a code of the domain's problems, `conflict`, `columns` or `encoding`.
    package let rule: String
    package let message: String
}

extension ImportedRowProblem {
    /// - Parameter message: nil: that of the problem.
    init(_ problem: Problem, _ message: String? = nil, line: Int) {
        self.init(
            line: line, column: problem.path.isEmpty ? nil : String(problem.path.dropFirst()),
            rule: problem.code.rawValue, message: message ?? problem.message)
    }
}
