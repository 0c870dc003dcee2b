import DomainKit

/// One well-formed JSON-RPC request.
struct Request: Sendable, Hashable {
    /// Nil for a notification, which is run and not answered.
    let identifier: Identifier?
    let method: String
    let params: Params

    enum Params: Sendable, Hashable {
        /// With the JSON Pointers, from params, of names that stand twice in one object.
        case byName(Object, duplicates: [String])
        /// An array: well-formed JSON-RPC, but no method here takes it.
        case byPosition
    }
}

/// A member of a body: a request, or something that should have been one.
enum Message: Sendable, Hashable {
    case request(Request)
    /// `identifier` is the one it has, if that much could be read.
    case malformed(EnvelopeFault, identifier: Identifier)
}
