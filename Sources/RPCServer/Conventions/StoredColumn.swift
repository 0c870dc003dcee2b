import DomainKit

/// A column as the catalogue has it.
struct StoredColumn {
    let name: String
    /// The most characters that a `varchar` takes; nil: it has no limit, or the column has another type.
    private let limit: Int?
    private let isNullable: Bool
    private let hasDefault: Bool
    /// As `format_type` writes it, without a length: `character varying`.
    private let type: String

    /// - Parameter line: the limit or `-`; `null`, or of a column that is not nullable whether it has a `default` or needs a `value`;
    ///   the name; the type, that of a domain's values. Tabs are between them.
    init(_ line: Substring) {
        let parts = line.split(separator: "\t", maxSplits: 3).map(String.init)
        limit = Int(parts[0])
        isNullable = parts[1] == "null"
        hasDefault = parts[1] == "default"
        name = parts[2]
        type = parts[3]
    }

    /// What is not as the declaration says.
    func errors(of column: Column, in table: String) -> [ConventionError] {
        if let expected = column.type.stored, !expected.contains(type) {
            return [.otherType(column.name, declared: expected[0], present: type, table: table)]
        }
        var found: [ConventionError] = []
        // A wider column takes what the declaration allows.
        if case .text(let declared) = column.type, let limit, limit < declared ?? .max {
            found.append(.otherLimit(column.name, declared: declared, present: limit, table: table))
        }
        // What triggers fill needs no default.
        if column.isNullable != isNullable, column.access != .readOnly, !(column.isNullable && hasDefault) {
            found.append(.otherNullability(column.name, declared: column.isNullable, table: table))
        }
        return found
    }
}

extension FieldType {
    /// The types of columns that take its values as the server sends them, the usual one first; nil: any.
    fileprivate var stored: [String]? {
        switch self {
        case .bigint: ["bigint", "integer", "smallint"]
        case .integer: ["integer", "bigint", "smallint"]
        case .smallint: ["smallint", "integer", "bigint"]
        case .decimal: ["numeric"]
        case .text: ["character varying", "text", "character", "citext", "public.citext"]
        // Some domains have types of their own for words.
        case .choice: nil
        case .boolean: ["boolean"]
        case .date: ["date"]
        case .time: ["time without time zone"]
        case .timestamp: ["timestamp with time zone"]
        case .uuid: ["uuid"]
        case .json: ["jsonb"]
        }
    }
}
