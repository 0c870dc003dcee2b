package import DomainKit
import JSON

/// The reason why a call's params cannot be planned.
package enum PlanError: Error, Sendable, Equatable {
    /// All problems of the params; never empty.
    case problems([Problem])
    case limit(QueryLimitError)
}

/// A read of one page of records.
///
/// The query fetches one row more than ``first``. If that row exists, there is a next page; it is not part of this one.
package struct ListPlan: Sendable {
    package let query: Query
    package let cost: CallCost
    package let layout: RowLayout
    /// The number of records on the page at most.
    package let first: Int
    /// With `count`: the index of the column with the number of all matches. The result then has at least one row.
    package let totalColumn: Int?
    /// With `count`: the index of a column that is null only in the single row that an empty page has.
    package let presenceColumn: Int?
    package let cursor: CursorLayout
    /// Whether a cursor can continue the page. If not, the page is the only one.
    package let isContinuable: Bool
    /// The view that is read, whose function may refuse the call by the view's rules; nil for a table.
    package let view: Entity?
}

/// A read of numbers over groups of records, one group a row.
///
/// The query fetches one row more than ``first``. Without `group_by` it returns exactly one row.
package struct AggregatePlan: Sendable {
    package let query: Query
    package let cost: CallCost
    package let layout: RowLayout
    /// The number of groups at most.
    package let first: Int
    /// The view that is read, whose function may refuse the call by the view's rules; nil for a table.
    package let view: Entity?
}

/// A read of one record. The query returns one row or none.
package struct RecordPlan: Sendable {
    package let query: Query
    package let cost: CallCost
    package let layout: RowLayout

    /// The id of the record; nil if it was not known when the read was planned.
    package let id: String?
}

/// A write. Its statements run in order, in one transaction; they can be sent in one batch.
package struct WritePlan: Sendable {
    /// The id of the record that is written; nil for a new record, and if an earlier call of the transaction writes it.
    package let id: String?
    /// The earlier call of the transaction that writes the record, counted from 0.
    package var idReference: Int?
    package let statements: [Query]
    package let cost: CallCost
    /// The index of the statement that writes; a check of the version may come before. Its result is a row with the id of the
    /// record, or none if no record matched.
    package let writeIndex: Int
    /// The layout of the last statement's row. It has no parts when that statement returns no row (`delete`).
    package let layout: RowLayout
    /// With `if_version`: a read of the whole record, whichever fields the call selects, for a write that matched no
    /// record. A row then means a version conflict; no row means that the record does not exist.
    package let current: RecordRead?
    /// `if_version`.
    package var expectedVersion: String?
    /// A read of the record with the selection of the call, to answer it again. Nil for a deletion.
    package var readAgain: RecordRead?
    /// The references in ``WriteMode/references`` that the write uses.
    package var usedReferences: Set<UsedReference> = []
}

/// A place in the params of a write where the id of an earlier call's record is used.
package struct UsedReference: Sendable, Hashable {
    /// The digits in ``WriteMode/references``.
    package let digits: String
    /// The name of the entity that the place names a record of; nil: any.
    package let target: String?

    package init(digits: String, target: String?) {
        self.digits = digits
        self.target = target
    }
}

/// How a write is planned as a call of a transaction.
package struct WriteMode: Sendable {
    /// The ids that only earlier calls of the transaction know: the digits that stand for such an id in the params, and
    /// which call has it, counted from 0.
    package var references: [String: Int]

    /// Whether other calls of the transaction come before the write.
    package var hasEarlierCalls: Bool

    package init(references: [String: Int] = [:], hasEarlierCalls: Bool = false) {
        self.references = references
        self.hasEarlierCalls = hasEarlierCalls
    }
}

/// A read of one record, possibly before its id is known.
package struct RecordRead: Sendable {
    let plan: RecordPlan

    package func plan(id: String?) -> RecordPlan {
        let query = Query(
            statement: plan.query.statement, parameters: plan.query.parameters.dropLast() + [id],
            expectedCost: plan.query.expectedCost)
        return RecordPlan(query: query, cost: plan.cost, layout: plan.layout, id: id)
    }
}

/// A query for whether the record that a foreign key names exists.
package struct ReferenceCheck: Sendable {
    /// The JSON Pointer of the foreign key's value, such as `/values/author_id`.
    package let path: String
    /// The French message for a missing record.
    package let message: String
    /// Returns one row with one column: `true` or `false`.
    package let query: Query
    /// Returns the id of the record that has taken the place of a missing one, or null. Nil if there is none by declaration.
    package let successor: Query?
}

/// How a result row is written as a JSON object: literal JSON between the texts of the columns. No value is decoded.
///
/// The row `5, Swift` of `{ id title }` is written as `{"id":5,"title":"Swift"}` with the parts `.bytes({"id":)`,
/// `.bare(0)`, `.bytes(,"title":)`, `.escaped(1)` and `.bytes(})`. For all kinds of columns, SQL null is written as
/// `null`.
package struct RowLayout: Sendable, Equatable {
    package indirect enum Part: Sendable, Equatable {
        /// Literal JSON text.
        case bytes([UInt8])
        /// A column with a text that is JSON: a number, a boolean, or JSON.
        case bare(Int)
        /// A column that becomes a JSON string without escaping.
        case quoted(Int)
        /// A column that must be escaped to become a JSON string.
        case escaped(Int)
        /// A related record with its braces; `null` when the column `presence` is null.
        case object(presence: Int, [Part])
        /// A column with a text that is JSON, in the place of the parts; the parts if it is null.
        case unless(Int, [Part])
    }

    /// The parts of the whole object, with its braces.
    package let parts: [Part]
}
