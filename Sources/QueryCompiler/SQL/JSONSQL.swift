import DomainKit

/// Writes the lists inside a record: one scalar subquery each, whose value is JSON text, key order and spelling of
/// values as at the top level.
struct JSONSQL {
    let schema: Schema
    let aliases: Aliases

    /// The related records of the record `parent` as a JSON array.
    func array(_ list: ListShape, over relationship: Relationship, from parent: String) -> String {
        let scope = Scope(list.selection.table, aliases, schema: schema)
        let object = object(list.selection, at: [], in: scope)
        let rest = ListClauses(schema: schema, aliases: aliases).sql(
            list, in: scope, conditions: [relationship.match(from: parent, to: scope.alias)])
        return "(SELECT coalesce('[' || string_agg(j, ',') || ']', '[]') FROM (SELECT \(object) AS j\n\(rest))"
            + " \(aliases.next()))"
    }

    private func object(_ selection: SelectionShape, at path: [Relationship], in scope: Scope) -> String {
        let alias = scope.alias(of: path)
        var separateBranches: [String] = []
        var text = "{"
        for (index, field) in selection.fields.enumerated() {
            text += (index > 0 ? "," : "") + "\"\(field.key)\":"
            switch field {
            case .typename:
                text += "\"\(selection.table.name)\""
                continue
            case .field(_, let field):
                let value = field.type.json(field.expression(on: alias))
                separateBranches.append(literal(text))
                separateBranches.append(field.isNullable ? "coalesce(\(value), 'null')" : value)
            case .one(_, let relationship, let inner):
                let path = path + [relationship]
                let value = object(inner, at: path, in: scope)
                separateBranches.append(literal(text))
                separateBranches.append("CASE WHEN \(scope.alias(of: path)).id IS NULL THEN 'null' ELSE \(value) END")
            case .many(_, let relationship, let list):
                separateBranches.append(literal(text))
                separateBranches.append(array(list, over: relationship, from: alias))
            }
            text = ""
        }
        separateBranches.append(literal(text + "}"))
        return concatenation(separateBranches)
    }

    private func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// `concat(…)`, which takes a hundred arguments at most.
    private func concatenation(_ separateBranches: [String]) -> String {
        guard separateBranches.count > 100 else { return "concat(\(separateBranches.joined(separator: ", ")))" }
        let groups = stride(from: 0, to: separateBranches.count, by: 100).map { start in
            concatenation(Array(separateBranches[start..<min(start + 100, separateBranches.count)]))
        }
        return concatenation(groups)
    }
}
