import DomainKit

extension FieldType {
    /// What a parameter of this type is cast to; nil where Postgres takes the type from the other side, which for
    /// a few words may be `char(1)` as well as `text`.
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

    /// `$3::date`
    func parameter(_ slot: Int) -> String {
        "$\(slot + 1)" + (cast.map { "::\($0)" } ?? "")
    }

    /// `$3::date[]`
    func arrayParameter(_ slot: Int) -> String {
        "$\(slot + 1)" + (cast.map { "::\($0)[]" } ?? "")
    }

    /// How names sort: as French people sort them. Texts alone have it; words of a choice are for machines.
    var sortCollation: String {
        if case .text = self { " COLLATE francais" } else { "" }
    }

    /// How texts compare in conditions: by their code points, on every database alike.
    var comparisonCollation: String {
        if case .text = self { " COLLATE \"C\"" } else { "" }
    }

    /// A text of any length, which may be longer than an index takes.
    var isUnbounded: Bool { self == .text(maxLength: nil) }

    /// What indexes hold of a boundless text.
    static func indexedPrefix(of expression: String) -> String { "left(\(expression), \(indexedPrefix))" }

    /// Code points.
    static let indexedPrefix = 200

    /// A value as a result column, so that its text can stand in JSON.
    func column(_ expression: String) -> String {
        switch self {
        case .boolean: "(\(expression))::text"
        case .timestamp: "to_json(\(expression))"
        default: expression
        }
    }

    /// How the row writer treats that column.
    func part(_ index: Int) -> RowLayout.Part {
        if isBareInJSON || self == .timestamp { return .bare(index) }
        return needsEscaping ? .escaped(index) : .quoted(index)
    }

    /// A value as the text that stands for it in JSON; SQL null stays SQL null.
    func json(_ expression: String) -> String {
        switch self {
        case .bigint, .integer, .smallint, .decimal, .boolean, .json: "(\(expression))::text"
        case .text, .choice, .timestamp: "to_json(\(expression))::text"
        case .date, .time, .uuid: "'\"' || \(expression) || '\"'"
        }
    }
}
