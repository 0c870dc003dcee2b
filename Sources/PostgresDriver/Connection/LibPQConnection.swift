import CLibPQ

/// Owns a libpq connection and finishes it in any state.
///
/// One thread at a time may use it: the one that opens it, then the reactor.
final class LibPQConnection: @unchecked Sendable {
    // Unchecked: the thread that opens it hands it over through the mailbox and keeps no reference.
    let raw: OpaquePointer
    let notices: NoticeReceiver
    /// The server's session behind it; nil when that is not known, as behind a connection pooler.
    var session: ServerSession?

    /// - Parameter raw: from `PQconnectStartParams`; owned by the object from here on.
    init(_ raw: OpaquePointer, _ notices: NoticeReceiver) {
        self.raw = raw
        self.notices = notices
    }

    deinit {
        PQfinish(raw)
    }

    /// Belongs to libpq, which may replace it while it connects.
    var socket: Int32 { PQsocket(raw) }

    /// Why the last operation failed, without the line feed that libpq appends; empty when none did.
    var errorMessage: String { Self.errorMessage(raw) }

    static func errorMessage(_ raw: OpaquePointer) -> String {
        PQerrorMessage(raw).map { String(cString: $0).trimmed } ?? ""
    }

    /// - Returns: nil when there is no memory for it or no connection.
    func makeCancelRequest() -> CancelRequest? {
        PQgetCancel(raw).map { CancelRequest($0) }
    }
}

/// What is needed to cancel the current statement of a connection, independent of that connection.
final class CancelRequest: @unchecked Sendable {
    // Unchecked: made on one thread, then used and freed by one other.
    private let raw: OpaquePointer

    fileprivate init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        PQfreeCancel(raw)
    }

    /// Opens a connection of its own, sends the request and waits until the server has forwarded it. Blocks.
    ///
    /// A failure is not reported: the statement then ends by itself, or its connection is given up.
    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(raw, &message, Int32(message.count))
    }
}

/// Receives libpq's notices, which would go to stderr otherwise. Called on the thread that uses the connection.
final class NoticeReceiver {
    /// The server's message when it ended an idle connection. libpq treats it as a notice.
    private(set) var fatalNotice: String?
    /// Notices received so far.
    private(set) var count = 0
    private let onEvent: (@Sendable (PostgresEvent) -> Void)?

    init(_ onEvent: (@Sendable (PostgresEvent) -> Void)?) {
        self.onEvent = onEvent
    }

    /// libpq keeps the receiver's address: `LibPQConnection` holds it for as long as the connection exists.
    func attach(to connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    private func receive(_ result: OpaquePointer) {
        let fields = ServerFields(result)
        count += 1
        if fields.isLast { fatalNotice = fields.message }
        onEvent?(.notice(severity: fields.severity, sqlState: fields.sqlState, message: fields.message))
    }
}

extension ServerFields {
    /// Reads the fields of an error or a notice. The result stays the caller's.
    convenience init(_ result: OpaquePointer) {
        func field(_ code: clibpq_field_code) -> String? {
            clibpq_field(result, code).map { String(cString: $0) }
        }
        self.init(
            severity: field(CLIBPQ_SEVERITY) ?? "", sqlState: field(CLIBPQ_SQLSTATE) ?? "",
            message: field(CLIBPQ_MESSAGE)
                ?? PQresultErrorMessage(result).map { String(cString: $0).trimmed } ?? "",
            detail: field(CLIBPQ_DETAIL), hint: field(CLIBPQ_HINT), schema: field(CLIBPQ_SCHEMA),
            table: field(CLIBPQ_TABLE), column: field(CLIBPQ_COLUMN), constraint: field(CLIBPQ_CONSTRAINT),
            context: field(CLIBPQ_CONTEXT), position: field(CLIBPQ_POSITION).flatMap { Int($0) },
            routine: field(CLIBPQ_ROUTINE))
    }
}

extension String {
    /// Without the white space at the end.
    var trimmed: String {
        var text = Substring(self)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}
