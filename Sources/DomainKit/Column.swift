/// A stored column.
public struct Column: Sendable {
    public enum Access: Sendable, Equatable {
        /// `create` and `update` may set it.
        case readWrite
        /// The database sets it: `id`, `created_at`, `version` …
        case readOnly
    }

    public let name: String
    public let type: FieldType
    /// Whether the column may hold null.
    public let isNullable: Bool
    /// Whether `create` may leave out a column that is not nullable.
    public let hasDefault: Bool
    public let access: Access
    /// The shape a given text must have, such as an e-mail address.
    public let format: Format?
    /// The least number that may be given; nil: any.
    public let minimum: Int?
    /// What it means, in French, for documentation and labels.
    public let summary: String

    public init(
        _ name: String, _ type: FieldType, nullable: Bool = true, hasDefault: Bool = false, access: Access = .readWrite,
        format: Format? = nil, minimum: Int? = nil, summary: String
    ) {
        self.name = name
        self.type = type
        isNullable = nullable
        self.hasDefault = hasDefault
        self.access = access
        self.format = format
        self.minimum = minimum
        self.summary = summary
    }

    /// Whether `create` must be given a value.
    public var isRequired: Bool { access == .readWrite && !isNullable && !hasDefault }
}

/// A computed field: one SQL function of the migrations, taking the table's row, named here and nowhere else.
public struct DerivedField: Sendable {
    public let name: String
    public let type: FieldType
    public let isNullable: Bool
    /// The function's name; called with the row, as in `marge(s)`.
    public let function: String
    /// Whether the migrations have indexes on it, one for each direction, as they have on columns.
    public let isIndexed: Bool
    /// A further function, of the row and an array of values: true wherever the field has one of these, and made of
    /// comparisons that indexes answer. For fields that change by themselves, which no index can hold.
    public let prefilter: String?
    public let summary: String

    public init(
        _ name: String, _ type: FieldType, nullable: Bool = true, function: String? = nil, indexed: Bool = false,
        prefilter: String? = nil, summary: String
    ) {
        self.name = name
        self.type = type
        isNullable = nullable
        self.function = function ?? name
        isIndexed = indexed
        self.prefilter = prefilter
        self.summary = summary
    }
}
