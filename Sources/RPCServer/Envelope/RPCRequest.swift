import DomainKit
import JSON
import NIOCore

/// One member of a body: a request, or a value that is not a valid request.
enum RPCMessage: Sendable, Hashable {
    case request(RPCRequest)
    /// `identifier` is the value's own, or null if it could not be read.
    case malformed(EnvelopeError, identifier: RPCIdentifier)
}

/// A well-formed JSON-RPC request.
struct RPCRequest: Sendable, Hashable {
    /// Nil for a notification, which is executed without a response.
    let identifier: RPCIdentifier?
    let method: String
    let params: RawParams

    enum RawParams: Sendable, Hashable {
        /// `duplicates` are JSON Pointers, relative to the params, of member names that an object contains twice.
        case byName(JSONObject, duplicates: [String])
        /// An array: valid JSON-RPC, but no method of this service accepts it.
        case byPosition
    }
}

/// The `id` of a request, which its response repeats unchanged.
enum RPCIdentifier: Sendable, Hashable {
    case null
    /// The number as it was written: `1`, `1.0` and `1e0` are three identifiers.
    case number(String)
    case string(String)
}

extension ByteBuffer {
    mutating func writeIdentifier(_ identifier: RPCIdentifier) {
        switch identifier {
        case .null: writeStaticString("null")
        case .number(let digits): writeString(digits)
        case .string(let text): writeJSONString(text)
        }
    }
}
