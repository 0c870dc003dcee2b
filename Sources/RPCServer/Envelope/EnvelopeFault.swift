import DomainKit

/// Why a body, or a member of a batch, is not a JSON-RPC request.
enum EnvelopeFault: Error, Sendable, Hashable {
    case notJSON(at: Problem.Position)
    case tooDeep(max: Int)
    case batchTooLarge(count: Int, max: Int)
    case emptyBatch
    case notAnObject
    case duplicateMember(String)
    case version
    case identifier
    case method
    case params
}
