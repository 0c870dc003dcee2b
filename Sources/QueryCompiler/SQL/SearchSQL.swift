import DomainKit

/// Writes `search` as an SQL condition on one record.
enum SearchSQL {
    /// Every word must occur in the record's search document. Nil without words.
    static func sql(_ words: [SearchWord], on table: Table, _ alias: String) -> String? {
        guard !words.isEmpty, let function = table.searchDocument else { return nil }
        let document = "\(function)(\(alias))"
        return words.map { condition($0, on: document) }.joined(separator: " AND ")
    }

    private static func condition(_ word: SearchWord, on document: String) -> String {
        let normalised = "kernel.without_accents($\(word.slot + 1)::text)"
        // Postgres evaluates a scalar subquery once, but a plain expression for every row that it examines.
        guard word.hasTrigram else {
            // The trigram index could only return all of its entries for such a word, which costs more than a scan.
            return "strpos(\(document), (SELECT \(normalised))) > 0"
        }
        // LIKE's special characters are escaped after normalisation, which can produce some, from `％` for example.
        return "\(document) LIKE (SELECT '%' || regexp_replace(\(normalised), '([\\\\%_])', '\\\\\\1', 'g') || '%')"
    }
}
