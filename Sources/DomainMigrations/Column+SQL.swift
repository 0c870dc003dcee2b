import DomainKit
import JSON
import QueryCompiler

extension Column {
    /// The column as CREATE TABLE and ALTER TABLE … ADD have it: `title varchar(200) NOT NULL CONSTRAINT books_title_check CHECK (…)`.
    ///
    /// - Parameters:
    ///   - table: the table's name, from which those of its constraints follow.
    ///   - reference: what a foreign key refers to, `bookshop.authors (id)`; nil without one.
    func definition(in table: String, referringTo reference: String?) -> String {
        var parts = [SQLIdentifier.sql(name), type.columnType]
        if !isNullable { parts.append("NOT NULL") }
        if let value = defaultSQL { parts.append("DEFAULT \(value)") }
        if let condition = condition {
            parts.append("CONSTRAINT \(constraint("check", of: table)) CHECK (\(condition))")
        }
        if let reference { parts.append("CONSTRAINT \(constraint("fkey", of: table)) REFERENCES \(reference)") }
        return parts.joined(separator: " ")
    }

    private func constraint(_ suffix: String, of table: String) -> String {
        SQLIdentifier.sql("\(table)_\(name)_\(suffix)")
    }

    /// The default that the declaration knows; nil if there is none, or if it only says that there is one.
    private var defaultSQL: String? {
        guard let defaultValue, !defaultValue.isNull else {
            switch type {
            case .timestamp where hasDefault: return "now()"
            case .date where hasDefault: return "CURRENT_DATE"
            default: return nil
            }
        }
        do throws(ValueError) {
            let text = try type.postgresText(of: defaultValue)
            return type.isNumeric || type == .boolean ? text : SQLIdentifier.literal(text)
        } catch {
            return nil
        }
    }

    /// Whether the database must have a default that the declaration does not say.
    var lacksDefault: Bool { hasDefault && defaultSQL == nil && access != .readOnly }

    /// What a constraint repeats of the declaration, for other writers than the server; nil if the type says it all.
    private var condition: String? {
        let name = SQLIdentifier.sql(name)
        if let pattern = format?.pattern, !pattern.contains("(?") {
            return "\(name) ~ \(SQLIdentifier.literal(pattern))"
        }
        return switch type {
        case .text: isNullable ? nil : "kernel.is_visible(\(name))"
        case .choice(let choices): "\(name) IN (\(choices.words.map(SQLIdentifier.literal).joined(separator: ", ")))"
        case .date: "kernel.is_day(\(name))"
        case .time: "kernel.is_time_of_day(\(name))"
        case .timestamp: "kernel.is_instant(\(name))"
        case .json(.list?): "jsonb_typeof(\(name)) = 'array'"
        case .json(.object?), .json(.anyObject?), .json(.kinds?): "jsonb_typeof(\(name)) = 'object'"
        case .decimal where minimum == 0 && maximum == nil: "kernel.is_amount(\(name))"
        case .decimal: (bounds(of: name).map { "\($0) AND " } ?? "") + "\(name) <> 'NaN'"
        case .bigint, .integer, .smallint:
            allowedNumbers.map { "\(name) IN (\($0.map(String.init).joined(separator: ", ")))" } ?? bounds(of: name)
        case .boolean, .uuid, .json: nil
        }
    }

    private func bounds(of name: String) -> String? {
        var (least, greatest) = (minimum, maximum)
        if case .smallint(let range) = type {
            least = max(least ?? range.lowerBound, range.lowerBound)
            greatest = min(greatest ?? range.upperBound, range.upperBound)
        }
        return switch (least, greatest) {
        case (let least?, let greatest?): "\(name) BETWEEN \(least) AND \(greatest)"
        case (let least?, nil): "\(name) >= \(least)"
        case (nil, let greatest?): "\(name) <= \(greatest)"
        case (nil, nil): nil
        }
    }
}

extension FieldType {
    /// The type of a column: `varchar(200)`, `numeric(6, 2)`.
    var columnType: String {
        switch self {
        case .text(let length?): "varchar(\(length))"
        case .decimal(let precision, let scale): "numeric(\(precision), \(scale))"
        default: argument
        }
    }
}
