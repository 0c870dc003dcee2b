/// How the parameter `search` finds records: by words, of which all must occur in a record's searchable text.
///
/// The text is stored with the record, in lower case and without accents, and has a trigram index. A migration creates both
/// with `kernel.search_keep`, and the function `searchable`. Words are changed by the same function as the text,
/// `kernel.without_accents`.
///
/// ```swift
/// // SELECT kernel.search_keep('bookshop.books', 'kernel.without_accents(title)');
/// Search(function: "searchable", columns: ["title"])
/// ```
public struct Search: Sendable {
    /// The function from a row of this entity to its searchable text, normalised.
    public let function: String
    /// The columns that the text contains, each changed by the normalisation only. A filter by a part of such a column can
    /// use the index on the text.
    public let columns: [String]

    /// Creates a description of how records are found.
    ///
    /// - Parameters:
    ///   - function: the function from a row to its searchable text.
    ///   - columns: the columns that the text contains.
    public init(function: String, columns: [String] = []) {
        self.function = function
        self.columns = columns
    }
}
