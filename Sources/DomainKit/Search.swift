/// How the parameter `search` finds records: by words, of which all must occur in a record's searchable text.
///
/// The text is stored with the record and has a trigram index. A migration creates both with `recherche_keep`.
///
/// ```swift
/// // SELECT public.recherche_keep('public.books', 'public.sans_accents(title)');
/// Search(normaliser: "sans_accents", document: "recherche", columns: ["title"])
/// ```
public struct Search: Sendable {
    /// The function from a word to its normalised form: the one that is applied to the searchable text, for instance
    /// without case and accents.
    public let normaliser: String
    /// The function from a row of this entity to its searchable text, normalised.
    public let document: String
    /// The columns that the document contains, each without a change but for the normalisation. A filter by a part of
    /// such a column can use the index on the document.
    public let columns: [String]

    /// Creates a description of how records are found.
    ///
    /// - Parameters:
    ///   - normaliser: the function from a word to its normalised form.
    ///   - document: the function from a row to its searchable text.
    ///   - columns: the columns that the document contains.
    public init(normaliser: String, document: String, columns: [String] = []) {
        self.normaliser = normaliser
        self.document = document
        self.columns = columns
    }
}
