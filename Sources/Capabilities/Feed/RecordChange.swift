import JSON
import NIOCore
import RPCServer

/// One committed write, as the change feed sends it.
enum FeedChange: Sendable {
    case record(RecordChange)
    /// TRUNCATE has removed all records of the table without naming them.
    case emptied(table: String, at: ChangeCursor)

    var cursor: ChangeCursor {
        switch self {
        case .record(let change): change.cursor
        case .emptied(_, let cursor): cursor
        }
    }
}

/// The write of one record.
struct RecordChange: Sendable {
    enum Operation: String, Sendable {
        case create, update, delete
    }

    let cursor: ChangeCursor
    /// The company of the record; nil if it belongs to none, so that every company learns of it.
    let company: Company?
    let table: String
    /// The primary key of the record, in digits.
    let record: String
    let operation: Operation
    /// The version that the write gave the record, or that the deleted record had, in digits; nil for a table without
    /// versions.
    let version: String?
    /// The subjects that the record belongs to, by the columns that name them: the present one, then the one before an
    /// update that changed it.
    let owners: [String: [JSONValue]]

    /// What clients receive, without white space.
    func text(as operation: Operation) -> String {
        // Names of tables and digits need no escaping.
        #"{"table":"\#(table)","id":\#(record),"op":"\#(operation.rawValue)","version":\#(version ?? "null")}"#
    }
}

/// The texts of the server-sent events (WHATWG HTML, 9.2).
enum ChangeEvent {
    enum Name: String, CaseIterable {
        case ready, change, reset
    }

    /// How long a client waits before it connects again, in milliseconds.
    private static let retry = 2_000

    /// The stream has begun: the changes after `cursor` follow.
    static func ready(at cursor: ChangeCursor) -> String {
        "retry: \(retry)\nevent: \(Name.ready.rawValue)\nid: \(cursor.text)\ndata: {\"id\":\"\(cursor.text)\"}\n\n"
    }

    /// Changes may be missing before `cursor`: what the client has loaded may be out of date.
    static func reset(at cursor: ChangeCursor) -> String {
        "event: \(Name.reset.rawValue)\nid: \(cursor.text)\ndata: {\"id\":\"\(cursor.text)\"}\n\n"
    }

    /// There was no change for this client up to `cursor`. Clients note the position without an event.
    static func position(_ cursor: ChangeCursor) -> String { "id: \(cursor.text)\n\n" }

    static func change(_ change: RecordChange, as operation: RecordChange.Operation) -> String {
        "event: \(Name.change.rawValue)\nid: \(change.cursor.text)\ndata: \(change.text(as: operation))\n\n"
    }
}
