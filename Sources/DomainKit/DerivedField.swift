public import JSON

/// A computed field: an SQL function of the migrations that takes a row of the table, or a figure about related records.
///
/// Calls select it, filter by it and order by it as they do with a column. Postgres replaces the call of an SQL function
/// with its body, so that a list pays for an expression only.
///
/// ```swift
/// // CREATE FUNCTION bookshop.age(book bookshop.books) RETURNS integer LANGUAGE sql STABLE RETURN …;
/// DerivedField("age", .integer, summary: "Âge en années.")
/// // Without SQL, on authors, which have the relation `books`:
/// DerivedField.count("books_in_print", of: "books", where: ["state": "printed"], label: "Livres disponibles")
/// DerivedField.sum("pages_written", .bigint, of: "books", column: "pages", label: "Pages écrites")
/// ```
public struct DerivedField: Sendable {
    /// Where the value comes from.
    public enum Source: Sendable, Equatable {
        /// From the SQL function of this name, called with the row, as in `marge(s)`.
        case function(String)
        /// From the records of a relation.
        case figure(RelatedFigure)
    }

    /// The name on the wire.
    public let name: String
    /// The type of the result.
    public let type: FieldType
    /// Whether the result may be null.
    public let isNullable: Bool
    /// Where the value comes from.
    public let source: Source
    /// Whether the migrations create an index on the function's expression.
    public let isIndexed: Bool
    /// A second function for filters, for a field that no index can hold because it changes by itself.
    ///
    /// It takes the row and an array of values. It returns true wherever the field has one of them, and may return true
    /// elsewhere too; its body consists of comparisons that an index serves. Nil: filters use ``source`` alone.
    public let prefilter: String?
    /// What people read above its values, as of a ``Column/label``.
    public let label: String?
    /// What the field means: a French sentence.
    public let summary: String

    /// Creates a field that an SQL function computes.
    ///
    /// - Parameters:
    ///   - name: the name on the wire.
    ///   - type: the type of the result.
    ///   - nullable: whether the result may be null.
    ///   - function: the function's name; nil: the same as `name`.
    ///   - indexed: whether there is an index on it.
    ///   - prefilter: the name of the function that narrows a filter to what an index finds.
    ///   - label: what people read above its values.
    ///   - summary: a French sentence; nil: the label says it all.
    public init(
        _ name: String, _ type: FieldType, nullable: Bool = true, function: String? = nil, indexed: Bool = false,
        prefilter: String? = nil, label: String? = nil, summary: String? = nil
    ) {
        self.init(
            name, type, nullable, .function(function ?? name), indexed: indexed, prefilter: prefilter, label, summary)
    }

    private init(
        _ name: String, _ type: FieldType, _ isNullable: Bool, _ source: Source, indexed: Bool = false,
        prefilter: String? = nil, _ label: String?, _ summary: String?
    ) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.source = source
        isIndexed = indexed
        self.prefilter = prefilter
        self.label = label
        self.summary = summary ?? label.map { "\($0)." } ?? ""
    }

    /// How many related records there are: a `bigint`.
    ///
    /// A figure is about the records that the caller may read: a role that reads its own ones counts those, and for a role that
    /// reads none of them the field does not exist. `where` and `unless` name columns of the related table, each with a value. Null
    /// matches records in which the column is null, and a list matches each of its values. A record must fulfil every condition of
    /// `where`; one condition of `unless` excludes it.
    ///
    /// - Parameter relation: the name of a to-many relation of the same entity.
    public static func count(
        _ name: String, of relation: String, where conditions: [String: JSONValue] = [:],
        unless exceptions: [String: JSONValue] = [:], label: String? = nil, summary: String? = nil
    ) -> DerivedField {
        let figure = RelatedFigure(.count, of: relation, where: conditions, unless: exceptions)
        return DerivedField(name, .bigint, false, .figure(figure), label, summary)
    }

    /// The sum of a number of the related records, 0 without any. The records are those of ``count(_:of:where:unless:label:summary:)``.
    ///
    /// - Parameter type: wide enough for the sum: `.bigint`, or a `.decimal` with the scale of the column.
    public static func sum(
        _ name: String, _ type: FieldType, of relation: String, column: String,
        where conditions: [String: JSONValue] = [:], unless exceptions: [String: JSONValue] = [:],
        label: String? = nil, summary: String? = nil
    ) -> DerivedField {
        let figure = RelatedFigure(.sum(column), of: relation, where: conditions, unless: exceptions)
        return DerivedField(name, type, false, .figure(figure), label, summary)
    }

    /// The least value of a column of the related records, the first day for example; null without any.
    public static func least(
        _ name: String, _ type: FieldType, of relation: String, column: String,
        where conditions: [String: JSONValue] = [:], unless exceptions: [String: JSONValue] = [:],
        label: String? = nil, summary: String? = nil
    ) -> DerivedField {
        let figure = RelatedFigure(.least(column), of: relation, where: conditions, unless: exceptions)
        return DerivedField(name, type, true, .figure(figure), label, summary)
    }

    /// The greatest value of a column of the related records, the last day for example; null without any.
    public static func greatest(
        _ name: String, _ type: FieldType, of relation: String, column: String,
        where conditions: [String: JSONValue] = [:], unless exceptions: [String: JSONValue] = [:],
        label: String? = nil, summary: String? = nil
    ) -> DerivedField {
        let figure = RelatedFigure(.greatest(column), of: relation, where: conditions, unless: exceptions)
        return DerivedField(name, type, true, .figure(figure), label, summary)
    }

    /// The SQL function that computes the field; nil for a figure.
    public var function: String? { if case .function(let name) = source { name } else { nil } }

    /// What the field says about related records; nil for a field that a function computes.
    public var figure: RelatedFigure? { if case .figure(let figure) = source { figure } else { nil } }
}

/// A number about the records of a to-many relation.
public struct RelatedFigure: Sendable, Equatable {
    /// What is computed of the records, by the name of one of their columns.
    public enum Computation: Sendable, Equatable {
        case count
        case sum(String)
        case least(String)
        case greatest(String)

        /// The column; nil for a count.
        public var column: String? {
            switch self {
            case .count: nil
            case .sum(let column), .least(let column), .greatest(let column): column
            }
        }
    }

    /// That a column has one of some values.
    public struct Condition: Sendable, Equatable {
        /// The column of the related table.
        public let column: String
        /// The values; null stands for no value.
        public let values: [JSONValue]
        /// Whether the column must have none of them instead.
        public let isExcluded: Bool
    }

    /// What is computed.
    public let computation: Computation
    /// The name of the relation.
    public let relation: String
    /// What the records must fulfil to count, by the names of their columns.
    public let conditions: [Condition]

    fileprivate init(
        _ computation: Computation, of relation: String, where included: [String: JSONValue],
        unless excluded: [String: JSONValue]
    ) {
        self.computation = computation
        self.relation = relation
        func conditions(_ given: [String: JSONValue], isExcluded: Bool) -> [Condition] {
            given.sorted { $0.key < $1.key }.map { column, value in
                let values = if case .array(let values) = value { values } else { [value] }
                return Condition(column: column, values: values, isExcluded: isExcluded)
            }
        }
        self.conditions = conditions(included, isExcluded: false) + conditions(excluded, isExcluded: true)
    }
}
