public import JSON

/// A table, and everything that the server derives from it: methods, validation, SQL and documentation. Or a view, which
/// an SQL function computes: see ``Entity/isView``.
///
/// The table has a primary key `id` (``Column/id``), from a sequence and at least 1, and a counter `version`
/// (``Column/bookkeeping``) if its records can be updated.
///
/// ```swift
/// static let authors = Entity(
///     name: "authors",
///     noun: Noun("auteur", plural: "auteurs", feminine: false),
///     columns: [.id, Column("name", .text(maxLength: 100), nullable: false, label: "Nom")] + Column.bookkeeping,
///     relations: [Relation("books", to: "books", .toMany(column: "author_id"), label: "Livres")],
///     search: nil,
///     defaultOrder: [OrderTerm("name")],
///     access: Access(read: [.user, .admin], create: [.admin], update: [.admin], delete: [.admin]))
/// ```
public struct Entity: Sendable {
    /// Where the records of an entity come from.
    public enum Source: Sendable, Equatable {
        /// From the table of the entity's name.
        case table
        /// From the set-returning SQL function of this name, called with these parameters: the entity is a view.
        case function(String, [Column])
    }

    /// Whom the rows of a table belong to.
    public enum Ownership: Sendable, Equatable {
        /// Each row belongs to one company, which its column `company_id` names. A call reaches the rows of its own company.
        case ofCompanies
        /// The rows belong to the whole installation: every company reads them, and none writes them.
        case ofInstallation
    }

    /// The table's name in Postgres, and the first half of its methods' names: `books` gives `books.list`.
    public let name: String
    /// Whether the records are rows of a table, or a view computes them.
    public let source: Source
    /// Whom the rows belong to.
    public let rows: Ownership
    /// How French messages name one record, and several.
    public let noun: Noun
    /// The stored columns. A result without `select` has those that are readable, in this order.
    public let columns: [Column]
    /// The computed fields. A result has those that `select` names.
    public let derived: [DerivedField]
    /// The ways to related records. A result has those that `select` names.
    public let relations: [Relation]
    /// The column or derived field by which people know a record, in links to it and above its page; nil:
    /// ``Swift/Sequence/titlePaths(of:readable:)`` finds one.
    public let title: String?
    /// How the parameter `search` finds records; nil: the methods have no such parameter.
    public let search: Search?
    /// The order of a list without `order_by`. The server appends `id`, so that it is total.
    public let defaultOrder: [OrderTerm]
    /// The rules that concern more than one column, or more than one record. Those of a view concern its parameters.
    public let rules: [Rule]
    /// The constraints by which a caller may learn that there is a record that they cannot read.
    public let disclosingConstraints: Set<String>
    /// Which roles may do what.
    public let access: Access
    /// Whether a company has one record at most, such as its settings. `get` then needs no `id`.
    ///
    /// No role may create, duplicate or delete it: a command makes it at its first call (``Command/opens(_:)``). The migrations
    /// create a unique index over `company_id`, `<table>_single_idx`.
    public let isSingle: Bool
    /// Whether the method `duplicate` exists: it creates a record with the values of another.
    public let isDuplicable: Bool
    /// Whether the journal has the changes of its records. The migrations put the table into the journal with
    /// `kernel.journal_keep`.
    public let isInJournal: Bool
    /// Whether the change feed has the changes of its records. The migrations put the table into the feed with
    /// `kernel.feed_keep`.
    public let isInFeed: Bool
    /// How a record that is gone names the one that has taken its place; nil if none does.
    public let successor: Successor?
    /// The columns that say something about a person, each with the value that takes the place of another when the person is
    /// erased (`learntrack erase`). A record of an entity without any is not erased.
    public let personal: [String: JSONValue]

    /// The columns and the rules between them, for the checks of values.
    let columnSet: ColumnSet
    private let derivedByName: [String: DerivedField]
    private let relationsByName: [String: Relation]

    /// Creates an entity. Names of columns, derived fields and relations must differ; the process stops if two columns,
    /// two derived fields or two relations have the same.
    ///
    /// - Parameters:
    ///   - name: the table's name.
    ///   - source: where the records come from.
    ///   - rows: whom the rows of the table belong to. The rows of a view are those that its function may read.
    ///   - noun: what French messages call a record.
    ///   - columns: the stored columns, ``Column/id`` first.
    ///   - derived: the computed fields.
    ///   - relations: the ways to related records.
    ///   - title: the column or derived field by which people know a record; nil: the first text that `search` looks into, else
    ///     the first text that every record has, else the records that it refers to.
    ///   - search: how `search` finds records; nil for a table that is not searched.
    ///   - defaultOrder: the order of a list without `order_by`.
    ///   - rules: what concerns more than one column, or more than one record.
    ///   - disclosingConstraints: the UNIQUE and EXCLUDE constraints that compare the records of one owner with those of
    ///     others, and the foreign keys to tables that a role writes to without reading them. A refusal by such a constraint
    ///     shows that the other record exists, so the server starts only with those that are named here.
    ///   - access: which roles may do what.
    ///   - isSingle: whether a company has one record at most.
    ///   - isDuplicable: whether the method `duplicate` exists.
    ///   - isInJournal: whether the journal has the changes of its records; nil: if `create`, `update` or `delete`
    ///     is offered.
    ///   - isInFeed: whether the change feed has the changes of its records; nil: if the table can be written. A table may
    ///     stay out of it if each of its changes also changes a row of another table.
    ///   - successor: how a record that is gone names the one that has taken its place.
    ///   - personal: the columns about a person, with what takes the place of their values.
    public init(
        name: String, source: Source = .table, rows: Ownership = .ofCompanies, noun: Noun, columns: [Column],
        derived: [DerivedField] = [], relations: [Relation] = [], title: String? = nil, search: Search?,
        defaultOrder: [OrderTerm],
        rules: [Rule] = [],
        disclosingConstraints: Set<String> = [], access: Access,
        isSingle: Bool = false, isDuplicable: Bool = false, isInJournal: Bool? = nil, isInFeed: Bool? = nil,
        successor: Successor? = nil,
        personal: [String: JSONValue] = [:]
    ) {
        self.name = name
        self.source = source
        self.rows = rows
        self.noun = noun
        self.columns = columns
        self.derived = derived
        self.relations = relations
        self.title = title
        self.search = search
        self.defaultOrder = defaultOrder
        self.rules = rules
        self.disclosingConstraints = disclosingConstraints
        self.access = access
        self.isSingle = isSingle
        self.isDuplicable = isDuplicable
        self.successor = successor
        self.personal = personal
        columnSet = ColumnSet(columns, rules: source == .table ? rules : [], table: name)
        let writes: [Operation] = [.create, .update, .delete]
        let isWritten = writes.contains { !access.roles(for: $0).isEmpty }
        self.isInJournal = isInJournal ?? isWritten
        self.isInFeed = isInFeed ?? isWritten
        derivedByName = Dictionary(uniqueKeysWithValues: derived.map { ($0.name, $0) })
        relationsByName = Dictionary(uniqueKeysWithValues: relations.map { ($0.name, $0) })
    }

    /// The column of this name; nil if there is none.
    public func column(named name: String) -> Column? { columnSet.column(named: name) }

    /// The derived field of this name; nil if there is none.
    public func derivedField(named name: String) -> DerivedField? { derivedByName[name] }

    /// The relation of this name; nil if there is none.
    public func relation(named name: String) -> Relation? { relationsByName[name] }

    /// The columns that a write of this kind accepts.
    public func writableColumns(for kind: WriteKind) -> [Column] { columns.filter { $0.isWritable(for: kind) } }

    /// The columns that results have, and that filters and orders know.
    public var readableColumns: [Column] { columns.filter(\.isReadable) }

    /// Every name that a selection may contain: columns, derived fields, relations.
    public var selectableNames: [String] {
        readableColumns.map(\.name) + derived.map(\.name) + relations.map(\.name)
    }
}

/// What takes the place of a record that is gone, for example the record that has absorbed it. An error 404 about the gone
/// record has its id.
///
/// ```swift
/// // SELECT bookshop.author_merged_into(7) returns the id of the author that has absorbed author 7, or null.
/// Successor("merged_into", function: "bookshop.author_merged_into", summary: "L’auteur qui l’a absorbé.")
/// ```
public struct Successor: Sendable, Equatable {
    /// The member of the error's `data`.
    public let name: String
    /// The SQL function, with its schema, that takes the id of the gone record and returns that of the other one, or null. It
    /// runs in the role of the call and must not name a record that the caller may not read.
    public let function: String
    /// What the documents say about the member, in French.
    public let summary: String

    /// Creates a successor from the member's name and the function that finds its value.
    public init(_ name: String, function: String, summary: String) {
        self.name = name
        self.function = function
        self.summary = summary
    }
}

/// A French noun with its plural and gender, from which messages such as « Ce livre n’existe pas » are composed.
///
/// ```swift
/// Noun("étagère", plural: "étagères", feminine: true)
/// ```
public struct Noun: Sendable, Equatable {
    /// The singular, in lower case and without an article.
    public let singular: String
    /// The plural.
    public let plural: String
    /// Whether the noun takes « la » and « une ».
    public let isFeminine: Bool

    /// Creates a noun from its two forms and its gender.
    public init(_ singular: String, plural: String, feminine: Bool) {
        self.singular = singular
        self.plural = plural
        isFeminine = feminine
    }
}

/// One term of an order. The text `-date` of a call is `OrderTerm("date", descending: true)`.
///
/// Null values come last in both directions.
///
/// ```swift
/// // The newest books first; those of one day by their author's name.
/// [OrderTerm("published", descending: true), OrderTerm("author.name")]
/// ```
public struct OrderTerm: Sendable, Hashable {
    /// A column, a derived field, or a path over to-one relations, such as `author.name`.
    public let path: String
    /// Whether the greatest value comes first.
    public let isDescending: Bool

    /// Creates a term, ascending unless `descending` is true.
    public init(_ path: String, descending: Bool = false) {
        self.path = path
        isDescending = descending
    }
}
