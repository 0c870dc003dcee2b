import DomainKit

/// Writes the lists inside a record: one scalar subquery each, whose value is JSON text, key order and spelling of
/// values as at the top level.
struct JSONSQL {
    let schema: Schema
    let aliases: Aliases

    /// The related records of the record `parent` as a JSON array.
    func array(_ list: ListShape, over link: Link, from parent: String) -> String {
        let scope = Scope(list.selection.table, aliases, schema: schema)
        let object = object(list.selection, at: [], in: scope)
        let rest = ListClauses(schema: schema, aliases: aliases).sql(
            list, in: scope, conditions: [link.match(from: parent, to: scope.alias)])
        return "(SELECT coalesce('[' || string_agg(j, ',') || ']', '[]') FROM (SELECT \(object) AS j\n\(rest))"
            + " \(aliases.next()))"
    }

    private func object(_ selection: SelectionShape, at path: [Link], in scope: Scope) -> String {
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
            case .one(_, let link, let inner):
                let path = path + [link]
                let value = object(inner, at: path, in: scope)
                pieces.append(literal(text))
                pieces.append("CASE WHEN \(scope.alias(of: path)).id IS NULL THEN 'null' ELSE \(value) END")
            case .many(_, let link, let list):
                pieces.append(literal(text))
                pieces.append(array(list, over: link, from: alias))
            }
            text = ""
        }
        pieces.append(literal(text + "}"))
        return concatenation(pieces)
    }

    private func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// `concat(…)`, which takes a hundred arguments at most.
    private func concatenation(_ pieces: [String]) -> String {
        guard pieces.count > 100 else { return "concat(\(pieces.joined(separator: ", ")))" }
        let groups = stride(from: 0, to: pieces.count, by: 100).map { start in
            concatenation(Array(pieces[start..<min(start + 100, pieces.count)]))
        }
        return concatenation(groups)
    }
}
