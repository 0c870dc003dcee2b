import DomainKit

/// Writes the result columns of a selection's root and to-one relations, and the layout that goes with them.
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

    /// The index of a result column; the same expression is asked for once.
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
