import DomainKit

/// Writes the keys of a page's records, where they are found in several pieces: columns `k0`, `k1` …, one for each
/// key of the order, the last being the id.
struct KeyFirstPage {
    /// How many records of the order are looked at before all matches are gathered. A word that occurs in one record of
    /// twenty or more fills the page from these; for rarer ones an index finds all matches sooner than the order would.
    /// What it costs is the document of each, computed from the row: a few microseconds.
    private var probed: Int { max(500, 2 * shape.rowBound) }

    /// So many records are gathered at once rather than looked for through another index.
    private static let gatheredAtOnce = 1_000

    private let shape: PageShape
    private let schema: Schema
    private let aliases: Aliases
    private let keyset: KeysetSQL
    /// Empty when the keyset is better one condition.
    private let branches: [KeysetBranch]
    /// What of the filter the records that are looked at fulfil.
    private let known: Condition?
    /// What of the filter they are looked at for, as they are for the words of the search: it may match few records or
    /// nearly all, and nobody knows beforehand.
    private let unestimable: Condition?
    /// Common table expressions, with the line end; may be empty.
    private(set) var with = ""
    private(set) var sql = ""

    /// Nil when the page can be read in one piece.
    init?(_ shape: PageShape, schema: Schema, aliases: Aliases) {
        let order = shape.list.order
        keyset = KeysetSQL(
            schema: schema, table: shape.list.selection.table, aliases: aliases, order: order, after: shape.after)
        let branches = keyset.separateBranches
        // Arms pay only where an index can begin at each.
        let isServed = order.first?.isIndexedOnRelatedTable ?? false || order.allSatisfy(\.isIndexed)
        let usesBranches = branches.count > 1 && isServed
        // Looking at the first records of an order that has to be made first would be no short cut.
        let isProbed = order.first.map { $0.isIndexed || $0.isIndexedOnRelatedTable } ?? false
        let parts = isProbed ? shape.list.filter?.splitByEstimability(in: order) : nil
        known = parts == nil ? shape.list.filter : parts?.known
        unestimable = parts?.unestimable
        let isSimple = shape.list.search.isEmpty && unestimable == nil
        guard usesBranches || !isSimple else { return nil }
        self.shape = shape
        self.schema = schema
        self.aliases = aliases
        self.branches = usesBranches ? branches : []
        if isSimple {
            sql =
                "SELECT * FROM (\n\(candidates(limit: shape.rowBound, match: nil))\n) \(aliases.next())\nLIMIT \(first)"
        } else {
            writeProbe()
        }
    }

    private var list: ListShape { shape.list }
    private var table: Table { list.selection.table }
    private var keys: String { list.order.indices.map { "k\($0)" }.joined(separator: ", ") }
    private var keyOrder: String {
        list.order.enumerated().map { OrderSQL.term($1, "k\($0)") }.joined(separator: ", ")
    }
    private var first: String { list.first.map { "$\($0 + 1)::bigint" } ?? "NULL" }

    /// First some records of the order are looked at; when they do not fill the page, an index gathers all matches.
    private mutating func writeProbe() {
        let (probe, matches, candidate) = (aliases.next(), aliases.next(), aliases.next())
        let clauses = ListClauses(schema: schema, aliases: aliases)
        let looked = candidates(limit: probed) { [unestimable, table, words = list.search] alias in
            clauses.conditions(unestimable, words, on: table, alias).joined(separator: " AND ")
        }
        let isShort = "(SELECT count(*) FROM \(probe)) < \(first)"
        with =
            "WITH \(probe) AS MATERIALIZED (\nSELECT \(keys) FROM (\n\(looked)\n) \(candidate)\n"
            + "WHERE m\nORDER BY \(keyOrder)\nLIMIT \(shape.rowBound)\n), "
        if let known, unestimable?.hasOpenRange ?? false {
            // What is known may leave few records or many. Few are gathered by it; of many it is the open range that is
            // taken for rare.
            let (count, some, other) = (aliases.next(), aliases.next(), aliases.next())
            let condition = clauses.conditions(known, [], on: table, other).joined(separator: " AND ")
            with +=
                "\(count) AS MATERIALIZED (\nSELECT count(*) AS n FROM (SELECT 1 FROM \(SQLIdentifier.sql(table.name)) \(other)\n"
                + "WHERE \(condition)\nLIMIT \(Self.gatheredAtOnce)) \(some)\n), \(matches) AS MATERIALIZED (\n"
                + gathered(expectingFew: false, [isShort, "(SELECT n FROM \(count)) < \(Self.gatheredAtOnce)"])
                + "\nUNION ALL\n"
                + gathered(expectingFew: true, [isShort, "(SELECT n FROM \(count)) >= \(Self.gatheredAtOnce)"])
                + "\n)\n"
        } else {
            with += "\(matches) AS MATERIALIZED (\n\(gathered(expectingFew: true, [isShort]))\n)\n"
        }
        sql =
            "SELECT * FROM (\n(SELECT * FROM \(probe) WHERE (SELECT count(*) FROM \(probe)) >= \(first))\nUNION ALL\n"
            + "(SELECT * FROM \(matches) ORDER BY \(keyOrder) LIMIT \(shape.rowBound))\n) \(aliases.next())\n"
            + "ORDER BY \(keyOrder)\nLIMIT \(first)"
    }

    /// The keys of all matches.
    ///
    /// - Parameter expectingFew: whether Postgres is made to expect few numbers in an open range.
    private func gathered(expectingFew: Bool, _ further: [String]) -> String {
        let clauses = ListClauses(schema: schema, aliases: aliases, isOrderedList: expectingFew)
        let scope = Scope(table, aliases, schema: schema)
        let columns = keyColumns(in: scope)
        let filter = Condition.all([known, unestimable?.usingSemiJoins].compactMap(\.self))
        var conditions = clauses.conditions(filter, list.search, on: table, scope.alias)
        if let after = keyset.sql(in: scope) { conditions.append(after) }
        conditions += further
        return "SELECT \(columns)\nFROM \(scope.from)\nWHERE \(conditions.joined(separator: "\n  AND "))"
    }

    /// The first `limit` records of the order after the cursor that fulfil what is known of the filter; `match` gives
    /// the condition that is told in a column `m`. An arm is read only when those before it did not give enough.
    private func candidates(limit: Int, match: ((String) -> String)?) -> String {
        guard branches.count > 1 else { return piece(nil, [], limit: limit, match: match) }
        var names: [String] = []
        var expressions: [String] = []
        for branch in branches {
            let piece = piece(branch, names, limit: limit, match: match)
            names.append(aliases.next())
            expressions.append("\(names[names.count - 1]) AS MATERIALIZED (\n\(piece)\n)")
        }
        let all = names.map { "SELECT * FROM \($0)" }.joined(separator: " UNION ALL ")
        return "WITH \(expressions.joined(separator: ", "))\n"
            + "SELECT * FROM (\(all)) \(aliases.next())\nORDER BY \(keyOrder)\nLIMIT \(limit)"
    }

    /// - Parameter before: the arms before this one.
    private func piece(
        _ branch: KeysetBranch?, _ before: [String], limit: Int, match: ((String) -> String)?
    ) -> String {
        let scope = Scope(table, aliases, schema: schema)
        var columns = keyColumns(in: scope)
        if let match { columns += ", \(match(scope.alias)) AS m" }
        var conditions = ListClauses(schema: schema, aliases: aliases).conditions(known, [], on: table, scope.alias)
        let after = branch.map { keyset.sql($0, in: scope) } ?? keyset.sql(in: scope)
        if let after { conditions.append(after) }
        let order =
            branch.map { keyset.order(of: $0, in: scope) } ?? OrderSQL.sql(list.order, scope.expression)
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
