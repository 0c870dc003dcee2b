import DomainKit
import NIOCore

/// An error as the wire has it.
struct WireError: Sendable {
    let kind: ErrorKind
    /// A short French sentence.
    let message: String
    /// Further members of `data`, in order.
    var details: [Detail] = []
    /// What happened inside, for the log alone.
    var cause: String?

    enum Detail: Sendable {
        case text(String, String)
        case number(String, Int)
        case flag(String, Bool)
        case problems([Problem])
        case record(String, Record)
    }

    init(_ kind: ErrorKind, _ message: String, _ details: Detail?..., cause: String? = nil) {
        self.kind = kind
        self.message = message
        self.details = details.compactMap(\.self)
        self.cause = cause
    }
}

extension ByteBuffer {
    /// Writes the error object: `{"code":…,"message":…,"data":{"code":…, … ,"request_id":…}}`.
    /// - Parameter end: the writer index that a record in it does not pass.
    /// - Throws: when a record in it does not fit.
    mutating func writeError(_ error: WireError, requestID: String, upTo end: Int) throws(AnswerTooLarge) {
        writeStaticString("{\"code\":")
        writeString(String(error.kind.code))
        writeStaticString(",\"message\":")
        writeJSONString(error.message)
        writeStaticString(",\"data\":{\"code\":")
        writeJSONString(error.kind.rawValue)
        for detail in error.details {
            writeStaticString(",")
            try writeDetail(detail, upTo: end)
        }
        writeStaticString(",\"request_id\":")
        writeJSONString(requestID)
        writeStaticString("}}")
    }

    private mutating func writeDetail(_ detail: WireError.Detail, upTo end: Int) throws(AnswerTooLarge) {
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
        case .record(let name, let record):
            writeMember(name)
            try writeRecord(record, upTo: end)
        }
    }

    private mutating func writeMember(_ name: String) {
        writeJSONString(name)
        writeStaticString(":")
    }
}

extension Problem {
    /// This problem as an entry of `data.errors`.
    fileprivate var entry: Value {
        var members: [Object.Member] = [
            .init("path", .string(path)), .init("code", .string(code.rawValue)), .init("message", .string(message)),
        ]
        if let suggestion { members.append(.init("suggestion", .string(suggestion))) }
        if let position {
            members.append(.init("line", .number(String(position.line))))
            members.append(.init("column", .number(String(position.column))))
        }
        return .object(Object(members))
    }
}
