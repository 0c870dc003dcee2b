public import JSON

/// A stored column of a table, a parameter of a method, or a member of an object (``Shape``).
///
/// The server checks a value that a call gives for a column: its type, null, blank text, its bounds, its format.
/// A constraint of the table named `<table>_<column>_check` enforces the same for other writers, psql for instance.
///
/// ```swift
/// Column("title", .text(maxLength: 200), nullable: false, label: "Titre")
/// Column("price", .decimal(precision: 6, scale: 2), minimum: 0, label: "Prix", summary: "Prix, en euros.")
/// Column("author", .bigint, nullable: false, of: "authors", label: "Auteur")  // a parameter of a command
/// Column("delta", .integer, nullable: false, oneOf: [-1, 1], reading: [-1: "Sortie", 1: "Entrée"], label: "Sens")
/// Column("origin", .choice(["bought": "Acheté", "given": "Donné", "found": "Trouvé"]), accepts: ["bought", "given"], label: "Origine")
/// Column("tags", .json(.list(of: .text(maxLength: 40), count: 0...10)), label: "Mots clés")
/// ```
public struct Column: Sendable, Equatable {
    /// Who sets the values of a column.
    public enum Access: Sendable, Equatable {
        /// Calls do: `create` and `update` accept the column.
        case readWrite
        /// Calls do, once: `create` accepts the column, and `update` refuses it.
        case createOnly
        /// Calls do, and no call reads the value: a secret, such as the address of a webhook. Selections, filters and orders
        /// do not know the column. The migrations grant `SELECT` on the other columns only, and name the column to
        /// `kernel.journal_keep`, so that the journal hides its values.
        case writeOnly
        /// The database does, by a default or a trigger: `id`, `created_at`, `version`.
        case readOnly
    }

    /// The name in Postgres and on the wire.
    public let name: String
    /// The type in Postgres and on the wire.
    public let type: FieldType
    /// Whether the column may contain null. A text column that may not be null may not be blank either.
    public let isNullable: Bool
    /// Whether the database has a default, so that `create` may leave out a column that is not nullable. The same of a
    /// parameter: its method has a default.
    public let hasDefault: Bool
    /// The default, if it is a constant.
    ///
    /// A parameter or a member that is missing or null has this value. For a stored column it documents the default of
    /// the table, which the database inserts.
    public let defaultValue: JSONValue?
    /// Who sets the values. Parameters and members are ``Access/readWrite``.
    public let access: Access
    /// The format of a text, such as an e-mail address; nil: any text.
    public let format: Format?
    /// The least number allowed; nil: any.
    public let minimum: Int?
    /// The greatest number allowed; nil: any.
    public let maximum: Int?
    /// The only whole numbers allowed; nil: any within the bounds.
    public let allowedNumbers: [Int]?
    /// What people read in the place of some numbers, such as « Entrée » for 1; empty: they read the numbers.
    public let numberLabels: [Int: String]
    /// The words of a ``FieldType/choice(_:)`` that calls may give; nil: all of them. The others are for the functions and triggers
    /// of the migrations to write, and for answers and filters.
    public let acceptedWords: [String]?
    /// The entity of the record that a parameter of a command or a loaded method names by its `id`; nil for other parameters. Of
    /// a command's list of ids, each names one, and a member of an object may name one, too. The target of a stored column is that of the relation of
    /// its entity.
    ///
    /// The server reads the record before it calls the function: ``Command/roles``; ``LoadedMethod/parameters``.
    public let target: String?
    /// Which files the column may name; nil for a column that names none.
    public let file: FileRule?
    /// Whether `duplicate` copies the value. A column that it leaves out has the default of the table in the new record, unless
    /// the call gives a value.
    public let isDuplicated: Bool
    /// Whether the migrations create an index in the order of the column, so that a list in this order does not sort.
    ///
    /// An entity's `id`, its foreign keys and the first column of its default order always have one.
    public let isIndexed: Bool
    /// Whether no two records have the same value. The migrations create a unique index on it, `<table>_<column>_key`, with the
    /// column of the owner where a role reaches its own records only: two owners may then have the same value. A call that gives a value again is answered with 409.
    public let isUnique: Bool
    /// What people read above its values, in forms, lists and heads of tables: French, with a capital letter and without a full stop.
    /// A domain that is served gives every column one.
    public let label: String?
    /// What the column means: a French sentence for the documentation.
    public let summary: String

    /// Creates a column: nullable, without a default, and writable unless stated otherwise.
    ///
    /// - Parameters:
    ///   - name: the name in Postgres and on the wire.
    ///   - type: the type in Postgres and on the wire.
    ///   - nullable: whether null is allowed.
    ///   - hasDefault: whether the database, or the method, has a default.
    ///   - defaultValue: the default, if it is a constant. `hasDefault` is then true.
    ///   - access: who sets the values.
    ///   - format: the format of a text.
    ///   - minimum: the least number allowed.
    ///   - maximum: the greatest number allowed.
    ///   - allowedNumbers: the only whole numbers allowed.
    ///   - numberLabels: what people read in the place of numbers.
    ///   - acceptedWords: the words of a choice that calls may give.
    ///   - target: the entity of the record that a parameter names.
    ///   - file: which files the column may name.
    ///   - duplicated: whether `duplicate` copies the value.
    ///   - indexed: whether there is an index on it besides those that every entity has.
    ///   - unique: whether no two records have the same value.
    ///   - label: what people read above its values.
    ///   - summary: a French sentence; nil: the label says it all.
    public init(
        _ name: String, _ type: FieldType, nullable: Bool = true, hasDefault: Bool = false,
        default defaultValue: JSONValue? = nil, access: Access = .readWrite, format: Format? = nil,
        minimum: Int? = nil, maximum: Int? = nil, oneOf allowedNumbers: [Int]? = nil,
        reading numberLabels: [Int: String] = [:],
        accepts acceptedWords: [String]? = nil,
        of target: String? = nil, file: FileRule? = nil, duplicated: Bool = true, indexed: Bool = false,
        unique: Bool = false, label: String? = nil, summary: String? = nil
    ) {
        self.name = name
        self.type = type
        isNullable = nullable
        self.hasDefault = hasDefault || defaultValue != nil
        self.defaultValue = defaultValue
        self.access = access
        self.format = format
        self.minimum = minimum
        self.maximum = maximum
        self.allowedNumbers = allowedNumbers
        self.numberLabels = numberLabels
        self.acceptedWords = acceptedWords
        self.target = target
        self.file = file
        isDuplicated = duplicated
        isIndexed = indexed
        isUnique = unique
        self.label = label
        self.summary = summary ?? label.map { "\($0)." } ?? ""
    }

    /// Whether `create` must give a value; whether a call must give the parameter, or an object the member.
    public var isRequired: Bool { access != .readOnly && !isNullable && !hasDefault }

    /// Whether results have the column.
    public var isReadable: Bool { access != .writeOnly }
}

extension Column {
    /// The primary key that every table has: `id`, given by a sequence.
    public static let id = Column("id", .bigint, nullable: false, access: .readOnly, label: "Identifiant")

    /// What the database records about every row: `created_at`, `updated_at` and `version`.
    ///
    /// A trigger of the migrations maintains them (`kernel.note_change`). `version` is what `if_version` is compared with.
    public static let bookkeeping = [
        Column(
            "created_at", .timestamp, nullable: false, access: .readOnly, label: "Création",
            summary: "Quand la fiche a été créée."),
        Column(
            "updated_at", .timestamp, nullable: false, access: .readOnly, label: "Dernière modification",
            summary: "Quand la fiche a été modifiée pour la dernière fois."),
        Column(
            "version", .integer, nullable: false, access: .readOnly, label: "Version",
            summary: "Numéro de version\u{202F}: 1 à la création, un de plus à chaque modification."),
    ]
}
