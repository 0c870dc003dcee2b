package import NIOHTTP1

extension HTTPHeaders {
    /// Whether `If-None-Match` names this entity tag (RFC 9110, section 13.1.2). The comparison is the weak one.
    package func hasMatch(for tag: String) -> Bool {
        let opaque = Self.opaque(tag[...])
        return self[canonicalForm: "If-None-Match"].contains { $0 == "*" || Self.opaque($0) == opaque }
    }

    /// The tag without the mark of a weak one.
    private static func opaque(_ tag: Substring) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
}
