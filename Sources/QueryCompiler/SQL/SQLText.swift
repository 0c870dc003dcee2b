import DomainKit
import JSON

/// Names of tables, columns, functions and collations in SQL, and constants. They come from the program, never from a call.
package enum SQLIdentifier {
    /// The name, quoted only where SQL requires it, so that statements stay readable.
    package static func sql(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { isLetter($0) } ?? false
            && name.utf8.allSatisfy { isLetter($0) || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        if isPlain, !reserved.contains(name) { return name }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// `'printed'`
    package static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// The name of a table, a function or a sequence of `schema`. What is in `public` is found without its schema.
    package static func sql(_ name: String, in schema: String) -> String {
        schema == "public" ? sql(name) : "\(sql(schema)).\(sql(name))"
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
    }

    /// The keywords of PostgreSQL's appendix C that cannot name a table or a function without quotes.
    private static let reserved: Set<String> = [
        "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "between",
        "bigint", "binary", "bit", "boolean", "both", "case", "cast", "char", "character", "check", "coalesce",
        "collate", "collation", "column", "concurrently", "constraint", "create", "cross", "current_catalog",
        "current_date", "current_role", "current_schema", "current_time", "current_timestamp", "current_user", "dec",
        "decimal", "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "exists", "extract",
        "false", "fetch", "float", "for", "foreign", "freeze", "from", "full", "grant", "greatest", "group",
        "grouping", "having", "ilike", "in", "initially", "inner", "inout", "int", "integer", "intersect",
        "interval", "into", "is", "isnull", "join", "lateral", "leading", "least", "left", "like", "limit",
        "localtime", "localtimestamp", "national", "natural", "nchar", "none", "normalize", "not", "notnull", "null",
        "nullif", "numeric", "offset", "on", "only", "or", "order", "out", "outer", "overlaps", "overlay", "placing",
        "position", "precision", "primary", "real", "references", "returning", "right", "row", "select",
        "session_user", "setof", "similar", "smallint", "some", "substring", "symmetric", "system_user", "table",
        "tablesample", "then", "time", "timestamp", "to", "trailing", "treat", "trim", "true", "union", "unique",
        "user", "using", "values", "varchar", "variadic", "verbose", "when", "where", "window", "with",
    ]
}

/// Postgres's text form of a one-dimensional array.
enum ArrayLiteral {
    /// `{"a","b \"c\"",NULL}`. Every element is quoted, so that none is read as NULL or as a brace.
    static func text(of elements: [String?]) -> String {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var bytes: [UInt8] = []
        // The quotes and the comma of each, and the braces. A call may give a hundred thousand elements.
        bytes.reserveCapacity(elements.reduce(2) { $0 + ($1?.utf8.count ?? 4) + 3 })
        bytes.append(UInt8(ascii: "{"))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let element else {
                bytes.append(contentsOf: "NULL".utf8)
                continue
            }
            bytes.append(quote)
            for byte in element.utf8 {
                if byte == quote || byte == backslash { bytes.append(backslash) }
                bytes.append(byte)
            }
            bytes.append(quote)
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Field {
    /// `t0.date`, `age(t0)`, `stock.age(t0)`
    func expression(on alias: String) -> String {
        switch computation {
        case nil: "\(alias).\(SQLIdentifier.sql(name))"
        case .function(let function)?: "\(function)(\(alias))"
        case .figure(let figure)?: figure.expression(on: alias)
        }
    }
}

extension FieldType {
    /// The type to which a parameter is cast. Nil for choices: their columns have the type `char(1)` or `text`, and
    /// Postgres infers it.
    private var cast: String? {
        switch self {
        case .bigint: "bigint"
        case .integer: "integer"
        case .smallint: "smallint"
        case .decimal: "numeric"
        case .text: "text"
        case .choice: nil
        case .boolean: "boolean"
        case .date: "date"
        case .time: "time"
        case .timestamp: "timestamptz"
        case .uuid: "uuid"
        case .json: "jsonb"
        }
    }

    /// The type of a function's argument.
    package var argument: String { cast ?? "text" }

    /// `$3::date`
    func parameter(_ slot: Int) -> String {
        "$\(slot + 1)" + (cast.map { "::\($0)" } ?? "")
    }

    /// `$3::date[]`
    func arrayParameter(_ slot: Int) -> String {
        "$\(slot + 1)" + (cast.map { "::\($0)[]" } ?? "")
    }

    /// The COLLATE clause with which conditions compare texts: by code points, on every database alike.
    var comparisonCollation: String {
        if case .text = self { " COLLATE \"C\"" } else { "" }
    }

    /// Whether this is text of unlimited length, which may exceed the size of an index entry.
    var isUnbounded: Bool { self == .text(maxLength: nil) }

    /// The part of an unbounded text that indexes store.
    static func indexedPrefix(of expression: String) -> String { "left(\(expression), \(indexedPrefixLength))" }

    /// In code points. The migrations create their indexes with the same length.
    package static let indexedPrefixLength = 200

    /// A value as a result column with a text that can be written into JSON.
    func column(_ expression: String) -> String {
        switch self {
        case .boolean: "(\(expression))::text"
        case .timestamp: "to_json(\(expression))"
        default: expression
        }
    }

    /// How the row writer writes a result column of this type.
    func part(_ index: Int) -> RowLayout.Part {
        if isBareInJSON || self == .timestamp { return .bare(index) }
        return needsEscaping ? .escaped(index) : .quoted(index)
    }

    /// A value as its JSON text. SQL null stays SQL null.
    func json(_ expression: String) -> String {
        switch self {
        case .bigint, .integer, .smallint, .decimal, .boolean, .json: "(\(expression))::text"
        case .text, .choice, .timestamp: "to_json(\(expression))::text"
        case .date, .time, .uuid: "'\"' || \(expression) || '\"'"
        }
    }
}
