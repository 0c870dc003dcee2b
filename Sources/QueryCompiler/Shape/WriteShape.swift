/// What a statement that changes records, or asks about them, does.
enum WriteShape: Hashable, Sendable {
    case insert(Table, [Field])
    case update(Table, [Field], checksVersion: Bool)
    case delete(Table, checksVersion: Bool)
    case copy(Table, [Field])
    case exists(Table)
    case references(Table)

    func sql(_ schema: Schema) -> String {
        switch self {
        case .insert(let table, let fields): WriteSQL.insert(fields, into: table)
        case .update(let table, let fields, let checks): WriteSQL.update(fields, of: table, checksVersion: checks)
        case .delete(let table, let checks): WriteSQL.delete(from: table, checksVersion: checks)
        case .copy(let table, let fields): WriteSQL.copy(table, replacing: fields)
        case .exists(let table): WriteSQL.exists(table)
        case .references(let table): WriteSQL.count(schema.references(to: table))
        }
    }
}
