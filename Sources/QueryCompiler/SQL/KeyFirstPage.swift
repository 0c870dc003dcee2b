import DomainKit

/// Writes a query for the order keys of a page's records, for a page that is found by several queries. The result
/// columns are `k0`, `k1` and so on, one for each key of the order. The last one is the id.
///
/// A page is found in up to three ways, which the query combines:
///
/// - **Branches**: one index scan for each branch of the keyset. A branch is read only if the branches before it did not
///   fill the page.
/// - **Probe**: the first records of the order are tested for the search and the unestimable part of the filter. This
///   fills the page when many records match. A sample of even fewer records decides whether the probe is worth it.
/// - **Collection**: if the probe did not fill the page, indexes find all matches, which are then sorted.
struct KeyFirstPage {
    /// The number of records among which one must match for a probe. If fewer match than one in a hundred, an index finds
    /// all of them faster than the order does.
    private static let sampleSize = 128
    /// The number of records that the probe examines, in about a microsecond each. With branches it examines all of them;
    /// otherwise it stops when the page is filled.
    private var probeLimit: Int {
        branches.isEmpty ? max(2_000, 4 * shape.literalLimit) : max(500, 2 * shape.literalLimit)
    }

    private let shape: PageShape
    private let schema: Schema
    private let aliases: Aliases
    private let keyset: KeysetSQL
    /// Empty when the keyset is better written as one condition.
    private let branches: [KeysetBranch]
    /// The part of the filter that the probed records fulfil.
    private let estimable: Condition?
    /// The part of the filter for which records are probed, as they are for the words of the search. It is not known
    /// whether it matches few records or nearly all.
    private let unestimable: Condition?
    /// Common table expressions with a line end; empty if there are none.
    private(set) var with = ""
    private(set) var sql = ""

    /// Nil when one query finds the page.
    init?(_ shape: PageShape, schema: Schema, aliases: Aliases) {
        let order = shape.list.order
        keyset = KeysetSQL(
            schema: schema, table: shape.list.selection.table, aliases: aliases, order: order, after: shape.after)
        let branches = keyset.separateBranches
        // Separate branches and a probe are worth it only if the records need not all be sorted first.
        let hasIndex = order.first.map { $0.isIndexed || $0.isIndexedOnRelatedTable } ?? false
        let usesBranches = branches.count > 1 && hasIndex
        let parts = hasIndex ? shape.list.filter?.splitByEstimability(in: order) : nil
        estimable = parts == nil ? shape.list.filter : parts?.estimable
        unestimable = parts?.unestimable
        let needsProbe = hasIndex && !shape.list.search.isEmpty || unestimable != nil
        guard usesBranches || needsProbe else { return nil }
        self.shape = shape
        self.schema = schema
        self.aliases = aliases
        // One index scan serves a probe from the cursor on if the first key is a column that is never null.
        let isOneScan = needsProbe && order.first.map { $0.isIndexed && !$0.isNullable } ?? false
        self.branches = usesBranches && !isOneScan ? branches : []
        if needsProbe {
            writeProbe()
        } else {
            let keys = candidates(limit: shape.literalLimit, match: nil)
            sql = "SELECT * FROM (\n\(keys)\n) \(aliases.next())\nLIMIT \(first)"
        }
    }

    private var list: ListShape { shape.list }
    private var table: Table { list.selection.table }
    private var keys: String { list.order.indices.map { "k\($0)" }.joined(separator: ", ") }
    private var keyOrder: String {
        list.order.enumerated().map { OrderSQL.term($1, "k\($0)") }.joined(separator: ", ")
    }
    private var first: String { list.first.map { "$\($0 + 1)::bigint" } ?? "NULL" }

    // MARK: Probe and collection

    private mutating func writeProbe() {
        let (sample, probe, matches) = (aliases.next(), aliases.next(), aliases.next())
        let clauses = ListSQL(schema: schema, aliases: aliases)
        let match = { [unestimable, table, words = list.search] alias in
            clauses.matches(unestimable, words, on: table, alias).joined(separator: " AND ")
        }
        let sampled = matching(1, among: Self.sampleSize, match: match)
        let probed = matching(
            shape.literalLimit, among: probeLimit, if: "EXISTS (SELECT 1 FROM \(sample))", match: match)
        let isShort = "(SELECT count(*) FROM \(probe)) < \(first)"
        with =
            "WITH \(sample) AS MATERIALIZED (\n\(sampled)\n), \(probe) AS MATERIALIZED (\n\(probed)\n), "
        with += "\(matches) AS MATERIALIZED (\n\(collected(if: isShort))\n)\n"
        sql =
            "SELECT * FROM (\n(SELECT * FROM \(probe) WHERE (SELECT count(*) FROM \(probe)) >= \(first))\nUNION ALL\n"
            + "(SELECT * FROM \(matches) ORDER BY \(keyOrder) LIMIT \(shape.literalLimit))\n) \(aliases.next())\n"
            + "ORDER BY \(keyOrder)\nLIMIT \(first)"
    }

    /// The keys of all matches.
    private func collected(if condition: String) -> String {
        let clauses = ListSQL(schema: schema, aliases: aliases)
        let scope = Scope(table, aliases, schema: schema)
        let columns = keyColumns(in: scope)
        let filter = Condition.all([estimable, unestimable?.usingSemiJoins].compactMap(\.self))
        var conditions = clauses.conditions(filter, list.search, on: table, scope.alias)
        if let after = keyset.sql(in: scope) { conditions.append(after) }
        conditions.append(condition)
        return "SELECT \(columns)\nFROM \(scope.from)\nWHERE \(conditions.joined(separator: "\n  AND "))"
    }

    // MARK: Candidates

    /// The first `count` matches among the first `limit` candidates.
    private func matching(
        _ count: Int, among limit: Int, if condition: String? = nil, match: @escaping (String) -> String
    ) -> String {
        let candidates = candidates(limit: limit, if: condition, match: match)
        // Postgres keeps the order of a subquery that it only filters, and stops reading at the last match that is
        // wanted. With an ORDER BY on texts it would sort all candidates first.
        return "SELECT \(keys) FROM (\n\(candidates)\n) \(aliases.next())\nWHERE m\nLIMIT \(count)"
    }

    /// The first `limit` records of the order after the cursor that fulfil the estimable part of the filter.
    ///
    /// - Parameters:
    ///   - condition: a condition on the statement as a whole.
    ///   - match: makes a condition on the record of an alias. The column `m` has its result.
    private func candidates(limit: Int, if condition: String? = nil, match: ((String) -> String)?) -> String {
        let further = condition.map { [$0] } ?? []
        guard branches.count > 1 else { return candidates(in: nil, limit: limit, if: further, match: match) }
        var names: [String] = []
        var expressions: [String] = []
        for branch in branches {
            // A branch is read only if those before it do not have enough records.
            let found = names.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + ")
            let isShort = names.isEmpty ? [] : ["\(found) < \(limit)"]
            let query = candidates(in: branch, limit: limit, if: further + isShort, match: match)
            names.append(aliases.next())
            expressions.append("\(names[names.count - 1]) AS MATERIALIZED (\n\(query)\n)")
        }
        let all = names.map { "SELECT * FROM \($0)" }.joined(separator: " UNION ALL ")
        return "WITH \(expressions.joined(separator: ", "))\n"
            + "SELECT * FROM (\(all)) \(aliases.next())\nORDER BY \(keyOrder)\nLIMIT \(limit)"
    }

    /// - Parameter branch: nil for the whole keyset.
    private func candidates(
        in branch: KeysetBranch?, limit: Int, if further: [String], match: ((String) -> String)?
    ) -> String {
        let scope = Scope(table, aliases, schema: schema)
        var columns = keyColumns(in: scope)
        if let match { columns += ", \(match(scope.alias)) AS m" }
        var conditions = ListSQL(schema: schema, aliases: aliases).conditions(estimable, [], on: table, scope.alias)
        let after = branch.map { keyset.sql($0, in: scope) } ?? keyset.sql(in: scope)
        if let after { conditions.append(after) }
        conditions += further
        let order =
            branch.map { keyset.order(of: $0, in: scope) } ?? OrderSQL.sql(list.order, scope.expression)
        let filter = conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: "\n  AND ")
        return "SELECT \(columns)\nFROM \(scope.from)\(filter)\nORDER BY \(order)\nLIMIT \(limit)"
    }

    private func keyColumns(in scope: Scope) -> String {
        list.order.enumerated().map { "\(scope.expression($1)) AS k\($0)" }.joined(separator: ", ")
    }
}
