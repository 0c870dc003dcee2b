/// A way from the records of one entity to those of another, over a foreign key.
///
/// A selection follows it (`{ title author { name } }`), and so do filters. The target may belong to another domain that
/// is served. Both directions are declared separately, each on its own entity.
///
/// ```swift
/// // On books, which have the foreign key:
/// Relation("author", to: "authors", .toOne(column: "author_id"), label: "Auteur")
/// // On authors:
/// Relation("books", to: "books", .toMany(column: "author_id"), label: "Livres")
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
    /// Whether a record is a part of the one that it refers to, and is deleted with it: the foreign key is `ON DELETE CASCADE`.
    /// Otherwise a record that others refer to is not deleted (409 `referenced`).
    public let isPart: Bool
    /// What people read above the related records, as of a ``Column/label``.
    public let label: String?
    /// What the related records are: a French sentence.
    public let summary: String

    /// Creates a relation called `name` to the entity called `target`.
    ///
    /// - Parameters:
    ///   - isPart: whether the records are deleted with the one that they refer to. Of a to-one relation.
    ///   - label: what people read above the related records.
    ///   - summary: a French sentence; nil: the label says it all.
    public init(
        _ name: String, to target: String, _ kind: Kind, isPart: Bool = false, label: String? = nil,
        summary: String? = nil
    ) {
        self.name = name
        self.target = target
        self.kind = kind
        self.isPart = isPart
        self.label = label
        self.summary = summary ?? label.map { "\($0)." } ?? ""
    }
}
