import NIOCore
import QueryCompiler

extension ByteBuffer {
    /// Writes `{"items":[…],"end_cursor":…,"has_next_page":…}`, and `total` where it was counted.
    mutating func writePage(
        _ plan: ListPlan, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(AnswerTooLarge) {
        // One row more than asked for was fetched, to know whether there is a next page. Where the total was asked
        // for, an empty page comes as one row that holds nothing but the total.
        let isEmpty = rows.count == 0 || plan.presenceColumn.map { rows.isNull(0, $0) } ?? false
        let count = isEmpty ? 0 : min(rows.count, plan.first)
        try writeItems(count, of: rows, as: program, upTo: end)
        writeStaticString(",\"end_cursor\":")
        if count > 0 {
            writeJSONString(plan.cursor.encode(columnTexts: plan.cursor.columns.map { rows.text(count - 1, $0) }))
        } else {
            writeStaticString("null")
        }
        writeHasNextPage(rows.count > plan.first)
        if let column = plan.totalColumn {
            writeStaticString(",\"total\":")
            writeString(rows.text(0, column) ?? "0")
        }
        writeStaticString("}")
    }

    /// Writes `{"items":[…],"has_next_page":…}`.
    mutating func writeGroups(
        _ plan: AggregatePlan, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(AnswerTooLarge) {
        try writeItems(min(rows.count, plan.first), of: rows, as: program, upTo: end)
        writeHasNextPage(rows.count > plan.first)
        writeStaticString("}")
    }

    private mutating func writeItems(
        _ count: Int, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(AnswerTooLarge) {
        writeStaticString("{\"items\":[")
        try writeRows(count, of: rows, as: program, upTo: end)
        writeStaticString("]")
    }

    private mutating func writeHasNextPage(_ hasNextPage: Bool) {
        writeStaticString(",\"has_next_page\":")
        writeStaticString(hasNextPage ? "true" : "false")
    }
}
