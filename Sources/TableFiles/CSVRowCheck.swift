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
    /// What the first line has for each column, by the column's name.
    private let heads: [String: String]
    /// The words of the columns that are choices, by the column's name.
    private let words: [String: LabelledNames]

    /// - Parameters:
    ///   - header: the first line. It has the name of each column, or its label.
    ///   - ignored: the columns of the file that are left out, each as the first line has it, or by its name or label.
    init(header: CSVReader.Record?, entity: Entity, ignoring ignored: Set<String>, emptyIsNull: Bool)
        throws(TableFileError)
    {
        guard let header else { throw TableFileError("the file is empty: its first line names the columns") }
        self.entity = entity
        self.emptyIsNull = emptyIsNull
        let names = LabelledNames(columnsOf: entity)
        let given = try Self.heads(of: header)
        let left = try Self.heads(ignored, among: given, names)
        var columns: [Column?] = []
        var heads: [String: String] = [:]
        for head in given {
            if left.contains(head) {
                columns.append(nil)
                continue
            }
            let column = try Self.column(head, names, of: entity)
            if let other = heads.updateValue(head, forKey: column.name) {
                throw TableFileError("line 1: '\(other)' and '\(head)' are the same column, '\(column.name)'")
            }
            columns.append(column)
        }
        self.columns = columns
        self.heads = heads
        var words: [String: LabelledNames] = [:]
        for column in columns {
            if let column, case .choice(let choices) = column.type { words[column.name] = LabelledNames(choices) }
        }
        self.words = words
        guard columns.contains(where: { $0 != nil }) else { throw TableFileError("line 1: no column is left") }
    }

    private static func heads(of header: CSVReader.Record) throws(TableFileError) -> [String] {
        var heads: [String] = []
        var seen: Set<String> = []
        for field in header.fields {
            guard let head = field.text else {
                throw TableFileError("line 1, the names of the columns: \(notUTF8)")
            }
            guard seen.insert(head).inserted else {
                throw TableFileError("line 1: the column '\(head)' is there twice")
            }
            heads.append(head)
        }
        return heads
    }

    /// The heads that `--ignore` leaves out.
    private static func heads(
        _ ignored: Set<String>, among heads: [String], _ names: LabelledNames
    ) throws(TableFileError) -> Set<String> {
        var left: Set<String> = []
        for one in ignored {
            if heads.contains(one) {
                left.insert(one)
                continue
            }
            let column = names.name(of: one)
            let found = column == nil ? [] : heads.filter { names.name(of: $0) == column }
            guard !found.isEmpty else { throw TableFileError("--ignore: the file has no column '\(one)'") }
            left.formUnion(found)
        }
        return left
    }

    private static func column(
        _ head: String, _ names: LabelledNames, of entity: Entity
    ) throws(TableFileError) -> Column {
        let writable = entity.writableColumns(for: .create).map(\.name)
        guard let name = names.name(of: head), let column = entity.column(named: name) else {
            let near = (writable + writable.map { names.text(of: $0) }).nearest(to: head)
            throw TableFileError(
                "line 1: there is no column '\(head)'; "
                    + (near.map { "do you mean '\($0)'? There are: " } ?? "there are: ")
                    + writable.joined(separator: ", "))
        }
        guard writable.contains(name) else {
            throw TableFileError("line 1: the database sets the column '\(head)': leave it out with --ignore \(name)")
        }
        return column
    }

    /// The columns that are imported.
    var imported: [Column] { columns.compactMap(\.self) }

    /// What the first line has for a column; its name if the file has no such column.
    func head(of name: String) -> String { heads[name] ?? name }

    /// The place of a problem as the author of the file knows it, from a JSON Pointer into the values: the head of the column and,
    /// within JSON, what follows it. Nil for the row as a whole.
    func place(of pointer: String) -> String? {
        guard !pointer.isEmpty else { return nil }
        let name = pointer.dropFirst().prefix { $0 != "/" }
        return "\(head(of: String(name)))\(pointer.dropFirst(1 + name.count))"
    }

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
                        line: record.line, column: head(of: column.name), rule: "encoding", message: Self.notUTF8))
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
            problems.append(
                ImportedRowProblem(problem, message, line: record.line, column: place(of: problem.path)))
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
        case .choice: return .string(words[column.name]?.name(of: text) ?? text)
        case .text, .date, .time, .timestamp, .uuid: return .string(text)
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
    /// The column as the first line of the file names it. Nil if the problem concerns the row as a whole.
    package let column: String?
    /// The violated rule: a code of the domain's problems, `conflict`, `columns` or `encoding`.
    package let rule: String
    package let message: String
}

extension ImportedRowProblem {
    /// - Parameters:
    ///   - message: nil: that of the problem.
    ///   - column: the place of the problem, ``CSVRowCheck/place(of:)``.
    init(_ problem: Problem, _ message: String? = nil, line: Int, column: String?) {
        self.init(line: line, column: column, rule: problem.code.rawValue, message: message ?? problem.message)
    }
}
