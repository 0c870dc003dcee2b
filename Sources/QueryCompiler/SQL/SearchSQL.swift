import DomainKit

/// Writes the search for words.
struct SearchSQL {
    let schema: Schema
    let aliases: Aliases

    /// Every word must occur in the record's own document or in one of the related ones; nil without words.
    func sql(_ words: [Int], on table: Table, _ alias: String) -> String? {
        guard !words.isEmpty, let search = table.entity.search else { return nil }
        return words.map { word($0, search, on: table, alias) }.joined(separator: " AND ")
    }

    private func word(_ slot: Int, _ search: Search, on table: Table, _ alias: String) -> String {
        // A scalar subquery is computed once; the bare expression would be for every row that is looked at.
        // Signs of LIKE are disarmed last: the normaliser makes some itself, of `％` for one.
        let word = "\(SQLIdentifier.sql(search.normaliser))($\(slot + 1)::text)"
        let pattern = "(SELECT '%' || regexp_replace(\(word), '([\\\\%_])', '\\\\\\1', 'g') || '%')"
        var places = ["\(SQLIdentifier.sql(search.document))(\(alias)) LIKE \(pattern)"]
        for related in search.related {
            guard let relationship = table.relationship(named: related.relation),
                case .toOne(let column) = relationship.relation.kind,
                let target = schema.target(of: relationship)
            else { continue }
            let other = aliases.next()
            // As an array, found beforehand, the related records let an index on the column answer.
            places.append(
                "\(alias).\(SQLIdentifier.sql(column)) = ANY (ARRAY(SELECT \(other).id FROM"
                    + " \(SQLIdentifier.sql(target.name)) \(other) WHERE"
                    + " \(SQLIdentifier.sql(related.document))(\(other)) LIKE \(pattern)))")
        }
        return places.count == 1 ? places[0] : "(" + places.joined(separator: "\n  OR ") + ")"
    }
}
