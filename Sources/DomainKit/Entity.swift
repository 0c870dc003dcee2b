/// A table and everything the service derives from it: methods, validation, SQL, documentation.
public struct Entity: Sendable {
    /// The table's name and the first half of its methods' names (`books` gives `books.list`).
    public let name: String
    /// How French sentences speak of one record.
    public let noun: Noun
    /// In the order in which an answer without `select` lists them.
    public let columns: [Column]
    public let derived: [DerivedField]
    public let relations: [Relation]
    /// Nil: its records are not searched for words.
    public let search: Search?
    public let defaultOrder: [OrderTerm]
    public let rules: [Rule]
    public let access: Access
    /// Whether `X.duplicate` exists: a new record with the values of another.
    public let isDuplicable: Bool

    private let columnsByName: [String: Column]
    private let derivedByName: [String: DerivedField]
    private let relationsByName: [String: Relation]

    public init(
        name: String, noun: Noun, columns: [Column], derived: [DerivedField] = [], relations: [Relation] = [],
        search: Search?, defaultOrder: [OrderTerm], rules: [Rule] = [], access: Access, isDuplicable: Bool = false
    ) {
        self.name = name
        self.noun = noun
        self.columns = columns
        self.derived = derived
        self.relations = relations
        self.search = search
        self.defaultOrder = defaultOrder
        self.rules = rules
        self.access = access
        self.isDuplicable = isDuplicable
        columnsByName = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        derivedByName = Dictionary(uniqueKeysWithValues: derived.map { ($0.name, $0) })
        relationsByName = Dictionary(uniqueKeysWithValues: relations.map { ($0.name, $0) })
    }

    public func column(named name: String) -> Column? { columnsByName[name] }
    public func derivedField(named name: String) -> DerivedField? { derivedByName[name] }
    public func relation(named name: String) -> Relation? { relationsByName[name] }

    /// The columns that `create` and `update` take.
    public var writableColumns: [Column] { columns.filter { $0.access == .readWrite } }

    /// Every name that may stand in a selection, for suggestions.
    public var selectableNames: [String] {
        columns.map(\.name) + derived.map(\.name) + relations.map(\.name)
    }
}

/// A French noun with its gender, for messages such as «Ce livre n'existe pas».
public struct Noun: Sendable, Equatable {
    public let singular: String
    public let plural: String
    public let isFeminine: Bool

    public init(_ singular: String, plural: String, feminine: Bool) {
        self.singular = singular
        self.plural = plural
        isFeminine = feminine
    }
}
