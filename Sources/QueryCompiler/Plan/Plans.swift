/// A read of several records. The query fetches one row more than `first`, to see whether there are more.
package struct ListPlan: Sendable {
    package let query: Query
    package let layout: RowLayout
    package let first: Int
    /// With `count`: the column that holds the number of all matches. There is then one row at least.
    package let totalColumn: Int?
    /// With `count`: a column that is null in the one row that stands for an empty page.
    package let presenceColumn: Int?
    package let cursor: CursorLayout
}

/// A read of numbers over groups of records, a group to a row. The query fetches one row more than `first`; without
/// `group_by` it has exactly one.
package struct AggregatePlan: Sendable {
    package let query: Query
    package let layout: RowLayout
    package let first: Int
}

/// A read of one record: one row or none.
package struct RecordPlan: Sendable {
    package let query: Query
    package let layout: RowLayout
}

/// A write in one flight: all statements in one transaction, in order.
package struct WritePlan: Sendable {
    /// Of the record that is written; nil for one that is to be made.
    package let id: String?
    package let statements: [Query]
    /// The statement whose affected count tells whether anything matched; nil when nothing is to be changed.
    package let writeIndex: Int?
    /// Of the row of the last statement. Without parts where that statement returns none (`delete`).
    package let layout: RowLayout
    /// With `if_version`: reads the whole record, whatever the call selects. It is for when nothing matched: a row is
    /// then a version conflict, none a record that does not exist.
    package let current: RecordPlan?
}

/// Whether what a foreign key was given exists.
package struct ReferenceCheck: Sendable {
    /// The JSON Pointer of the value, such as `/values/author_id`.
    package let path: String
    /// A French sentence for when it does not.
    package let message: String
    /// One row, one column: `true` or `false`.
    package let query: Query
}
