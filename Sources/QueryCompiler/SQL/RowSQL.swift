import DomainKit
import JSON

/// The statement that reads one record. Its own parameters follow those of the selection.
final class CompiledRecord: Sendable {
    /// How the record is identified.
    enum Key: Hashable, Sendable {
        /// By its id, the last parameter.
        case id
        /// As the only record that there is.
        case only
        /// As the record with the id that the previous statement has kept.
        case answered
        /// As the records with the ids that the previous statement has kept, in this order.
        case answeredList
        /// As the records with these ids, the last parameter, in this order. An id without a record has a row that says so.
        case listed
    }

    let statement: SQLStatement
    let layout: RowLayout

    /// - Parameter slot: of the id, for the key `id`, and of the ids, for the key `listed`.
    init(_ selection: SelectionShape, key: Key, slot: Int, schema: Schema) {
        let scope = Scope(selection.table, Aliases(), schema: schema)
        var row = RowSQL(scope, schema: schema)
        let record = row.layout(of: selection)
        if row.columns.isEmpty { _ = row.column("\(scope.alias).id") }
        let reached = selection.table.reachClause(on: scope.alias)
        if key == .listed {
            let missing = row.column(
                "CASE WHEN \(scope.alias).id IS NULL THEN concat('{\"id\":', listed.id, ',\"deleted\":true}') END")
            // Postgres allows parentheses around a join only.
            let records = scope.from.contains("JOIN ") ? "(\(scope.from))" : scope.from
            layout = RowLayout(parts: [.unless(missing, record.parts)])
            statement = SQLStatement(
                """
                SELECT \(row.list)
                FROM (SELECT id, min(place) AS place FROM unnest($\(slot + 1)::bigint[]) WITH ORDINALITY AS ids (id, place)
                    GROUP BY id) AS listed
                LEFT JOIN \(records) ON \(scope.alias).id = listed.id\(reached)
                ORDER BY listed.place
                """, parameters: slot + 1)
            return
        }
        layout = record
        var list: String?
        let condition: String
        switch key {
        case .id: condition = "\(scope.alias).id = $\(slot + 1)::bigint"
        case .only: condition = "true"
        case .answered: condition = "\(scope.alias).id = \(WriteSQL.answered)"
        case .answeredList, .listed:
            list = WriteSQL.answeredList
            condition = "\(scope.alias).id = ANY (\(WriteSQL.answeredList))"
        }
        statement = SQLStatement(
            "SELECT \(row.list)\nFROM \(scope.from)\nWHERE \(condition)"
                + reached + (list.map { "\nORDER BY array_position(\($0), \(scope.alias).id)" } ?? ""),
            parameters: key == .id ? slot + 1 : slot)
    }
}

/// Writes the result columns for a selection's root and to-one relationships, and the layout that they are written with.
struct RowSQL {
    private let schema: Schema
    private let scope: Scope
    private(set) var columns: [String] = []
    private var indices: [String: Int] = [:]

    init(_ scope: Scope, schema: Schema) {
        self.scope = scope
        self.schema = schema
    }

    /// `t0.id AS c0, t0.title AS c1`
    var list: String {
        columns.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", ")
    }

    /// The index of the result column for an expression. Equal expressions share a column.
    mutating func column(_ expression: String) -> Int {
        if let index = indices[expression] { return index }
        indices[expression] = columns.count
        columns.append(expression)
        return columns.count - 1
    }

    mutating func layout(of selection: SelectionShape) -> RowLayout {
        RowLayout(parts: parts(of: selection, at: []))
    }

    private mutating func parts(of selection: SelectionShape, at path: [Relationship]) -> [RowLayout.Part] {
        let alias = scope.alias(of: path)
        var parts: [RowLayout.Part] = []
        var text = "{"
        for (index, field) in selection.fields.enumerated() {
            text += (index > 0 ? "," : "") + "\"\(field.key)\":"
            let part: RowLayout.Part
            switch field {
            case .typename:
                text += "\"\(selection.table.name)\""
                continue
            case .field(_, let field):
                part = field.type.part(column(field.type.column(field.expression(on: alias))))
            case .one(_, let relationship, let inner):
                let path = path + [relationship]
                let presence = column("\(scope.alias(of: path)).id")
                part = .object(presence: presence, self.parts(of: inner, at: path))
            case .many(_, let relationship, let list):
                let json = JSONSQL(schema: schema, aliases: scope.aliases)
                part = .bare(column(json.array(list, over: relationship, from: alias)))
            }
            parts.append(.bytes(Array(text.utf8)))
            parts.append(part)
            text = ""
        }
        parts.append(.bytes(Array((text + "}").utf8)))
        return parts
    }
}

/// Writes the lists inside a record. Each is one scalar subquery that returns JSON text, with the same key order and
/// spelling of values as at the top level.
struct JSONSQL {
    let schema: Schema
    let aliases: Aliases

    /// The records related to the record `parent`, as a JSON array.
    func array(_ list: ListShape, over relationship: Relationship, from parent: String) -> String {
        let scope = Scope(list.selection.table, aliases, schema: schema)
        let object = object(list.selection, at: [], in: scope)
        let rest = ListSQL(schema: schema, aliases: aliases).sql(
            list, in: scope, conditions: [relationship.match(from: parent, to: scope.alias)])
        return "(SELECT coalesce('[' || string_agg(j, ',') || ']', '[]') FROM (SELECT \(object) AS j\n\(rest))"
            + " \(aliases.next()))"
    }

    private func object(_ selection: SelectionShape, at path: [Relationship], in scope: Scope) -> String {
        let alias = scope.alias(of: path)
        var pieces: [String] = []
        var text = "{"
        for (index, field) in selection.fields.enumerated() {
            text += (index > 0 ? "," : "") + "\"\(field.key)\":"
            switch field {
            case .typename:
                text += "\"\(selection.table.name)\""
                continue
            case .field(_, let field):
                let value = field.type.json(field.expression(on: alias))
                pieces.append(literal(text))
                pieces.append(field.isNullable ? "coalesce(\(value), 'null')" : value)
            case .one(_, let relationship, let inner):
                let path = path + [relationship]
                let value = object(inner, at: path, in: scope)
                pieces.append(literal(text))
                pieces.append("CASE WHEN \(scope.alias(of: path)).id IS NULL THEN 'null' ELSE \(value) END")
            case .many(_, let relationship, let list):
                pieces.append(literal(text))
                pieces.append(array(list, over: relationship, from: alias))
            }
            text = ""
        }
        pieces.append(literal(text + "}"))
        return concatenation(pieces)
    }

    private func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// `concat(…)`, nested because a function takes at most a hundred arguments.
    private func concatenation(_ pieces: [String]) -> String {
        guard pieces.count > 100 else { return "concat(\(pieces.joined(separator: ", ")))" }
        let groups = stride(from: 0, to: pieces.count, by: 100).map { start in
            concatenation(Array(pieces[start..<min(start + 100, pieces.count)]))
        }
        return concatenation(groups)
    }
}
