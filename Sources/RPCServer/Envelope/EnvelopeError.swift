import DomainKit
import JSON

/// The reason why a body, or a member of a batch, is not a valid JSON-RPC request.
enum EnvelopeError: Error, Sendable, Hashable {
    case notJSON(at: TextPosition)
    case tooDeep(max: Int)
    case batchTooLarge(count: Int, max: Int)
    case emptyBatch
    case notAnObject
    case duplicateMember(String)
    /// `jsonrpc` is not `"2.0"`.
    case version
    /// `id` is not a number, a text or null.
    case identifier
    /// `method` is not a text.
    case method
    /// `params` is neither an object nor an array.
    case params
}
