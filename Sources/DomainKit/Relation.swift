/// A way from the records of one entity to those of another, over a foreign key.
///
/// A selection follows it (`{ title author { name } }`), and so do filters. The target may belong to another domain that
/// is served. Both directions are declared separately, each on its own entity.
///
/// ```swift
/// // On books, which have the foreign key:
/// Relation("author", to: "authors", .toOne(column: "author_id"), summary: "Son auteur.")
/// // On authors:
/// Relation("books", to: "books", .toMany(column: "author_id"), summary: "Ses livres.")
/// ```
public struct Relation: Sendable {
    /// Which of the two tables has the foreign key.
    public enum Kind: Sendable, Equatable {
        /// This entity's `column` refers to the target's `id`: a record leads to one record, or to none.
        case toOne(column: String)
        /// The target's `column` refers to this entity's `id`: a record leads to any number of records.
        case toMany(column: String)
    }

    /// The name on the wire.
    public let name: String
    /// The name of the entity that it leads to.
    public let target: String
    /// Which of the two tables has the foreign key.
    public let kind: Kind
    /// What the related records are: a French sentence.
    public let summary: String

    /// Creates a relation called `name` to the entity called `target`.
    public init(_ name: String, to target: String, _ kind: Kind, summary: String) {
        self.name = name
        self.target = target
        self.kind = kind
        self.summary = summary
    }
}

/// How the parameter `search` finds records: by words, of which all must occur in a record's searchable text.
///
/// The functions are those of the migrations. A trigram index on the expression of ``document`` makes a search fast.
///
/// ```swift
/// // CREATE FUNCTION public.recherche(book public.books) RETURNS text …;
/// Search(
///     normaliser: "sans_accents", document: "recherche", columns: ["title"],
///     related: [Search.Related(relation: "author", document: "recherche")])
/// ```
public struct Search: Sendable {
    /// The function from a word to its normalised form: the one that ``document`` applies to its text, for instance
    /// without case and accents.
    public let normaliser: String
    /// The function from a row of this entity to its searchable text, normalised.
    public let document: String
    /// The columns that the document contains, each without a change but for the normalisation. A filter by a part of
    /// such a column can use the index on the document.
    public let columns: [String]
    /// The to-one relations with records that contribute to the searchable text.
    public let related: [Related]

    /// A to-one relation that contributes to the searchable text.
    public struct Related: Sendable {
        /// The name of the relation.
        public let relation: String
        /// The function from the related row to its normalised text.
        public let document: String

        /// Creates a contribution of the records that `relation` leads to.
        public init(relation: String, document: String) {
            self.relation = relation
            self.document = document
        }
    }

    /// Creates a description of how records are found.
    ///
    /// - Parameters:
    ///   - normaliser: the function from a word to its normalised form.
    ///   - document: the function from a row to its searchable text.
    ///   - columns: the columns that the document contains.
    ///   - related: the to-one relations that contribute.
    public init(normaliser: String, document: String, columns: [String] = [], related: [Related] = []) {
        self.normaliser = normaliser
        self.document = document
        self.columns = columns
        self.related = related
    }
}
