import DomainKit
import NIOCore

/// A body read as JSON-RPC 2.0.
enum Envelope: Sendable, Hashable {
    case single(Message)
    /// At least one message.
    case batch([Message])

    /// Reads `body`. Throws what is wrong with the whole of it; what is wrong with one member of a batch stays with
    /// that member.
    static func decode(_ body: ByteBuffer, limits: EnvelopeLimits) throws(EnvelopeFault) -> Envelope {
        let document: JSONDocument
        do throws(JSONFault) {
            document = try JSONReader.read(body, maxDepth: limits.depth)
        } catch {
            switch error {
            case .syntax(let offset): throw .notJSON(at: body.position(ofByte: offset))
            case .depth: throw .tooDeep(max: limits.depth)
            }
        }
        guard case .array(let members) = document.value else {
            return .single(Message(document.value, duplicates: document.duplicates))
        }
        guard !members.isEmpty else { throw .emptyBatch }
        guard members.count <= limits.batch else { throw .batchTooLarge(count: members.count, max: limits.batch) }
        return .batch(
            members.enumerated().map { index, member in
                Message(member, duplicates: document.duplicates.compactMap { $0.pointer(inside: "/\(index)") })
            })
    }
}

/// What a body, and the answer to it, may be at most.
package struct EnvelopeLimits: Sendable {
    /// How many arrays and objects may stand inside one another.
    package var depth: Int
    /// How many requests a batch may hold.
    package var batch: Int
    /// Bytes the answer's results may have, those of a batch together: what one call may cost of memory and of the time
    /// of the event loop, on which nobody else is served while they are written.
    package var answer: Int

    package init(depth: Int = 64, batch: Int = 50, answer: Int = 32 << 20) {
        self.depth = depth
        self.batch = batch
        self.answer = answer
    }
}

extension Message {
    /// - Parameter duplicates: JSON Pointers, from `value`, of names that stand twice in one object.
    init(_ value: Value, duplicates: [String] = []) {
        guard case .object(let object) = value else {
            self = .malformed(.notAnObject, identifier: .null)
            return
        }
        var identifier: Identifier?
        do throws(EnvelopeFault) {
            identifier = try Self.identifier(object, duplicates)
            self = .request(try Self.request(object, identifier, duplicates))
        } catch {
            self = .malformed(error, identifier: identifier ?? .null)
        }
    }

    private static func identifier(_ object: Object, _ duplicates: [String]) throws(EnvelopeFault) -> Identifier? {
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
        _ object: Object, _ identifier: Identifier?, _ duplicates: [String]
    ) throws(EnvelopeFault) -> Request {
        var inParams: [String] = []
        for duplicate in duplicates {
            guard let pointer = duplicate.pointer(inside: "/params") else {
                throw .duplicateMember(String(duplicate.dropFirst()))
            }
            inParams.append(pointer)
        }
        // By bytes: what a caller sends may take Swift minutes to compare as text.
        guard case .string(let version)? = object["jsonrpc"], version.utf8.elementsEqual("2.0".utf8) else {
            throw .version
        }
        guard case .string(let method) = object["method"] else { throw .method }
        switch object["params"] {
        case nil:
            return Request(identifier: identifier, method: method, params: .byName(Object(), duplicates: []))
        case .object(let params):
            return Request(identifier: identifier, method: method, params: .byName(params, duplicates: inParams))
        case .array:
            return Request(identifier: identifier, method: method, params: .byPosition)
        case .null, .bool, .number, .string:
            throw .params
        }
    }
}

extension String {
    /// This JSON Pointer as seen from what `prefix` points to; nil when it points elsewhere, or to just that.
    ///
    /// Compared by bytes: a name may begin with a combining character, which makes one character with the slash.
    fileprivate func pointer(inside prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        let rest = utf8.dropFirst(prefix.utf8.count)
        return rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : nil
    }
}
