import DomainKit
package import JSON
import NIOCore

/// The body of a `POST /rpc`, read as JSON-RPC 2.0.
enum Envelope: Sendable, Hashable {
    case single(RPCMessage)
    /// At least one message.
    case batch([RPCMessage])

    /// - Throws: an error that concerns the whole body. An error in one member of a batch does not throw: that member
    ///   becomes a malformed message.
    static func decode(_ body: ByteBuffer, limits: EnvelopeLimits) throws(EnvelopeError) -> Envelope {
        let document = try mapError(JSONReader.read(body, maxDepth: limits.depth)) {
            (error: JSONError) -> EnvelopeError in
            switch error {
            case .syntax(let offset): .notJSON(at: body.position(ofByte: offset))
            case .depth: .tooDeep(max: limits.depth)
            }
        }
        guard case .array(let members) = document.value else {
            return .single(RPCMessage(document.value, duplicates: document.duplicates))
        }
        guard !members.isEmpty else { throw .emptyBatch }
        guard members.count <= limits.batch else { throw .batchTooLarge(count: members.count, max: limits.batch) }
        return .batch(
            members.enumerated().map { index, member in
                RPCMessage(member, duplicates: document.duplicates.compactMap { $0.pointer(inside: "/\(index)") })
            })
    }
}

/// The size limits of a request body and of its response.
package struct EnvelopeLimits: Sendable {
    /// How deeply arrays and objects may be nested.
    package var depth: Int
    /// The number of requests in a batch.
    package var batch: Int
    /// The size in bytes of all results in one response, those of a batch together. The limit bounds the memory of a
    /// call, and the time for which writing its response blocks the event loop.
    package var response: Int

    package init(depth: Int = 64, batch: Int = 50, response: Int = 32 << 20) {
        self.depth = depth
        self.batch = batch
        self.response = response
    }
}

extension RPCMessage {
    /// - Parameter duplicates: JSON Pointers, relative to `value`, of member names that an object contains twice.
    init(_ value: JSONValue, duplicates: [String] = []) {
        guard case .object(let object) = value else {
            self = .malformed(.notAnObject, identifier: .null)
            return
        }
        var identifier: RPCIdentifier?
        do throws(EnvelopeError) {
            identifier = try Self.identifier(object, duplicates)
            self = .request(try Self.request(object, identifier, duplicates))
        } catch {
            self = .malformed(error, identifier: identifier ?? .null)
        }
    }

    private static func identifier(_ object: JSONObject, _ duplicates: [String]) throws(EnvelopeError) -> RPCIdentifier?
    {
        guard duplicates.isEmpty || !duplicates.contains("/id") else { throw .duplicateMember("id") }
        switch object["id"] {
        case nil: return nil
        case .null: return .null
        case .number(let digits): return .number(digits)
        case .string(let text): return .string(text)
        case .bool, .array, .object: throw .identifier
        }
    }

    private static func request(
        _ object: JSONObject, _ identifier: RPCIdentifier?, _ duplicates: [String]
    ) throws(EnvelopeError) -> RPCRequest {
        var duplicateParams: [String] = []
        for duplicate in duplicates {
            guard let pointer = duplicate.pointer(inside: "/params") else {
                throw .duplicateMember(String(duplicate.dropFirst()))
            }
            duplicateParams.append(pointer)
        }
        // Compared as bytes: Swift's comparison of text with many combining marks takes quadratic time.
        guard case .string(let version)? = object["jsonrpc"], version.utf8.elementsEqual("2.0".utf8) else {
            throw .version
        }
        guard case .string(let method) = object["method"] else { throw .method }
        switch object["params"] {
        case nil:
            return RPCRequest(identifier: identifier, method: method, params: .byName(JSONObject(), duplicates: []))
        case .object(let params):
            return RPCRequest(
                identifier: identifier, method: method, params: .byName(params, duplicates: duplicateParams))
        case .array:
            return RPCRequest(identifier: identifier, method: method, params: .byPosition)
        case .null, .bool, .number, .string:
            throw .params
        }
    }
}

extension String {
    /// This JSON Pointer relative to the value that `prefix` points to; nil if it does not point inside that value.
    ///
    /// The comparison is by bytes: a name may begin with a combining mark, which forms one character with the slash.
    fileprivate func pointer(inside prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        let rest = utf8.dropFirst(prefix.utf8.count)
        return rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : nil
    }
}

/// The reason why a body, or a member of a batch, is not a valid JSON-RPC request.
package enum EnvelopeError: Error, Sendable, Hashable {
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
