import DomainKit

/// Writes `search` as an SQL condition on one record.
enum SearchSQL {
    /// Every word must occur in the record's searchable text. Nil without words.
    static func sql(_ words: [SearchWord], on table: Table, _ alias: String) -> String? {
        guard !words.isEmpty, let function = table.searchFunction else { return nil }
        let text = "\(function)(\(alias))"
        return words.map { condition($0, on: text) }.joined(separator: " AND ")
    }

    private static func condition(_ word: SearchWord, on text: String) -> String {
        let normalised = "kernel.without_accents($\(word.slot + 1)::text)"
        // Postgres evaluates a scalar subquery once, but a plain expression for every row that it examines.
        guard word.hasTrigram else {
            // The trigram index could only return all of its entries for such a word, which costs more than a scan.
            return "strpos(\(text), (SELECT \(normalised))) > 0"
        }
        // LIKE's special characters are escaped after normalisation, which can produce some, from `％` for example.
        let contains =
            "\(text) LIKE (SELECT '%' || regexp_replace(\(normalised), '([\\\\%_])', '\\\\\\1', 'g') || '%')"
        guard word.isNear else { return contains }
        // The threshold is a setting. A subquery without a reference to the record sets it before any record is read.
        return "(SELECT kernel.near_threshold())"
            + " AND (\(contains) OR kernel.is_near(\(text), (SELECT \(normalised))))"
    }

    /// How near a record's searchable text is to the words that need only resemble it, from 0 for not at all to the
    /// number of these words. Nil without such words.
    static func nearness(_ words: [SearchWord], on table: Table, _ alias: String) -> String? {
        let near = words.filter(\.isNear)
        guard !near.isEmpty, let function = table.searchFunction else { return nil }
        return near.map { word in
            "kernel.nearness(\(function)(\(alias)), (SELECT kernel.without_accents($\(word.slot + 1)::text)))"
        }.joined(separator: " + ")
    }
}
