package import DomainKit
package import JSON
import NIOCore

/// The `error` member of a JSON-RPC response.
package struct RPCErrorObject: Sendable {
    let kind: ErrorKind
    /// A short French sentence.
    let message: String
    /// Members of `data` between `code` and `request_id`.
    let details: [Detail]
    /// The record as it is now, after a version conflict: the last member of `data` before `request_id`. The only part
    /// of an error object of unlimited size.
    let current: Record?
    /// The internal cause, for the log only.
    let cause: String?

    package enum Detail: Sendable {
        case text(String, String)
        case number(String, Int)
        case flag(String, Bool)
        case problems([Problem])
        /// Members that a rule of a domain adds. They cannot replace those that every error object has.
        case facts(JSONObject)
    }

    /// The member of `data` with the public address of the installation that serves the company now.
    static let movedTo = "moved_to"

    /// The public address of the installation that serves the company now, if it has moved; nil for other errors.
    package var place: String? {
        for case .text(Self.movedTo, let place) in details where kind == .forbidden { return place }
        return nil
    }

    /// The members of `data` that an error object has by itself. `path` names the call of a transaction, or
    /// the parameter that names a missing record.
    fileprivate static let reservedNames: Set = ["code", "reason", "path", "request_id"]

    package init(
        _ kind: ErrorKind, _ message: String, _ details: Detail?..., current: Record? = nil, cause: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.details = details.compactMap(\.self).filter(\.isShown)
        self.current = current
        self.cause = cause
    }

    private init(_ error: RPCErrorObject, details: [Detail]) {
        kind = error.kind
        message = error.message
        self.details = details
        current = error.current
        cause = error.cause
    }

    /// This error of a call by itself as an error of the transaction that has the call at `path`: problems have the path
    /// of the transaction's params, and `data.path` names the call with the record or the rights that the error is about, or
    /// the parameter.
    func inCall(at path: String) -> RPCErrorObject {
        var namesCall = [.forbidden, .notFound, .conflict].contains(kind)
        let details = details.map { detail -> Detail in
            switch detail {
            case .problems(let problems): return .problems(problems.map { $0.prefixed(by: path + "/params") })
            case .text("path", let own):
                namesCall = false
                return .text("path", path + "/params" + own)
            default: return detail
            }
        }
        return RPCErrorObject(self, details: details + (namesCall ? [.text("path", path)] : []))
    }
}

extension ByteBuffer {
    /// Writes an error object.
    ///
    /// - Parameter end: the writer index that the current record in it must not exceed.
    /// - Throws: if that record does not fit.
    mutating func writeError(
        _ error: RPCErrorObject, requestID: String, upTo end: Int
    ) throws(ResponseBufferFullError) {
        guard let current = error.current else { return writeErrorWithoutRecord(error, requestID: requestID) }
        try writeError(
            code: error.kind.code, name: error.kind.rawValue, message: error.message, details: error.details,
            requestID: requestID
        ) { (buffer: inout ByteBuffer) throws(ResponseBufferFullError) in
            buffer.writeStaticString(",")
            buffer.writeMember("current")
            try buffer.writeRecord(current, upTo: end)
        }
    }

    /// Writes an error object, its current record left out: it then fits into every response.
    mutating func writeErrorWithoutRecord(_ error: RPCErrorObject, requestID: String) {
        writeError(
            code: error.kind.code, name: error.kind.rawValue, message: error.message, details: error.details,
            requestID: requestID)
    }

    /// Writes `{"code":…,"message":…,"data":{"code":…, … ,"request_id":…}}`, of a call or of an HTTP request.
    ///
    /// - Parameters:
    ///   - name: the `code` in `data`.
    ///   - details: the members of `data` after `code`.
    mutating func writeError(
        code: Int, name: String, message: String, details: [RPCErrorObject.Detail], requestID: String
    ) {
        writeError(code: code, name: name, message: message, details: details, requestID: requestID) {
            (_: inout ByteBuffer) throws(Never) in
        }
    }

    /// Writes the same, with further members of `data`, each after a comma, after `details`.
    private mutating func writeError<WriteError: Error>(
        code: Int, name: String, message: String, details: [RPCErrorObject.Detail], requestID: String,
        further: (inout ByteBuffer) throws(WriteError) -> Void
    ) throws(WriteError) {
        writeStaticString("{\"code\":")
        writeString(String(code))
        writeStaticString(",\"message\":")
        writeJSONString(message)
        writeStaticString(",\"data\":{\"code\":")
        writeJSONString(name)
        for detail in details {
            writeStaticString(",")
            writeDetail(detail)
        }
        try further(&self)
        writeStaticString(",\"request_id\":")
        writeJSONString(requestID)
        writeStaticString("}}")
    }

    private mutating func writeDetail(_ detail: RPCErrorObject.Detail) {
        switch detail {
        case .text(let name, let text):
            writeMember(name)
            writeJSONString(text)
        case .number(let name, let number):
            writeMember(name)
            writeString(String(number))
        case .flag(let name, let isTrue):
            writeMember(name)
            writeStaticString(isTrue ? "true" : "false")
        case .problems(let problems):
            writeMember("errors")
            writeJSON(.array(problems.map(\.entry)))
        case .facts(let facts):
            var isFirst = true
            for member in facts.withoutReservedNames {
                if !isFirst { writeStaticString(",") }
                isFirst = false
                writeMember(member.name)
                writeJSON(member.value)
            }
        }
    }

    private mutating func writeMember(_ name: String) {
        writeJSONString(name)
        writeStaticString(":")
    }
}

extension RPCErrorObject.Detail {
    /// Whether there is anything to write.
    fileprivate var isShown: Bool {
        if case .facts(let facts) = self { !facts.withoutReservedNames.isEmpty } else { true }
    }
}

extension JSONObject {
    fileprivate var withoutReservedNames: [Member] {
        members.filter { !RPCErrorObject.reservedNames.contains($0.name) }
    }
}

extension Problem {
    /// This problem of a value in an object that is at `prefix`.
    package func prefixed(by prefix: String) -> Problem {
        Problem(path: prefix + path, code: code, message: message, suggestion: suggestion, position: position)
    }

    /// This problem as an element of `data.errors`.
    fileprivate var entry: JSONValue {
        var members: [JSONObject.Member] = [
            .init("path", .string(path)), .init("code", .string(code.rawValue)), .init("message", .string(message)),
        ]
        if let suggestion { members.append(.init("suggestion", .string(suggestion))) }
        if let position {
            members.append(.init("line", .number(String(position.line))))
            members.append(.init("column", .number(String(position.column))))
        }
        return .object(JSONObject(members))
    }
}

/// The kinds of errors that a call may end in. The raw value is the `data.code` of the error object.
package enum ErrorKind: String, CaseIterable, Sendable {
    case parseError = "parse_error"
    case invalidRequest = "invalid_request"
    case methodNotFound = "method_not_found"
    case invalidParams = "invalid_params"
    case internalError = "internal"
    case unauthenticated
    case invalidCredentials = "invalid_credentials"
    case forbidden
    case notFound = "not_found"
    case conflict
    case limitExceeded = "limit_exceeded"
    case rateLimited = "rate_limited"
    case outcomeUnknown = "outcome_unknown"
    case unavailable
    case timeout

    /// The `code` of the error object: JSON-RPC's own where the specification reserves one, else the status that HTTP
    /// has for the same case.
    var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .internalError: -32603
        case .unauthenticated, .invalidCredentials: 401
        case .forbidden: 403
        case .notFound: 404
        case .conflict: 409
        case .limitExceeded: 413
        case .rateLimited: 429
        case .outcomeUnknown: 500
        case .unavailable: 503
        case .timeout: 504
        }
    }
}
