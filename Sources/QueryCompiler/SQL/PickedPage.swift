import DomainKit

/// Writes the keys of a page's records, where they are found in several pieces: columns `k0`, `k1` …, one for each
/// key of the order, the last being the id.
struct PickedPage {
    /// How many records of the order a search looks at before it gathers all matches. A word that occurs in one
    /// record of twenty or more fills the page from these; for rarer ones an index finds all matches sooner than the
    /// order would. What it costs is the document of each, computed from the row: a few microseconds.
    private static let walked = 500

    private let shape: PageShape
    private let schema: Schema
    private let aliases: Aliases
    private let keyset: KeysetSQL
    /// Empty when the keyset is better one condition.
    private let arms: [KeysetArm]
    /// Common table expressions, with the line end; may be empty.
    private(set) var with = ""
    private(set) var sql = ""

    /// Nil when the page can be read in one piece.
    init?(_ shape: PageShape, schema: Schema, aliases: Aliases) {
        let order = shape.list.order
        keyset = KeysetSQL(
            schema: schema, table: shape.list.selection.table, aliases: aliases, order: order, after: shape.after)
        let arms = keyset.pieces
        // Arms pay only where an index can begin at each.
        let isInArms = arms.count > 1 && order.allSatisfy(\.isIndexed)
        guard isInArms || !shape.list.search.isEmpty else { return nil }
        self.shape = shape
        self.schema = schema
        self.aliases = aliases
        self.arms = isInArms ? arms : []
        if shape.list.search.isEmpty {
            sql = "SELECT * FROM (\n\(candidates(limit: shape.bound, search: nil))\n) \(aliases.next())\nLIMIT \(first)"
        } else {
            writeSearch()
        }
    }

    private var list: ListShape { shape.list }
    private var table: Table { list.selection.table }
    private var keys: String { list.order.indices.map { "k\($0)" }.joined(separator: ", ") }
    private var keyOrder: String {
        list.order.enumerated().map { OrderSQL.term($1, "k\($0)") }.joined(separator: ", ")
    }
    private var first: String { list.first.map { "$\($0 + 1)::bigint" } ?? "NULL" }

    private mutating func writeSearch() {
        let (walk, matches, candidate) = (aliases.next(), aliases.next(), aliases.next())
        let search = SearchSQL(schema: schema, aliases: aliases)
        let words = list.search
        let looked = candidates(limit: Self.walked) { [table] in search.sql(words, on: table, $0) }
        let scope = Scope(table, aliases, schema: schema)
        let columns = keyColumns(in: scope)
        var conditions = ListClauses(schema: schema, aliases: aliases).conditions(
            list, on: table, scope.alias, search: true)
        if let after = keyset.sql(scope.expression) { conditions.append(after) }
        conditions.append("(SELECT count(*) FROM \(walk)) < \(first)")
        with =
            "WITH \(walk) AS MATERIALIZED (\nSELECT \(keys) FROM (\n\(looked)\n) \(candidate)\n"
            + "WHERE m\nORDER BY \(keyOrder)\nLIMIT \(shape.bound)\n), \(matches) AS MATERIALIZED (\n"
            + "SELECT \(columns)\nFROM \(scope.from)\nWHERE \(conditions.joined(separator: "\n  AND "))\n)\n"
        sql =
            "SELECT * FROM (\n(SELECT * FROM \(walk) WHERE (SELECT count(*) FROM \(walk)) >= \(first))\nUNION ALL\n"
            + "(SELECT * FROM \(matches) ORDER BY \(keyOrder) LIMIT \(shape.bound))\n) \(aliases.next())\n"
            + "ORDER BY \(keyOrder)\nLIMIT \(first)"
    }

    /// The first `limit` records of the order after the cursor that fulfil the filter; `search` gives the condition
    /// that is told in a column `m`. An arm is read only when those before it did not give enough.
    private func candidates(limit: Int, search: ((String) -> String?)?) -> String {
        guard arms.count > 1 else { return piece(nil, [], limit: limit, search: search) }
        var names: [String] = []
        var expressions: [String] = []
        for arm in arms {
            let piece = piece(arm, names, limit: limit, search: search)
            names.append(aliases.next())
            expressions.append("\(names[names.count - 1]) AS MATERIALIZED (\n\(piece)\n)")
        }
        let all = names.map { "SELECT * FROM \($0)" }.joined(separator: " UNION ALL ")
        return "WITH \(expressions.joined(separator: ", "))\n"
            + "SELECT * FROM (\(all)) \(aliases.next())\nORDER BY \(keyOrder)\nLIMIT \(limit)"
    }

    /// - Parameter before: the arms before this one.
    private func piece(
        _ arm: KeysetArm?, _ before: [String], limit: Int, search: ((String) -> String?)?
    ) -> String {
        let scope = Scope(table, aliases, schema: schema)
        var columns = keyColumns(in: scope)
        if let match = search?(scope.alias) { columns += ", \(match) AS m" }
        var conditions = ListClauses(schema: schema, aliases: aliases).conditions(
            list, on: table, scope.alias, search: false)
        let after = arm.map { keyset.sql($0, scope.expression) } ?? keyset.sql(scope.expression)
        if let after { conditions.append(after) }
        let order =
            arm.map { keyset.order(in: $0, scope.expression) } ?? OrderSQL.sql(list.order, scope.expression)
        if !before.isEmpty {
            let found = before.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + ")
            conditions.append("\(found) < \(limit)")
        }
        let filter = conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: "\n  AND ")
        return "SELECT \(columns)\nFROM \(scope.from)\(filter)\nORDER BY \(order)\nLIMIT \(limit)"
    }

    private func keyColumns(in scope: Scope) -> String {
        list.order.enumerated().map { "\(scope.expression($1)) AS k\($0)" }.joined(separator: ", ")
    }
}
