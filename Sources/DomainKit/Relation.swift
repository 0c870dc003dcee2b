/// A way from one entity to another, over a foreign key.
public struct Relation: Sendable {
    public enum Kind: Sendable, Equatable {
        /// This entity's `column` refers to the target's `id`.
        case toOne(column: String)
        /// The target's `column` refers to this entity's `id`.
        case toMany(column: String)
    }

    public let name: String
    /// The name of the entity it leads to.
    public let target: String
    public let kind: Kind
    public let summary: String

    public init(_ name: String, to target: String, _ kind: Kind, summary: String) {
        self.name = name
        self.target = target
        self.kind = kind
        self.summary = summary
    }
}

/// How `search` finds records: SQL functions of the migrations, each from a row to its normalised text.
public struct Search: Sendable {
    /// The function that takes case and accents off a word, as the documents have them off.
    public let normaliser: String
    /// The function from a row of this entity to its own searchable text.
    public let document: String
    /// The columns whose texts stand in the document, each in one piece: what is in one of them is in the document, and
    /// its index finds that.
    public let columns: [String]
    /// To-one relations whose text counts too, each with the function from the related row to that text.
    public let related: [Related]

    public struct Related: Sendable {
        public let relation: String
        public let document: String

        public init(relation: String, document: String) {
            self.relation = relation
            self.document = document
        }
    }

    public init(normaliser: String, document: String, columns: [String] = [], related: [Related] = []) {
        self.normaliser = normaliser
        self.document = document
        self.columns = columns
        self.related = related
    }
}

/// One term of an order: `-date` is `OrderTerm("date", descending: true)`.
public struct OrderTerm: Sendable, Hashable {
    /// A column, a derived field, or a path over to-one relations such as `author.name`.
    public let path: String
    public let isDescending: Bool

    public init(_ path: String, descending: Bool = false) {
        self.path = path
        isDescending = descending
    }
}
