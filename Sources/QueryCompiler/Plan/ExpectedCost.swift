import DomainKit

/// How much Postgres has to read for a query, as far as its shape shows it. Queries of several callers are scheduled by
/// it before anything has been measured.
package enum ExpectedCost: Comparable, Sendable {
    /// One record that is read by its primary key, with its to-one relations, or a write of one record.
    case point
    /// Some records that an index leads to.
    case page
    /// A large part of a table, a large result, or so many conditions that each record is slow to test.
    case scan
}

extension ExpectedCost {
    /// More rows than these make a result a large one.
    private static let maxRows = 2_000
    /// More conditions or relationships than these make each record slow to test.
    private static let maxConditions = 20
    private static let maxRelationships = 4

    static func record(_ selection: PreparedSelection, _ cost: CallCost) -> ExpectedCost {
        max(selection.expectedCost, rows(cost.rows))
    }

    /// - Parameter selection: the selection of the page.
    static func page(_ page: PageShape, _ selection: PreparedSelection, _ cost: CallCost) -> ExpectedCost {
        // A view may compute all of its rows for any of them.
        guard !page.list.selection.table.entity.isView else { return .scan }
        let isSelective = page.list.filter?.isSelective ?? false
        guard !page.hasCount || isSelective else { return .scan }
        return max(list(page.list), selection.expectedCost, rows(cost.rows))
    }

    /// The cost of finding the records of a list.
    fileprivate static func list(_ list: ListShape, isRelated: Bool = false) -> ExpectedCost {
        // No index finds a word without a trigram, and many texts resemble a word a little.
        if list.search.contains(where: { !$0.hasTrigram || $0.isNear }) { return .scan }
        guard let filter = list.filter else { return isRelated || list.hasIndexedOrder ? .page : .scan }
        let isSlow =
            filter.comparisonCount > maxConditions || filter.relationCount > maxRelationships
        guard !isSlow else { return .scan }
        if isRelated || filter.isSelective { return .page }
        return list.hasIndexedOrder && !filter.hasUnindexedPattern ? .page : .scan
    }

    private static func rows(_ count: Int) -> ExpectedCost {
        count > maxRows ? .scan : .point
    }
}

extension SelectionShape {
    /// The cost of what is selected of one record.
    var expectedCost: ExpectedCost {
        fields.reduce(.point) { cost, field in
            switch field {
            case .typename, .field: cost
            case .one(_, _, let selection): max(cost, selection.expectedCost)
            case .many(_, _, let list):
                max(cost, ExpectedCost.list(list, isRelated: true), list.selection.expectedCost)
            }
        }
    }
}

extension ListShape {
    /// Whether the first records are found without sorting all of them.
    fileprivate var hasIndexedOrder: Bool {
        order.first.map { $0.isIndexed || $0.isIndexedOnRelatedTable } ?? false
    }
}

extension Condition {
    /// Whether it is known without the values that an index leads to few records.
    fileprivate var isSelective: Bool {
        switch self {
        case .all(let parts): parts.contains(where: \.isSelective)
        case .any(let parts): parts.allSatisfy(\.isSelective)
        case .compare(let field, let comparison, _): comparison == .eq && field.isIdentifier
        case .not, .member, .null, .noRelated, .related, .semiJoin, .searchText: false
        }
    }

    /// Whether a part is a pattern that no index answers.
    fileprivate var hasUnindexedPattern: Bool {
        switch self {
        case .all(let parts):
            !parts.contains { if case .searchText = $0 { true } else { false } }
                && parts.contains(where: \.hasUnindexedPattern)
        case .any(let parts): parts.contains(where: \.hasUnindexedPattern)
        case .not(let part), .related(_, let part), .semiJoin(_, let part): part.hasUnindexedPattern
        case .compare(_, let comparison, _): comparison.isPattern
        case .member, .null, .noRelated, .searchText: false
        }
    }

    fileprivate var comparisonCount: Int {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.comparisonCount }
        case .not(let part), .related(_, let part), .semiJoin(_, let part): part.comparisonCount
        case .compare, .member, .null, .noRelated, .searchText: 1
        }
    }
}

extension Field {
    /// Whether it is an id or a foreign key.
    fileprivate var isIdentifier: Bool { type == .bigint && isColumn }
}
