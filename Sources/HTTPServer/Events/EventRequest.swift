/// A request for a stream of events.
package struct EventRequest: Sendable {
    package let context: RequestContext
    /// The `id` of the last event that the client has received of an earlier stream.
    package let lastEventID: String?
    /// The parameters of the query, decoded and in their order; nil if the query is malformed.
    package let query: [(name: String, value: String)]?

    /// - Parameter target: the request's target with its query.
    package init(context: RequestContext, target: String, lastEventID: String?) {
        self.context = context
        self.lastEventID = lastEventID
        query = Self.query(of: target)
    }

    private static func query(of target: String) -> [(name: String, value: String)]? {
        let target = target.prefix { $0 != "#" }
        guard let mark = target.firstIndex(of: "?") else { return [] }
        var parameters: [(name: String, value: String)] = []
        for pair in target[target.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0]), let value = decode(parts.count > 1 ? parts[1] : "") else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }

    /// The text of a part of a query, as HTML forms encode it; nil if it is malformed.
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
