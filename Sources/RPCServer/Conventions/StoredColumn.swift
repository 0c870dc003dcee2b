import DomainKit

/// A column as the catalogue has it.
struct StoredColumn {
    let name: String
    /// The most characters that a `varchar` takes; nil: as many as one likes, or the column has another type.
    private let limit: Int?
    private let isNullable: Bool
    private let hasDefault: Bool
    /// As `format_type` writes it, without a length: `character varying`.
    private let type: String

    /// - Parameter line: `200 value title character varying`: the limit or `-`; `null`, or of a column that is not nullable whether it
    ///   has a `default` or needs a `value`; the name; the type.
    init(_ line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 2)
        limit = Int(parts[0])
        isNullable = parts[1] == "null"
        hasDefault = parts[1] == "default"
        // A name may have blanks, and so have types. Types begin with the first word that is one.
        let rest = parts[2]
        let type = Self.types.filter { rest.hasSuffix(" \($0)") }.max { $0.count < $1.count }
        self.type = type ?? rest.split(separator: " ").last.map(String.init) ?? ""
        name = String(rest.dropLast(self.type.count + 1))
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

    /// The names of types with blanks.
    private static let types = [
        "character varying", "timestamp with time zone", "timestamp without time zone", "time without time zone",
        "time with time zone", "double precision", "bit varying",
    ]
}

extension FieldType {
    /// The types of columns that take its values as the server sends them, the usual one first; nil: any.
    fileprivate var stored: [String]? {
        switch self {
        case .bigint: ["bigint", "integer", "smallint"]
        case .integer: ["integer", "bigint", "smallint"]
        case .smallint: ["smallint", "integer", "bigint"]
        case .decimal: ["numeric"]
        case .text: ["character varying", "text", "character"]
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
