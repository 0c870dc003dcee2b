import DomainKit
package import JSON
package import NIOCore
import PostgresDriver
import QueryCompiler

/// The result of a successful call, before it is written as JSON.
package enum CallResult: Sendable {
    case record(Record)
    /// All rows.
    case records(Record)
    case page(RecordPage)
    case groups(Groups)
    /// The primary key of a deleted record, as the database writes it.
    case deleted(identifier: String)
    /// An object with these members, and a record as the last one, under this name.
    case object(JSONObject, last: String, Record)
    /// A record with further members behind its own.
    case extended(Record, JSONObject)
    case value(JSONValue)
    /// JSON text that was made before the call.
    case text(ByteBuffer)
    /// The results of the calls of a transaction.
    indirect case results([CallResult])
}

/// The row of a record, or the rows of several, and how to write them.
package struct Record: Sendable {
    let rows: Rows
    let program: RowProgram
    /// Whether the row shows what this call has changed.
    var isReadBack = false
}

/// The rows of one page of a list, and how to write them.
package struct RecordPage: Sendable {
    let rows: Rows
    let plan: ListPlan
    let program: RowProgram
}

/// Aggregates, one row per group, and how to write them.
package struct Groups: Sendable {
    let rows: Rows
    let plan: AggregatePlan
    let program: RowProgram
}

extension CallResult {
    /// Whether the result shows what this call has changed.
    var isReadBack: Bool {
        switch self {
        case .record(let record), .records(let record): record.isReadBack
        case .results(let results): results.contains(where: \.isReadBack)
        default: false
        }
    }

    /// This result of a call after its change was undone.
    var withoutReadBack: CallResult {
        switch self {
        case .record(var record):
            record.isReadBack = false
            return .record(record)
        case .records(var record):
            record.isReadBack = false
            return .records(record)
        default: return self
        }
    }

    /// With its envelope at most 1,024 bytes, a size that allocators serve quickly.
    private static let smallSize = 896

    /// An estimate of the bytes to write, so that the buffer seldom grows.
    var estimatedSize: Int {
        switch self {
        case .page(let page): 256 + page.program.estimatedSize(of: page.rows)
        case .records(let record): 128 + record.program.estimatedSize(of: record.rows)
        case .groups(let groups): 128 + groups.program.estimatedSize(of: groups.rows)
        case .record(let record), .object(_, _, let record), .extended(let record, _):
            max(Self.smallSize, record.program.estimatedSize(of: record.rows) - 4_096)
        case .value: Self.smallSize
        case .deleted: 128
        case .text(let text): text.readableBytes
        case .results(let results): results.reduce(16) { $0 + $1.estimatedSize }
        }
    }
}

extension ByteBuffer {
    /// - Parameter end: the writer index that the result must not exceed.
    /// - Throws: if the result does not fit. A part of it may have been written.
    mutating func writeResult(_ result: CallResult, upTo end: Int) throws(ResponseBufferFullError) {
        switch result {
        case .record(let record):
            try writeRecord(record, upTo: end)
        case .records(let record):
            try writeItems(record.rows.count, of: record.rows, as: record.program, upTo: end)
            writeStaticString("}")
        case .page(let page):
            try writePage(page.plan, of: page.rows, as: page.program, upTo: end)
        case .groups(let groups):
            try writeGroups(groups.plan, of: groups.rows, as: groups.program, upTo: end)
        case .deleted(let identifier):
            writeStaticString("{\"id\":")
            writeString(identifier)
            writeStaticString(",\"deleted\":true}")
        case .object(let members, let last, let record):
            writeStaticString("{")
            for member in members.members {
                writeJSONString(member.name)
                writeStaticString(":")
                writeJSON(member.value)
                writeStaticString(",")
            }
            writeJSONString(last)
            writeStaticString(":")
            try writeRecord(record, upTo: end)
            writeStaticString("}")
        case .extended(let record, let members):
            try writeRecord(record, upTo: end)
            moveWriterIndex(to: writerIndex - 1)
            for member in members.members {
                writeStaticString(",")
                writeJSONString(member.name)
                writeStaticString(":")
                writeJSON(member.value)
            }
            writeStaticString("}")
        case .value(let value):
            writeJSON(value)
        case .text(let text):
            guard text.readableBytes <= end - writerIndex else { throw ResponseBufferFullError() }
            writeImmutableBuffer(text)
        case .results(let results):
            writeStaticString("{\"results\":[")
            for (index, result) in results.enumerated() {
                if index > 0 { writeStaticString(",") }
                try writeResult(result, upTo: end)
            }
            writeStaticString("]}")
        }
        // A computed value derives from one record, so it is small enough to be measured after it was written.
        guard writerIndex <= end else { throw ResponseBufferFullError() }
    }

    mutating func writeRecord(_ record: Record, upTo end: Int) throws(ResponseBufferFullError) {
        try writeRows(1, of: record.rows, as: record.program, upTo: end)
    }

    /// Writes `{"items":[…],"end_cursor":…,"has_next_page":…}`, and `total` if it was counted.
    mutating func writePage(
        _ plan: ListPlan, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(ResponseBufferFullError) {
        // The query reads one row more than was asked for, which shows whether there is a next page. If the total was
        // asked for, an empty page consists of one row that contains the total only.
        let isEmpty = rows.count == 0 || plan.presenceColumn.map { rows.isNull(0, $0) } ?? false
        let count = isEmpty ? 0 : min(rows.count, plan.first)
        try writeItems(count, of: rows, as: program, upTo: end)
        writeStaticString(",\"end_cursor\":")
        if count > 0, plan.isContinuable {
            writeJSONString(plan.cursor.encode(columnTexts: plan.cursor.columns.map { rows.text(count - 1, $0) }))
        } else {
            writeStaticString("null")
        }
        writeHasNextPage(plan.isContinuable && rows.count > plan.first)
        if let column = plan.totalColumn {
            writeStaticString(",\"total\":")
            writeString(rows.text(0, column) ?? "0")
        }
        writeStaticString("}")
    }

    /// Writes `{"items":[…],"has_next_page":…}`.
    mutating func writeGroups(
        _ plan: AggregatePlan, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(ResponseBufferFullError) {
        try writeItems(min(rows.count, plan.first), of: rows, as: program, upTo: end)
        writeHasNextPage(rows.count > plan.first)
        writeStaticString("}")
    }

    private mutating func writeItems(
        _ count: Int, of rows: some RowSource, as program: RowProgram, upTo end: Int
    ) throws(ResponseBufferFullError) {
        writeStaticString("{\"items\":[")
        try writeRows(count, of: rows, as: program, upTo: end)
        writeStaticString("]")
    }

    private mutating func writeHasNextPage(_ hasNextPage: Bool) {
        writeStaticString(",\"has_next_page\":")
        writeStaticString(hasNextPage ? "true" : "false")
    }
}
