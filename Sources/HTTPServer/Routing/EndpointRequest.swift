package import NIOCore
package import NIOHTTP1

/// A request to an ``Endpoint``.
package struct EndpointRequest: Sendable {
    package let context: RequestContext
    package let method: HTTPMethod
    /// The path and the query, as they were sent: visible characters of ASCII.
    package let target: String
    /// The rest of the path, as it was sent, behind the path of an endpoint that has every path below its own; otherwise
    /// empty.
    package let subpath: String
    /// The parameters of the query, decoded and in their order; nil if the query is malformed.
    package let query: [(name: String, value: String)]?
    package let headers: HTTPHeaders
    /// The body; empty for an endpoint that takes none.
    package let body: ByteBuffer

    /// - Parameter target: the request's target with its query.
    package init(
        _ context: RequestContext, method: HTTPMethod = .GET, target: String, subpath: String = "",
        headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer()
    ) {
        self.context = context
        self.method = method
        self.subpath = subpath
        self.headers = headers
        self.body = body
        // An address in absolute form names this server. Answers have it in headers.
        self.target =
            target.hasPrefix("/") && target.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? target : "/"
        let target = target.prefix { $0 != "#" }
        query = target.firstIndex(of: "?").map { Self.form(target[target.index(after: $0)...]) } ?? []
    }

    /// The fields of a body that an HTML form sent, decoded and in their order; nil if they are malformed.
    package var form: [(name: String, value: String)]? {
        Self.form(Substring(String(buffer: body)))
    }

    private static func form(_ text: Substring) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0]), let value = decode(parts.count > 1 ? parts[1] : "") else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// The text of a part of a query or a form's body, as HTML forms encode it; nil if it is malformed.
    private static func decode(_ part: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexDigitValue: UInt8? {
        Character(UnicodeScalar(self)).hexDigitValue.map(UInt8.init)
    }
}
