import DomainKit
import NIOCore
import PostgresDriver
import QueryCompiler

/// What a call that succeeded answers: everything its result needs, not yet written.
enum Answer: Sendable {
    case record(Record)
    case page(Page)
    case groups(Groups)
    /// The primary key of what was deleted, as the database writes it.
    case deleted(identifier: String)
    /// Members of a session, and the user it was issued to.
    case session(Object, user: Record)
    case value(Value)
    /// JSON text that was there before the call.
    case text(ByteBuffer)
}

/// One row, and how to write it.
struct Record: Sendable {
    let rows: Rows
    let program: RowProgram
    /// Whether it shows what this very call has changed.
    var isReadBack = false
}

/// The rows of one page of a list, and how to write them.
struct Page: Sendable {
    let rows: Rows
    let plan: ListPlan
    let program: RowProgram
}

/// Numbers over groups, a group to a row, and how to write them.
struct Groups: Sendable {
    let rows: Rows
    let plan: AggregatePlan
    let program: RowProgram
}

extension ByteBuffer {
    /// - Parameter end: the writer index not to pass.
    /// - Throws: when the answer does not fit; a part of it may have been written.
    mutating func writeAnswer(_ answer: Answer, upTo end: Int) throws(AnswerTooLarge) {
        switch answer {
        case .record(let record):
            try writeRecord(record, upTo: end)
        case .page(let page):
            try writePage(page.plan, of: page.rows, as: page.program, upTo: end)
        case .groups(let groups):
            try writeGroups(groups.plan, of: groups.rows, as: groups.program, upTo: end)
        case .deleted(let identifier):
            writeStaticString("{\"id\":")
            writeString(identifier)
            writeStaticString(",\"deleted\":true}")
        case .session(let members, let user):
            writeStaticString("{")
            for member in members.members {
                writeJSONString(member.name)
                writeStaticString(":")
                writeJSON(member.value)
                writeStaticString(",")
            }
            writeStaticString("\"user\":")
            try writeRecord(user, upTo: end)
            writeStaticString("}")
        case .value(let value):
            writeJSON(value)
        case .text(let text):
            guard text.readableBytes <= end - writerIndex else { throw AnswerTooLarge() }
            writeImmutableBuffer(text)
        }
        // What computes its answer made it of one record: little enough to be looked at only now.
        guard writerIndex <= end else { throw AnswerTooLarge() }
    }

    mutating func writeRecord(_ record: Record, upTo end: Int) throws(AnswerTooLarge) {
        try writeRows(1, of: record.rows, as: record.program, upTo: end)
    }
}

extension Answer {
    /// Whether it shows what this very call has changed.
    var isReadBack: Bool {
        if case .record(let record) = self { record.isReadBack } else { false }
    }

    /// About how many bytes it will take, so that the buffer need not grow often.
    var estimatedSize: Int {
        switch self {
        case .page(let page): 256 + page.rows.count * 512
        case .groups(let groups): 128 + groups.rows.count * 128
        // With what stands around it no more than 1,024 bytes, which allocators keep at hand.
        case .record, .session, .value: 896
        case .deleted: 128
        case .text(let text): text.readableBytes
        }
    }
}
